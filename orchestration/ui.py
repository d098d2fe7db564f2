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
    print(f"Dagster's UI: http://127.0.0.1:{arguments.port} (Ctrl-C ends it)", flush=True)
    print(serve_docs(docs_folder(), settings.running.docs_port), flush=True)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return until_ended(dagster_dev(arguments.port), {**os.environ, "PATH": path})


def dagster_dev(port: int) -> list[str]:
    """The command, by module: the first line of a script would name the folder that a checkout was copied from."""
    command = [sys.executable, "-m", "dagster", "dev", "-m", "orchestration.definitions"]
    return [*command, "-h", "127.0.0.1", "-p", str(port)]


def until_ended(command: list[str], environment: dict[str, str]) -> int:
    """The exit status of the command, which Ctrl-C, SIGTERM and the closing of the terminal end with its children."""
    # A group of its own, ended by one signal: its children would outlive it otherwise.
    # A shell starts what it puts in the background with SIGINT ignored, and children inherit that.
    process = subprocess.Popen(
        command,
        cwd=params.ROOT,
        start_new_session=True,
        env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # `nohup` has SIGHUP ignored, and means it.
        if signal.getsignal(number) is not signal.SIG_IGN or number != signal.SIGHUP:
            signal.signal(number, lambda caught, _: os.killpg(process.pid, signal.SIGINT))
    return process.wait()
