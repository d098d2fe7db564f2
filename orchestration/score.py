"""The commands `cotline score` and `cotline compare`: a person's own replies files, scored without the graph."""

import argparse
import gc
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from assets.evaluation.answers import Asked, Progress
from assets.evaluation.differences import difference
from assets.evaluation.labels import LABEL_SETS
from assets.evaluation.replies_file import Evaluated, Samples, evaluate, read_samples
from assets.evaluation.rows import Item
from assets.evaluation.scores import listed_names, scores
from assets.flow import Quarantined
from assets.schema.vocabulary import EXTRACTORS, POLICIES, SCOPES
from assets.sources.jsonlines import SourceError
from orchestration.printing import Row, as_csv, as_json, counts, one_line
from orchestration.score_tables import compare_table, score_table

SCORE_COLUMNS = (
    "file",
    "extractor",
    "labels",
    "scope",
    "name",
    "n",
    "correct",
    "accuracy",
    "low",
    "high",
    "missing",
    "statuses",
    "policy",
    "macro_f1",
    "macro_accuracy",
    "mean_f1",
    "errors_excluded",
)
COMPARE_COLUMNS = (
    "a",
    "b",
    "extractor",
    "labels",
    "scope",
    "name",
    "n",
    "both",
    "only_a",
    "only_b",
    "neither",
    "accuracy_a",
    "accuracy_b",
    "difference",
    "low",
    "high",
    "p",
    "policy",
)
_LISTED = 20
_PROGRESS = 20_000

SCORE_EPILOG = """\
a replies file is JSON lines, plain or .gz, one reply a line:
  m3cot  {"id": "physics-1", "messages": ["prompt", "reply"], "choices": ["a kite", "a ball"],
          "answer": "B", "domain": "science", "topic": "natural-science"}
  comt   {"id": "creation-1", "response": "... ANSWER: (A)"}
          (needs --samples: data.jsonl, or the folder of the release)
choices, answer, domain, topic and category may come from --samples instead; its labels then count.

examples:
  cotline score replies.jsonl --benchmark m3cot
  cotline score replies.jsonl --benchmark m3cot --samples test.jsonl.gz --by topic
  cotline score responses.jsonl --benchmark comt --samples data.jsonl --by task
  cotline score a.jsonl b.jsonl.gz --benchmark m3cot --extractor paper --labels paper --format csv

accuracy is micro (correct / n) with its 95 % Wilson interval; macro is the mean over topics (comt: tasks).
macro_f1 is over the letters that occur as labels, mean_f1 the mean of the topics' (comt: tasks') own.
exit status: 0 scored, with lines that had to be left out counted on stderr; 1 a file cannot be scored.
"""
COMPARE_EPILOG = """\
both files are read as `cotline score` reads them and compared on the samples that both count:
the difference is accuracy a minus accuracy b, with its paired 95 % interval (Newcombe) and the
two-sided exact McNemar p value. Overlapping intervals of two scores say less: use this.

examples:
  cotline compare cot.jsonl direct.jsonl --benchmark m3cot
  cotline compare new.jsonl old.jsonl --benchmark comt --samples data.jsonl --by task --format json
"""


def add_score_arguments(parser: argparse.ArgumentParser) -> None:
    """Give `parser` the arguments of `cotline score`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = SCORE_EPILOG
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="replies, .jsonl or .jsonl.gz")
    _add_shared_arguments(parser)


def add_compare_arguments(parser: argparse.ArgumentParser) -> None:
    """Give `parser` the arguments of `cotline compare`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = COMPARE_EPILOG
    parser.add_argument("a", type=Path, metavar="A", help="replies, .jsonl or .jsonl.gz")
    parser.add_argument("b", type=Path, metavar="B", help="the replies to compare them with")
    _add_shared_arguments(parser)


