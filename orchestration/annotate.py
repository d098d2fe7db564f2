"""`cotline annotate STAGE`: the annotation page, its judgements to and from files, and how far a stage has got."""

import hashlib
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from assets import agreement as agreeing
from assets import annotation, annotation_files, params
from assets.analysis.drawn.replies import SEPARATOR
from assets.annotation import Judgement, Log
from assets.comt import template
from assets.schema.sample import Sample
from orchestration import annotation_session as session
from orchestration.annotation_made import AnnotateError
from orchestration.annotation_tables import STAGES, entering, given, knobs, needed, open_pictures, own_log
from orchestration.printing import Column, as_table, counts, one_line

NAMED = tuple(dict.fromkeys((*STAGES["m3cot"], *STAGES["comt"])))
FORMS = ("jsonl", "csv", "label_studio")
PORT = 7860
_LISTED = 20

EPILOG = """\
stages of M3CoT, in the order of the chain:
  image_needed  is the picture needed to arrive at the rationale?   ScienceQA with pictures
  image_steps   do two steps or more need it?                       what image_needed left
  quality       is the rationale right? edit it step by step        what the whole chain made
  recheck       once more, all of it (--round 1, then --round 2)    what quality left
  audit         how multi-step are the sources themselves?          a draw of ScienceQA and TabMWP

stages of CoMT, with --benchmark comt:
  quality       does the question say all that its picture shows?   creation, whose question has no picture
  recheck       pictures and words in turn: do they hold? (1, 2)    all four tasks, with the questions as completed

of what models reply (--benchmark may be left out):
  picture_quality  how good are the pictures in it, 0 to 4?         a draw of each model's replies that hold one

examples:
  cotline annotate image_needed                      open the page in the browser, on this machine only
  cotline annotate recheck --round 2 --annotator ada
  cotline annotate quality --onboarding experts.jsonl
  cotline annotate image_needed --export csv judgements.csv
  cotline annotate image_needed --import label_studio export.json
  cotline annotate --list
  cotline annotate recheck --benchmark comt
  cotline annotate picture_quality --annotator ada

A judgement is on the disk as soon as it is given, a line of sources.m3cot_annotations.own/STAGE.jsonl (or of
sources.comt_annotations.own, or sources.picture_judgements.own); nothing in it is overwritten, and the page goes on
where it was left. Several people may judge at once. `dvc repro`, or `make repro`, takes the judgements in. On the page,
y n d judge (0 to 4 score), s shows the picture, Enter saves, ? tells the rest. A score counts when as many annotators
as analysis.picture_quality.agree says give it; how many replies are drawn, its per_task says.
"""


class Row(NamedTuple):
    """One line of `--list`: a stage and round, and how far its annotators have got; None where its table is missing."""

    stage: str
    round: int
    samples: int | None
    judged: int
    annotators: int
    pending: int | None
    kappa: float | None
    missing: str = ""


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of `cotline annotate`."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("stage", nargs="?", choices=NAMED, metavar="STAGE", help=", ".join(NAMED))
    parser.add_argument("--benchmark", choices=tuple(STAGES), default="m3cot", help="m3cot (default) or comt")
    parser.add_argument("--round", type=int, choices=(1, 2), help="of recheck: 1 or 2 (default 1)")
    parser.add_argument("--annotator", metavar="NAME", help="who judges; the page asks otherwise")
    parser.add_argument(
        "--onboarding", type=Path, metavar="FILE", help="test the annotator against experts' judgements"
    )
    parser.add_argument("--export", nargs=2, metavar=("FORM", "FILE"), help=f"write judgements: {', '.join(FORMS)}")
    parser.add_argument("--import", nargs=2, dest="taken", metavar=("FORM", "FILE"), help="add judgements from a file")
    parser.add_argument("--list", action="store_true", help="print how far each stage has got")
    parser.add_argument("--port", type=int, default=PORT, help=f"where to listen on 127.0.0.1 (default {PORT})")
    parser.add_argument("--no-browser", action="store_true", help="print the address and open nothing")


def run(arguments: Namespace) -> int:
    """`cotline annotate`: the exit status."""
    benchmark = "comt" if arguments.stage in session.SCORED else arguments.benchmark
    if arguments.list:
        sys.stdout.write(listing(progress(benchmark)))
        return 0
    stage = _stage(arguments.stage, benchmark)
    if arguments.round == 2 and stage != "recheck":
        raise AnnotateError(f"{stage} has one round: leave --round out")
    if arguments.export:
        form, file = arguments.export
        print(export(stage, form, Path(file), arguments.round, benchmark))
        return 0
    if arguments.taken:
        form, file = arguments.taken
        said, refused = take(stage, form, Path(file), arguments.round, benchmark)
        for line in refused:
            print(line, file=sys.stderr)
        print(said)
        return 0
    annotator = None if arguments.annotator is None else session.named(arguments.annotator)
    round = arguments.round or 1
    if arguments.onboarding:
        desk = onboarding_desk(stage, round, arguments.onboarding, benchmark)
    else:
        desk = own_desk(stage, round, benchmark)
    from orchestration import annotation_page

    return annotation_page.serve(
        desk,
        open_pictures(benchmark, stage),
        port=arguments.port,
        annotator=annotator,
        browser=not arguments.no_browser,
        notice=_notice(desk),
    )


