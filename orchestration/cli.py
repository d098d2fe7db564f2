"""The command `cotline`: one subcommand a line, each in a module of its own that is imported when it is called."""

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path

from assets.schema.faults import Fault

EPILOG = "`cotline COMMAND --help` tells more. The UI is `make ui`; the rebuild is `make repro` or `dvc repro`."

# name -> (module, function that adds flags, function that runs, what it does)
COMMANDS = {
    "score": ("score", "add_score_arguments", "score", "score a predictions file, without the graph"),
    "compare": ("score", "add_compare_arguments", "compare", "compare two predictions files on the same samples"),
    "materialize": ("materialize", "add_arguments", "run", "make assets of the graph"),
    "dvc": ("projection", "add_arguments", "run", "write dvc.yaml from the graph, or check it"),
    "record": ("record", "add_arguments", "run", "commit to DVC what was made in the UI or by command"),
    "sync": ("sync", "add_arguments", "run", "tell Dagster what DVC has put on disk"),
    "annotate": ("annotate", "add_arguments", "run", "judge samples on a page, stage by stage"),
    "export": ("export", "add_arguments", "run", "write a benchmark, or predictions, in a form that others read"),
    "report": ("report", "add_arguments", "run", "write one HTML page with tables, figures, audits and every sample"),
    "status": ("staleness", "add_arguments", "run", "what is stale, as Dagster and DVC say"),
    "store": ("store", "add_arguments", "run", "what the store of replies holds, and its export"),
    "nightly": ("nightly", "add_arguments", "run", "ask what is live anew, and compare it with its last good night"),
    "track": ("tracking", "add_track_arguments", "track_command", "bring finished runs into MLflow"),
    "profile": ("profile", "add_arguments", "run", "write params.yaml of a profile"),
    "ui": ("ui", "add_arguments", "run", "open Dagster's UI on this machine"),
}


def main(argv: list[str] | None = None) -> int:
    """Run one command; its exit status comes out. A user's mistake is one sentence on stderr and status 1 or 2."""
    argv = sys.argv[1:] if argv is None else argv
    parser = argparse.ArgumentParser(
        prog="cotline",
        description="Benchmarks of multimodal chain-of-thought reasoning as one asset graph.",
        epilog=EPILOG,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (module, add, _, what) in COMMANDS.items():
        command = commands.add_parser(
            name, help=what, description=what, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        # Only the command that was called is imported: `score` must not pay for Dagster.
        if name in argv[:1]:
            getattr(import_module(f"orchestration.{module}"), add)(command)
    arguments = parser.parse_args(argv)
    module, _, run, _ = COMMANDS[arguments.command]
    try:
        _in_this_checkout()
        return int(getattr(import_module(f"orchestration.{module}"), run)(arguments))
    except KeyboardInterrupt:
        print("cotline: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader went away; without this Python complains once more when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Fault as fault:
        print(f"cotline {arguments.command}: {fault}", file=sys.stderr)
        return 1


def _in_this_checkout() -> None:
    """Refuse to work for one checkout from within another: paths would be of the one and files of the other."""
    here, this = Path.cwd() / "orchestration" / "cli.py", Path(__file__)
    if here.exists() and not here.samefile(this):
        raise Fault(
            f"this command belongs to the checkout {this.parents[1]}, and you are in another one: "
            "call `python -m orchestration` here, or `make setup`"
        )