def _add_shared_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--benchmark", required=True, choices=("m3cot", "comt"), help="which benchmark was asked")
    parser.add_argument(
        "--samples",
        type=Path,
        metavar="F",
        help="the samples: .jsonl(.gz) of id, choices, answer, …; comt: or the release's folder",
    )
    parser.add_argument(
        "--labels",
        choices=tuple(LABEL_SETS),
        default="released",
        help="released: as recorded; paper: with the errata of the published tables (default: released)",
    )
    parser.add_argument(
        "--extractor",
        choices=(*EXTRACTORS, "both"),
        default="both",
        help="paper: the published rule, bit for bit; strict: the ordered grammar (default: both)",
    )
    parser.add_argument(
        "--policy",
        choices=POLICIES,
        help="what is counted: paper: the replies, as published; strict: every sample, one without a reply as wrong "
        "(default: as the extractor)",
    )
    parser.add_argument("--by", choices=SCOPES, default="total", help="one row for each of these (default: total)")
    parser.add_argument("--format", choices=("table", "json", "csv"), default="table", help="(default: table)")


def score(args: argparse.Namespace) -> int:
    """Write the scores of `args.files` to stdout, what was left out to stderr; the exit status.

    0: every file was scored. 1: some file could not be, or the result could not be written. 130: interrupted.
    """
    return _guarded(_score, args)


def compare(args: argparse.Namespace) -> int:
    """Write how `args.a` differs from `args.b` to stdout, what was left out to stderr; the exit status of `score`."""
    return _guarded(_compare, args)


def _score(args: argparse.Namespace) -> int:
    samples = _samples(args)
    rows: list[Row] = []
    failed = 0
    progress = len(args.files) > 1 and _is_watched()
    for place, path in enumerate(args.files, start=1):
        if progress:
            _note(f"{place} of {len(args.files)}: {path}")
        try:
            evaluated = _evaluated(args, path, samples)
        except SourceError as error:
            failed += 1
            _fault(args, str(error))
            continue
        rows += [
            {"file": row.evaluation, **row._asdict()}
            for row in scores(
                evaluated.answered.rows,
                evaluated.samples.items,
                evaluation=evaluated.name,
                labels=args.labels,
                scopes=(args.by,),
                policy=args.policy,
                benchmark=args.benchmark,
            )
        ]
    if rows:
        _note_split(args, samples)
        _write(args.format, rows, SCORE_COLUMNS, score_table)
    return 1 if failed else 0


def _compare(args: argparse.Namespace) -> int:
    samples = _samples(args)
    a, b = (_evaluated(args, path, samples) for path in (args.a, args.b))
    common = a.samples.items.keys() & b.samples.items.keys()
    if not common:
        raise SourceError(f"{a.name} and {b.name}: no sample is in both")
    if samples is None:
        if len(common) < max(len(a.samples.items), len(b.samples.items)):
            _note(f"{len(common)} samples are in both files, of {len(a.samples.items)} and {len(b.samples.items)}")
        apart = [key for key in a.samples.items if key in common and _label(a, key) != _label(b, key)]
        if apart:
            _note(f"{len(apart)} samples have another answer recorded in each file ({_some(apart)}): use --samples")
    rows: list[Row] = []
    for extractor in _extractors(args):
        for name in listed_names(args.by, a.samples.items):
            within = None if args.by == "total" else _within(args.by, name, a.samples.items)
            found = difference(
                a.answered.rows,
                b.answered.rows,
                a=a.name,
                b=b.name,
                extractor=extractor,
                labels=args.labels,
                policy=args.policy,
                benchmark=args.benchmark,
                within=within,
            )
            right = [None if not found.n else (found.both + own) / found.n for own in (found.only_a, found.only_b)]
            rows.append(
                {
                    **found._asdict(),
                    "scope": args.by,
                    "name": name,
                    "accuracy_a": right[0],
                    "accuracy_b": right[1],
                }
            )
    if not any(row["n"] for row in rows):
        raise SourceError(f"{a.name} and {b.name}: no sample has a reply in both")
    _note_split(args, samples)
    _write(args.format, rows, COMPARE_COLUMNS, compare_table)
    return 0


def _label(evaluated: Evaluated, key: str) -> str:
    return evaluated.samples.items[key].answer


def _within(scope: str, name: str, items: dict[str, Item]) -> set[str]:
    place = Item._fields.index(scope)
    return {key for key, item in items.items() if item[place] == name}


def _samples(args: argparse.Namespace) -> Samples | None:
    if args.samples is None:
        return None
    samples = read_samples(args.samples, args.benchmark)
    _note_quarantined(samples.name, len(samples.items) + len(samples.quarantine), samples.quarantine)
    return samples


