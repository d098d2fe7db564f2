"""`cotline ui`: Dagster's UI with its daemon, on this machine only, with the project's own home."""

import os
import signal
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from assets.params import ROOT
from orchestration.instance import home


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of `cotline ui`."""
    parser.add_argument("--port", type=int, default=3000, help="where to listen on 127.0.0.1 (default 3000)")


def run(arguments: Namespace) -> int:
    """`cotline ui`: runs until it is interrupted."""
    home()
    command = [str(Path(sys.executable).with_name("dagster")), "dev", "-m", "orchestration.definitions"]
    command += ["-h", "127.0.0.1", "-p", str(arguments.port)]
    print(f"Dagster's UI: http://127.0.0.1:{arguments.port} (Ctrl-C ends it)", flush=True)
    # A group of its own, ended by one signal: its children would outlive it otherwise.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True, env={**os.environ, "PATH": path})
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda caught, _: os.killpg(process.pid, signal.SIGINT))
    return process.wait()
