"""Audits of what scoring rests on: how replies were read, which labels are in doubt, what the models agree on."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import dagster as dg
import pyarrow as pa

from assets import params, samples
from assets.analysis import figures
from assets.analysis.audit import consensus as agreeing
from assets.analysis.audit import (
    consensus_figure,
    extraction_figure,
    gaps_figure,
    items_figure,
    label_audit_figure,
    votes,
)
from assets.analysis.audit import disagreements as differing
from assets.analysis.audit import extraction as deciding
from assets.analysis.audit import gaps as explaining
from assets.analysis.audit import items as judging
from assets.analysis.audit import label_audit as auditing
from assets.analysis.audit import readings as reading
from assets.asset import asset, shown
from assets.evaluation import stored
from assets.evaluation.defs import KINDS, PREDICTIONS, SAMPLES, evaluations, predictions_of, samples_of
from assets.evaluation.rows import Item, Reply
from assets.schema.faults import Fault
from assets.schema.tables import as_table

ANSWERS = {"answers": dg.AssetIn(key=["evaluation", "answers"])}


def _replies(tables: Mapping[str, Any]) -> dict[str, list[Reply]]:
    known, found = evaluations(), predictions_of(tables)
    if gone := sorted(found.keys() - known.keys()):
        raise Fault(f"there are replies of {', '.join(gone)}, which params.yaml has not: reload the definitions")
    return {name: stored.replies(table) for name, table in sorted(found.items())}


def _readings(answers: pa.Table, tables: Mapping[str, Any]) -> dict[str, reading.Readings]:
    asked = evaluations()
    items = stored.items_by_evaluation(samples_of(tables), asked)
    replies = _replies(tables)
    return {
        name: reading.readings(found, replies.get(name, []), items[name], evaluation=name)
        for name, found in stored.answers_by_evaluation(answers, asked).items()
    }


def _ballots(answers: pa.Table, tables: Mapping[str, Any]) -> dict[votes.Split, votes.Ballot]:
    """The answers as votes; guessing, and one letter for every sample, have none."""
    settings, known = params.load(), evaluations()
    asked = {
        name: votes.Asked(one.model, known[name].asked)
        for name, one in settings.evaluations.items()
        if settings.models[one.model].kind != "baseline"
    }
    items: dict[votes.Split, dict[str, Item]] = stored.items_of_all(samples_of(tables))
    return votes.ballots(stored.answers_by_evaluation(answers, known), asked, items)


def _counts(table: pa.Table, column: str) -> dict[str, int]:
    return dict(sorted(Counter(table[column].to_pylist()).items()))


@asset(
    group="analysis", table="decision", step=[deciding, stored], params=["evaluations"], ins=ANSWERS, kinds=["table"]
)
def extraction(answers: pa.Table) -> dg.Output[pa.Table]:
    """Which rule of which extractor decided how many replies, and how many of them rightly."""
    table = as_table("decision", deciding.decisions(stored.answers_by_evaluation(answers, evaluations())))
    return dg.Output(table, metadata={"figure": shown(figures.png(extraction_figure.draw(table.to_pylist())))})


@asset(
    group="analysis",
    table="disagreement",
    step=[differing, reading, stored],
    params=["evaluations", *KINDS],
    ins={**ANSWERS, **SAMPLES, **PREDICTIONS},
    kinds=["table"],
)
def disagreements(answers: pa.Table, **tables: Any) -> dg.Output[pa.Table]:
    """Every reply from which the two extractors read different letters, with what it looks like."""
    table = as_table("disagreement", differing.disagreements(_readings(answers, tables)))
    return dg.Output(table, metadata={"evaluation": _counts(table, "evaluation"), "shape": _counts(table, "shape")})


@asset(
    group="analysis",
    table="gap",
    step=[explaining, reading, stored],
    params=["evaluations", *KINDS],
    ins={**ANSWERS, **SAMPLES, **PREDICTIONS},
    kinds=["table"],
)
def gaps(answers: pa.Table, **tables: Any) -> dg.Output[pa.Table]:
    """Why each evaluation's accuracy differs between the extractors, in sentences that can be checked."""
    table = as_table("gap", explaining.gaps(_readings(answers, tables)))
    rows = table.to_pylist()
    return dg.Output(
        table,
        metadata={
            "figure": shown(figures.png(gaps_figure.draw(rows))),
            "sentences": {row["evaluation"]: row["sentence"] for row in rows if row["shape"] == explaining.TOTAL},
        },
    )


@asset(
    group="analysis",
    table="finding",
    step=[auditing, samples, stored],
    params=["evaluations", *KINDS],
    ins={**SAMPLES, **PREDICTIONS},
    kinds=["table"],
)
def label_audit(**tables: Any) -> dg.Output[pa.Table]:
    """What speaks against a recorded label: rationales, options, and the records of replies."""
    by_edition = {edition: samples.of_table(table) for edition, table in samples_of(tables).items()}
    asked = {name: one.asked for name, one in evaluations().items()}
    table = as_table("finding", auditing.findings(by_edition, _replies(tables), asked))
    return dg.Output(
        table,
        metadata={
            "figure": shown(figures.png(label_audit_figure.draw(table.to_pylist()))),
            "finding": _counts(table, "finding"),
        },
    )


@asset(
    group="analysis",
    table="item",
    step=[judging, votes, stored],
    params=["evaluations", *KINDS],
    ins={**ANSWERS, **SAMPLES},
    kinds=["table"],
)
def items(answers: pa.Table, **tables: Any) -> dg.Output[pa.Table]:
    """How hard each sample is for the models, how well it tells good ones from bad ones, and what they agree on."""
    table = as_table("item", judging.items(_ballots(answers, tables)))
    rows = table.to_pylist()
    return dg.Output(
        table,
        metadata={
            "figure": shown(figures.png(items_figure.draw(rows))),
            "nobody_has_it_right": sum(row["evaluations"] > 0 and row["correct"] == 0 for row in rows),
            "discrimination_below_0": sum((row["discrimination"] or 0) < 0 for row in rows),
        },
    )


@asset(
    group="analysis",
    table="suspect",
    step=[agreeing, votes, stored],
    params=["evaluations", *KINDS],
    ins={**ANSWERS, **SAMPLES},
    kinds=["table"],
)
def consensus(answers: pa.Table, **tables: Any) -> dg.Output[pa.Table]:
    """Samples whose models agree on another letter than the label, those first where that is least likely by chance."""
    questions: dict[votes.Split, dict[str, str]] = {}
    for edition, table in samples_of(tables).items():
        for row in table.select(["id", "split", "question", "dropped"]).to_pylist():
            if row["dropped"] is None:
                questions.setdefault((*edition, row["split"]), {})[row["id"]] = row["question"] or ""
    found = as_table("suspect", agreeing.suspects(_ballots(answers, tables), questions))
    return dg.Output(
        found,
        metadata={
            "figure": shown(figures.png(consensus_figure.draw(found.to_pylist()))),
            "suspects": found.num_rows,
            "first": [row["sample_id"] for row in consensus_figure.first(found.to_pylist())],
        },
    )