def _stage(stage: str | None, benchmark: str) -> str:
    known = ", ".join(STAGES[benchmark])
    if stage is None:
        raise AnnotateError(f"name the stage to judge: {known} (or --list)")
    if stage not in STAGES[benchmark]:
        raise AnnotateError(f"{stage} is no stage of {benchmark}: judge {known}, or another benchmark")
    return stage


def own_desk(stage: str, round: int, benchmark: str = "m3cot") -> session.Desk:
    """The desk where a stage's samples are judged for the benchmark."""
    read = given(benchmark, stage)
    log = own_log(benchmark, stage)
    return session.Desk(
        stage,
        entering(benchmark, stage, round, read()),
        steps_profile=knobs(benchmark).steps,
        judgements=lambda _: read(),
        log=lambda _: log,
        round=round,
        needed=needed(benchmark, stage),
        benchmark=benchmark,
    )


def onboarding_desk(stage: str, round: int, experts: Path, benchmark: str = "m3cot") -> session.Desk:
    """The desk of an onboarding test, whose judgements are no annotations: they stay under var/onboarding.

    Raises:
        AnnotateError: the experts' file has no verdict on a sample of this stage.
    """
    read = given(benchmark, stage)
    reference = session.expected(annotation.read([(experts, experts.name)], "--onboarding"), stage, round)
    known = {sample.id or "": sample for sample in entering(benchmark, stage, round, read())}
    ids = session.onboarding_ids(reference, known)
    if not ids:
        raise AnnotateError(
            f"{experts.name}: has no agreed verdict on a sample that {stage} shows: name a file of experts' "
            f"judgements of {stage}, as JSON lines"
        )

    folder = params.ROOT / "var" / "onboarding"
    if benchmark != "m3cot":
        folder /= benchmark

    def log(annotator: str) -> Log:
        return Log(folder / f"onboarding-{file_name(annotator)}.jsonl")

    return session.Desk(
        stage,
        [known[key] for key in ids],
        steps_profile=knobs(benchmark).steps,
        judgements=lambda annotator: log(annotator).judgements(),
        log=log,
        round=round,
        reference={key: reference[key] for key in ids},
        benchmark=benchmark,
    )


def file_name(annotator: str) -> str:
    """A name for the annotator's file that leads nowhere else and is nobody else's."""
    name = quote(annotator, safe=" ").replace(".", "%2E")
    return name if len(name) <= 100 else f"{name[:60]}-{hashlib.sha256(annotator.encode()).hexdigest()[:16]}"


def export(stage: str, form: str, file: Path, round: int | None = None, benchmark: str = "m3cot") -> str:
    """Write the stage's judgements, recorded and own, to `file`; what was written comes out.

    Raises:
        AnnotationError: the form is none, or the file cannot be written.
    """
    rows = [row for row in given(benchmark, stage)() if row.stage == stage and round in (None, row.round)]
    texts: dict[str, dict[str, object]] = {}
    if form == "label_studio":
        for each in annotation.ROUNDS[stage]:
            texts |= {sample.id or "": _text(sample) for sample in _known(benchmark, stage, each, rows)}
    text = annotation_files.exported(rows, form, texts)
    try:
        annotation_files.write(file, text)
    except OSError as error:
        raise AnnotateError(f"{file}: cannot be written ({error.strerror}): name another file") from None
    again = sum(row.dropped == "superseded" for row in rows)
    return f"{file}: {len(rows) - again} judgements of {stage}, and {again} that were judged again"