def _note_split(args: argparse.Namespace, samples: Samples | None) -> None:
    if samples is None and "strict" in {args.policy or extractor for extractor in _extractors(args)}:
        _note("without --samples, policy strict takes the samples that a file's own records carry for the whole split")


def _extractors(args: argparse.Namespace) -> tuple[str, ...]:
    return EXTRACTORS if args.extractor == "both" else (args.extractor,)


def _evaluated(args: argparse.Namespace, path: Path, samples: Samples | None) -> Evaluated:
    evaluated = evaluate(
        path,
        args.benchmark,
        samples,
        extractors=_extractors(args),
        policy=args.policy,
        progress=_watched(path) if _is_watched() else iter,
    )
    name, answered, items = evaluated.name, evaluated.answered, evaluated.samples.items
    if not listed_names(args.by, items):
        where = "--samples" if samples is None else "samples"
        raise SourceError(f"{name}: --by {args.by} needs {where} that name the {args.by} of each, and none does")
    _note_quarantined(name, evaluated.records, evaluated.quarantine)
    if answered.missing:
        _note(f"{name}: {len(answered.missing)} of {len(items)} samples have no reply ({_some(answered.missing)})")
    if answered.mismatches:
        ids = [mismatch.sample_id for mismatch in answered.mismatches]
        _note(f"{name}: {len(ids)} replies were made with other options than the samples have ({_some(ids)})")
    odd = [key for key, item in items.items() if item.answer not in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(item.choices)]]
    if odd:
        _note(f"{name}: {len(odd)} samples have an answer that is no letter of their options ({_some(odd)})")
    return evaluated


def _is_watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _watched(path: Path) -> Progress:
    def watched(replies: Sequence[Asked]) -> Iterator[Asked]:
        for place, asked in enumerate(replies):
            if place and place % _PROGRESS == 0:
                _note(f"{path}: {place} of {len(replies)} replies read")
            yield asked

    return watched


def _note_quarantined(name: str, entered: int, quarantine: Sequence[Quarantined]) -> None:
    if not quarantine:
        return
    reasons = Counter(row.reason for row in quarantine)
    _note(f"{name}: {len(quarantine)} of {entered} lines quarantined: {counts(dict(sorted(reasons.items())))}")
    for row in quarantine[:_LISTED]:
        key = "" if row.key is None else f" ({row.key})"
        _note(f"  {name}:{row.line}: {row.reason}{key}")
    if len(quarantine) > _LISTED:
        _note(f"  … and {len(quarantine) - _LISTED} more")


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_LISTED]) + (", …" if len(ids) > _LISTED else "")


def _write(form: str, rows: Sequence[Row], names: Sequence[str], table: Callable[[Sequence[Row]], str]) -> None:
    if form == "table":
        text = table(rows)
    elif form == "csv":
        text = as_csv(rows, names)
    else:
        text = as_json([{name: row[name] for name in names} for row in rows])
    if sys.stdout is None:
        raise OSError("stdout is closed")
    if hasattr(sys.stdout, "reconfigure"):
        # a terminal keeps its encoding, a file or a pipe gets UTF-8 whatever the locale says
        encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")
    sys.stdout.write(text)
    sys.stdout.flush()


def _note(text: str) -> None:
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):
        return


def _fault(args: argparse.Namespace, sentence: str) -> None:
    _note(f"cotline {getattr(args, 'command', 'score')}: {one_line(sentence)}")


def _guarded(command: Callable[[argparse.Namespace], int], args: argparse.Namespace) -> int:
    collecting = gc.isenabled()
    # rows hold no cycles, and looking for some while hundreds of thousands are made costs a fifth of the time
    gc.disable()
    try:
        return command(args)
    except SourceError as error:
        _fault(args, str(error))
        return 1
    except KeyboardInterrupt:
        _fault(args, "stopped")
        return 130
    except BrokenPipeError:
        _abandon_stdout()
        return 141
    except OSError as error:
        _abandon_stdout()
        _fault(args, f"the result cannot be written to stdout ({error.strerror or error})")
        return 1
    finally:
        if collecting:
            gc.enable()


def _abandon_stdout() -> None:
    """Keep the interpreter from trying to flush what nobody reads, at exit."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return
