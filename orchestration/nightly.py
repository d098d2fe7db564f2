"""`cotline nightly`: a night now, the nights there are, and one of them as the replies of record."""

import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import dagster as dg

from assets import params
from assets.nightly.nights import NOTHING_IS_LIVE, Asked, asked_rows, attempt_of
from assets.schema.faults import Fault
from orchestration import storage
from orchestration.nights import FOLDER, Days, read
from orchestration.printing import Column, as_table, interval, percent

SHOWN = 14
"""Nights that `list` prints, the latest, unless told otherwise."""

COLUMNS = (
    Column("night", lambda row: row["day"], right=False),
    Column("evaluation", lambda row: row["evaluation"], right=False),
    Column("n", lambda row: "" if row["n"] is None else str(row["n"])),
    Column("accuracy", lambda row: percent(row["accuracy"]) if row["good"] else "not asked"),
    Column("interval", lambda row: interval(row["low"], row["high"]) if row["good"] else ""),
    Column("since", lambda row: row["compared_with"] or ""),
    Column("points", lambda row: "" if row["difference"] is None else f"{100 * row['difference']:+.2f}"),
    Column("p (Holm)", lambda row: "" if row["p_adjusted"] is None else f"{row['p_adjusted']:.3g}"),
)


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of `cotline nightly`."""
    parser.epilog = "`make ui` does this every night by itself; see nightly in params.yaml."
    parts = parser.add_subparsers(dest="part", metavar="PART", required=True)
    one = parts.add_parser("run", help="ask every live evaluation anew, and compare with the last good night")
    one.add_argument("--day", help="the night's day, YYYY-MM-DD (default: today)")
    one.add_argument("--again", action="store_true", help="ask a night that is there once more, in its place")
    several = parts.add_parser("list", help="the nights there are, with accuracies and changes")
    several.add_argument("--last", type=int, default=SHOWN, help=f"so many nights (default {SHOWN})")
    adopted = parts.add_parser("adopt", help="make a night's replies those of record, in params.yaml")
    adopted.add_argument("day", help="the night's day, YYYY-MM-DD")


def run(arguments: Namespace) -> int:
    """`cotline nightly`: 0, or 1 when a check of the night failed, with its sentences."""
    if arguments.part == "list":
        return show(arguments.last)
    if arguments.part == "adopt":
        return adopt(_day(arguments.day))
    return ask(None if arguments.day is None else _day(arguments.day), arguments.again)


def ask(day: str | None, again: bool) -> int:
    """Ask a night in this process; one of which something was not asked to the end goes on where it stood.

    Raises:
        Fault: the night cannot be, is there already, or is being asked.
    """
    from assets.nightly.defs import FIRST_DAY, live
    from orchestration.definitions import defs
    from orchestration.instance import opened
    from orchestration.materialize import track_later
    from orchestration.schedules import today, under_way

    day = day or today()
    if not FIRST_DAY <= day <= today():
        raise Fault(f"--day {day}: a night is of a day from {FIRST_DAY} to today ({today()})")
    if not live():
        raise Fault(NOTHING_IS_LIVE)
    before = _asked(day)
    left = [row.evaluation for row in before if not row.good]
    if before and not left and not again:
        raise Fault(f"the night of {day} is there already: `cotline nightly list` shows it, --again asks it once more")
    attempt = max((attempt_of(row.asking) for row in before), default=0 if again else 1) + again
    with opened() as instance:
        if reason := under_way(instance, day):
            raise Fault(f"{reason}: let it end, or stop it in the UI")
        if left and not again:
            print(f"the night of {day} goes on: not asked to the end were {', '.join(left)}", flush=True)
        failures, failed = execute(defs, instance, day, attempt)
    for sentence in failures:
        print(f"cotline nightly: {sentence}", file=sys.stderr)
    if not failures:
        print(as_table([row for row in _history() if row["day"] == day], COLUMNS), end="")
    for name, sentences in failed.items():
        print(f"cotline nightly: check {name} failed: {sentences}", file=sys.stderr)
    track_later()
    return 1 if failures or failed else 0


def execute(
    definitions: dg.Definitions, instance: dg.DagsterInstance, day: str, attempt: int
) -> tuple[list[str], dict[str, str]]:
    """Run the job of a night here; what broke it as sentences, and each check that failed with what it says."""
    from orchestration.instance import PROCESS, process_tag
    from orchestration.materialize import QUIET, first_cause, sentence
    from orchestration.schedules import JOB

    result = definitions.resolve_job_def(JOB).execute_in_process(
        instance=instance,
        partition_key=day,
        raise_on_error=False,
        run_config={**QUIET, "ops": {"nightly_predictions": {"config": {"attempt": attempt}}}},
        tags={"cotline/door": "command", PROCESS: process_tag()},
    )
    broken = [event for event in result.all_events if event.is_step_failure]
    if any(first_cause(event).endswith("InterruptedError") for event in broken):
        raise KeyboardInterrupt
    if not result.success and not broken:
        broken = [event for event in result.all_events if event.is_failure]
    checks = result.get_asset_check_evaluations()
    failed = {check.check_name: check.description or "" for check in checks if not check.passed}
    return [sentence(event) for event in broken], failed


def show(last: int) -> int:
    """Print the latest nights.

    Raises:
        Fault: `last` is no number of nights.
    """
    if last < 1:
        raise Fault(f"--last {last}: is no number of nights")
    rows = _history()
    nights = sorted({row["day"] for row in rows})[-last:]
    if not nights:
        print("there are no nights yet: `cotline nightly run`, or `make ui` and wait for the night")
        return 0
    print(as_table([row for row in rows if row["day"] in nights], COLUMNS), end="")
    for row in rows:
        if row["day"] in nights and not row["good"]:
            print(f"{row['day']} {row['evaluation']}: {row['reason']}")
    return 0


def adopt(day: str) -> int:
    """Set the asking of the evaluations that were good on this night, in params.yaml.

    Raises:
        Fault: there is no such night, or nothing of it can be adopted; params.yaml is as it was.
    """
    from assets.nightly.defs import digest
    from orchestration.adopting import with_askings
    from orchestration.profile import current

    rows = _asked(day)
    if not rows:
        there = ", ".join([*Days("asked", FOLDER)][-5:]) or "none"
        raise Fault(f"there is no night of {day}; the latest: {there}")
    settings = params.load().evaluations
    left = {row.evaluation: reason for row in rows if (reason := _against(row, settings, digest))}
    chosen = {row.evaluation: row.asking for row in rows if row.evaluation not in left}
    kept = "".join(f"\n  {name} stays as it is: {reason}" for name, reason in left.items())
    if not chosen:
        raise Fault(f"nothing of the night of {day} can be adopted:{kept}")
    profile = current().removesuffix(", edited")
    text = params.PARAMS.read_text(encoding="utf-8")
    storage.write_bytes(with_askings(text, chosen).encode(), params.PARAMS)
    for name, asking in chosen.items():
        print(f"evaluations.{name}.asking: {asking}")
    if kept:
        print(kept.lstrip("\n"))
    print("`dvc repro` (or the UI) now makes their tables from the replies of that night; only what failed is asked.")
    if profile in _profiles():
        print(
            f"`cotline profile {profile}` would write params.yaml without this: to keep it there too, write the same "
            f"lines into profiles/{profile}.yaml"
        )
    return 0


def _against(row: Asked, settings: Mapping[str, Any], digest: Any) -> str:
    if not row.good:
        return f"it was not good that night ({row.reason})"
    if row.evaluation not in settings:
        return "params.yaml does not have it any more"
    if row.settings != digest(row.evaluation):
        return "its settings have changed since, so these replies are not to what it asks now"
    return ""


def _profiles() -> list[str]:
    from orchestration.profile import names

    return names()


def _history() -> Sequence[Mapping[str, Any]]:
    from assets.nightly.history import history

    labels = params.load().scoring.labels[0]
    asked, scores, changes = (Days(name, FOLDER) for name in ("asked", "scores", "changes"))
    return list(history(asked, scores, changes, labels))


def _asked(day: str) -> list[Asked]:
    try:
        return asked_rows(read("asked", day, FOLDER))
    except FileNotFoundError:
        return []


def _day(text: str) -> str:
    """A day as it names a night.

    Raises:
        Fault: it is none.
    """
    try:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            raise ValueError(text)
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise Fault(f"{text!r}: is no day: write it as 2026-11-30") from None