def take(
    stage: str, form: str, file: Path, round: int | None = None, benchmark: str = "m3cot"
) -> tuple[str, list[str]]:
    """Add the judgements in `file` to the stage's own log; what was added, and a line for each that was refused.

    Of what the file says twice the later counts, and what is known already is not added again.

    Raises:
        AnnotationError: the form is none, the file cannot be read, or the log not be written.
        SourceError: the same of JSON lines.
    """
    rows = annotation_files.imported(file, form)
    before = given(benchmark, stage)()
    known = {row.turn: annotation.to_record(row) for row in before if row.dropped is None}
    profile = knobs(benchmark).steps
    shown = {sample.id: sample for sample in _known(benchmark, stage, 1, before)}
    log, refused, told = own_log(benchmark, stage), Counter[str](), []
    added = 0
    for row in rows:
        reason = row.dropped or _refusal(row, stage, round, shown.get(row.sample_id), profile, benchmark)
        record = annotation.to_record(row)
        if reason is None and known.get(row.turn) == record:
            reason = "known_already"
        if reason is None:
            log.append(record)
            added += 1
            continue
        refused[reason] += 1
        line = row.quarantined[1] if row.quarantined else None
        who = one_line(f"{row.sample_id} by {row.annotator}") if row.sample_id else ""
        told.append("  " + ":".join([file.name, *([str(line)] if line else []), f" {reason}"]) + f" {who}".rstrip())
    lines = told[:_LISTED] + ([f"  … and {len(told) - _LISTED} more"] if len(told) > _LISTED else [])
    said = f"{file}: {added} judgements added to {log.path.name}"
    return said + (f", {sum(refused.values())} not: {counts(dict(sorted(refused.items())))}" if refused else ""), lines


def progress(benchmark: str = "m3cot") -> list[Row]:
    """How far every stage and round of the benchmark has got."""
    rows, of_samples = [], given(benchmark)()
    for stage in STAGES[benchmark]:
        for round in annotation.ROUNDS[stage]:
            ids: Collection[str] | None = None
            read, missing = of_samples, ""
            try:
                if stage in session.SCORED:
                    read = given(benchmark, stage)()
                ids = {sample.id or "" for sample in entering(benchmark, stage, round, read)}
            except AnnotateError as error:
                missing = str(error)
            said = annotation.by_sample(read, stage, round)
            mine = {key: each for key, each in said.items() if ids is None or key in ids}
            enough = needed(benchmark, stage)
            decided = sum(session.is_decided(stage, each, enough) for each in mine.values())
            flat = [row for each in mine.values() for row in each]
            kappas = [row.kappa for row in agreeing.agreement(flat) if row.measure == "fleiss"]
            rows.append(
                Row(
                    stage,
                    round,
                    None if ids is None else len(ids),
                    len(mine),
                    len({row.annotator for row in flat}),
                    None if ids is None else len(ids) - decided,
                    kappas[0] if kappas else None,
                    missing,
                )
            )
    return rows


def listing(rows: Sequence[Row]) -> str:
    """The rows as a table, and below it what has to be made first."""

    def number(name: str) -> Callable[..., str]:
        return lambda row: "-" if row[name] is None else str(row[name])

    columns = [
        Column("stage", lambda row: row["stage"], right=False),
        *(Column(name, number(name)) for name in ("round", "samples", "judged", "annotators", "pending")),
        Column("kappa", lambda row: "n/a" if row["kappa"] is None else f"{row['kappa']:.2f}"),
    ]
    missing = dict.fromkeys(row.missing for row in rows if row.missing)
    return as_table([row._asdict() for row in rows], columns) + "".join(f"{line}\n" for line in missing)


def _notice(desk: session.Desk) -> str:
    if desk.reference is None or len(desk.samples) >= session.ONBOARDING_SAMPLES:
        return ""
    return f"onboarding: {len(desk.samples)} samples have an agreed verdict; the paper's test takes 100"


def _known(benchmark: str, stage: str, round: int, judgements: Sequence[Judgement]) -> list[Sample]:
    """The samples of a stage, or none where its table is missing: what is nice to have of them can be left out."""
    try:
        return entering(benchmark, stage, round, judgements)
    except AnnotateError:
        return []


def _text(sample: Sample) -> dict[str, object]:
    has_pictures = sample.benchmark == "comt" or any(part.kind == "image" for part in sample.rationale or ())
    return {
        "question": sample.question,
        "context": sample.context,
        "choices": list(sample.choices or ()),
        "answer": sample.answer,
        "rationale": template.written(sample.rationale or ()) if has_pictures else sample.text,
    }


def _refusal(
    row: Judgement, stage: str, round: int | None, sample: Sample | None, profile: str, benchmark: str
) -> str | None:
    """Why a judgement that can be read is not for this stage, or would stop the chain."""
    if row.stage != stage:
        return "another_stage"
    if round not in (None, row.round):
        return "another_round"
    if stage in session.SCORED and SEPARATOR not in str(row.sample_id):
        return "names_no_reply"
    if sample is not None and row.edits and row.verdict == "accept":
        try:
            session.check_edits(benchmark, sample, row.edits, profile)
        except annotation.AnnotationError:
            return "edits_of_no_step" if benchmark == "m3cot" else "edits_do_not_fit"
    return None
