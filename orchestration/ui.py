"""`cotline ui`: Dagster's UI with its daemon, and Data Docs, on this machine only, with the project's own home."""

import os
import signal
import subprocess
import sys
import threading
from argparse import ArgumentParser, Namespace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from assets import params
from orchestration.checks import docs_folder
from orchestration.instance import home


class _Pages(SimpleHTTPRequestHandler):
    """Serves the folder of Data Docs and keeps quiet about it."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal is Dagster's."""


def serve_docs(folder: Path, port: int) -> str:
    """Serve the pages in `folder` on loopback from a thread; what to tell the person comes out."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), partial(_Pages, directory=str(folder)))
    except OSError as error:
        return f"Data Docs: port {port} is not to be had ({error.strerror}): set running.docs_port, or open {folder}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"Data Docs:    http://127.0.0.1:{port}"


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of `cotline ui`."""
    parser.add_argument("--port", type=int, default=3000, help="where to listen on 127.0.0.1 (default 3000)")


def run(arguments: Namespace) -> int:
    """`cotline ui`: runs until it is interrupted."""
    home()
    settings = params.load()
    command = [str(Path(sys.executable).with_name("dagster")), "dev", "-m", "orchestration.definitions"]
    command += ["-h", "127.0.0.1", "-p", str(arguments.port)]
    print(f"Dagster's UI: http://127.0.0.1:{arguments.port} (Ctrl-C ends it)", flush=True)
    print(serve_docs(docs_folder(), settings.running.docs_port), flush=True)
    # A group of its own, ended by one signal: its children would outlive it otherwise.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    process = subprocess.Popen(command, cwd=params.ROOT, start_new_session=True, env={**os.environ, "PATH": path})
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda caught, _: os.killpg(process.pid, signal.SIGINT))
    return process.wait()
