"""What must hold of the tables that score rationales: ROSCOE, pictures, quality, coverage, people's judgements."""

import pyarrow as pa
import pyarrow.compute as pc

from assets.analysis.pictures.clip_score import WEIGHT
from assets.schema.analysis_vocabulary import (
    JUDGED_QUESTIONS,
    NO_MODEL,
    PICTURE_MEASURES,
    ROSCOE_GROUPS,
    ROSCOE_MODES,
    ROSCOE_SCORES,
)
from assets.schema.vocabulary import BENCHMARKS, DOMAINS, EDITIONS, TASKS, TOPICS
from expectations.analysis_roscoe import ROSCOE
from expectations.common.rules import no_negatives, unique_together, values_in
from expectations.common.suite import Derive, Suite, both, build, either, faults, placed, rule

SUITES: dict[str, Suite] = {}


_QUALITY = "{evaluation} {mode} {measure}, {scope} {name}"
_COVERAGE = "{collection}, {scope} {name}"
_JUDGED = "{dataset} {mode} {score}, {question}"
_GROUP_OF = {score: group for group, scores in ROSCOE_GROUPS.items() for score in scores}
_GROUP_OF |= dict.fromkeys(PICTURE_MEASURES, "picture_alignment")
_NAMES = {"total": ("total",), "topic": TOPICS, "task": TASKS, "domain": DOMAINS}


def _misplaced_measure(table: pa.Table) -> pa.Array:
    texts = {}
    for place, row in enumerate(table.select(["mode", "group", "measure", "scope", "name"]).to_pylist()):
        of_pictures = row["measure"] in PICTURE_MEASURES
        belongs = _GROUP_OF.get(row["measure"]) == row["group"] and of_pictures == (row["mode"] == "picture")
        if not belongs or row["name"] not in _NAMES.get(row["scope"], (row["name"],)):
            texts[place] = "{mode} {group} {measure}, {scope} {name}".format(**row)
    return placed(table, texts)


def _mean_misplaced(table: pa.Table) -> pa.Array:
    valued = pc.greater(table["n"], 0)
    wrong = either(
        pc.not_equal(valued, pc.is_valid(table["mean"])),
        pc.equal(valued, pc.is_valid(table["why"])),
        both(pc.not_equal(table["mode"], "picture"), either(pc.less(table["mean"], 0), pc.greater(table["mean"], 1))),
    )
    return faults(table, wrong, f"{_QUALITY}: mean {{mean}}, n {{n}}, why {{why}}")


def _outside_interval(table: pa.Table) -> pa.Array:
    wrong = either(
        pc.not_equal(pc.is_valid(table["low"]), pc.is_valid(table["high"])),
        both(pc.is_valid(table["low"]), pc.less(table["n"], 2)),
        pc.greater(table["low"], table["mean"]),
        pc.less(table["high"], table["mean"]),
    )
    return faults(table, wrong, f"{_QUALITY}: mean {{mean}} ({{low}} to {{high}}), n {{n}}")


def _accuracy_misplaced(table: pa.Table) -> pa.Array:
    wrong = either(
        pc.not_equal(pc.greater(table["accuracy_n"], 0), pc.is_valid(table["accuracy"])),
        pc.less(table["accuracy"], 0),
        pc.greater(table["accuracy"], 1),
    )
    return faults(table, wrong, f"{_QUALITY}: accuracy {{accuracy}} of {{accuracy_n}}")


def _more_in_parts(keys: tuple[str, ...], counts: tuple[str, ...], part: str, key: str, *, all_of_it: bool) -> Derive:
    """A derived column: the total rows whose parts hold more together, or not all of it, and parts without a total."""

    def derived(table: pa.Table) -> pa.Array:
        rows = table.select([*keys, part, *counts]).to_pylist()
        sums: dict[tuple[str, ...], list[int]] = {}
        totals = {tuple(row[name] for name in keys) for row in rows if row[part] == "total"}
        for row in rows:
            if row[part] != "total":
                of = sums.setdefault(tuple(row[name] for name in keys), [0] * len(counts))
                sums[tuple(row[name] for name in keys)] = [
                    n + (row[name] or 0) for n, name in zip(of, counts, strict=True)
                ]
        texts = {}
        for place, row in enumerate(rows):
            named = tuple(row[name] for name in keys)
            whole, parts = [row[name] or 0 for name in counts], sums.get(named)
            apart = (
                row[part] == "total"
                and parts is not None
                and (whole != parts if all_of_it else any(n > of for n, of in zip(parts, whole, strict=True)))
            )
            if apart or named not in totals:
                texts[place] = f"{key.format(**row)}: {whole} in all, {parts} in its parts"
        return placed(table, texts)

    return derived


def _out_of_space(table: pa.Table) -> pa.Array:
    most = pc.subtract(table["n"], 1)
    wrong = either(
        pc.less(table["spread"], -0.0001),
        pc.greater(table["spread"], 2.0001),
        pc.less(table["dimensions"], 0.9999),
        pc.greater(table["dimensions"], pc.add(pc.cast(most, pa.float64()), 0.0001)),
        pc.less(table["area"], 0),
        pc.less(table["overlap"], 0),
        pc.greater(table["overlap"], 1),
    )
    shown = ", ".join(f"{name} {{{name}}}" for name in ("n", "spread", "dimensions", "area", "overlap"))
    return faults(table, wrong, f"{_COVERAGE}: {shown}")


def _too_few_measured(table: pa.Table) -> pa.Array:
    wrong = either(
        pc.not_equal(pc.greater(table["n"], 1), pc.is_valid(table["spread"])),
        both(pc.is_valid(table["area"]), pc.less(table["n"], 3)),
        both(pc.is_valid(table["overlap"]), pc.less(table["n"], 1)),
    )
    return faults(table, wrong, f"{_COVERAGE}: n {{n}}, spread {{spread}}, area {{area}}, overlap {{overlap}}")


def _drawn_of_fewer(table: pa.Table) -> pa.Array:
    wrong = either(pc.less(table["n"], 0), pc.greater(table["n"], table["of"]))
    return faults(table, wrong, f"{_COVERAGE}: n {{n}} of {{of}}")


def _beyond_somers(table: pa.Table) -> pa.Array:
    wrong = either(
        pc.greater(pc.abs(table["somers_d"]), 1),
        pc.less(table["p"], 0),
        pc.greater(table["p"], 1),
        both(pc.is_valid(table["somers_d"]), pc.less(table["n"], 2)),
    )
    return faults(table, wrong, f"{_JUDGED}: D {{somers_d}}, p {{p}}, n {{n}}")


def _somers_misplaced(table: pa.Table) -> pa.Array:
    there = pc.is_valid(table["somers_d"])
    wrong = either(pc.not_equal(there, pc.is_valid(table["p"])), pc.equal(there, pc.is_valid(table["why"])))
    return faults(table, wrong, f"{_JUDGED}: D {{somers_d}}, p {{p}}, why {{why}}")


SUITES |= {
    suite.asset: suite
    for suite in (
        build(
            "analysis/quality",
            "quality",
            (
                values_in("benchmark_is_known", "benchmark", BENCHMARKS, "The benchmark is m3cot or comt."),
                values_in("edition_is_known", "edition", EDITIONS, "The edition is released or built."),
                values_in("mode_is_known", "mode", (*ROSCOE_MODES, "picture"), "The mode is a declared one."),
                values_in("scope_is_known", "scope", ("total", "topic", "task"), "The scope is total, topic or task."),
                unique_together(
                    "measured_once",
                    ("evaluation", "mode", "measure", "scope", "name"),
                    "A measure of an evaluation stands once by mode, scope and name.",
                ),
                no_negatives(_QUALITY, ("n", "undefined", "accuracy_n")),
                rule("measure_is_of_its_group", _misplaced_measure, "Measure, group and mode, scope and name fit."),
                rule(
                    "mean_iff_values",
                    _mean_misplaced,
                    "There is a mean where there are values, within [0, 1] for ROSCOE, and elsewhere the reason.",
                ),
                rule("interval_holds_mean", _outside_interval, "An interval holds its mean, of two values or more."),
                rule("accuracy_iff_samples", _accuracy_misplaced, "An accuracy is a fraction of counted samples."),
                rule(
                    "parts_within_total",
                    _more_in_parts(
                        ("evaluation", "mode", "measure"),
                        ("n", "undefined"),
                        "name",
                        "{evaluation} {mode} {measure}, {name}",
                        all_of_it=False,
                    ),
                    "Topics or tasks stand beside a total and have no more replies together than it has.",
                ),
            ),
            least_rows=0,
        ),
        build(
            "analysis/coverage",
            "coverage",
            (
                values_in("scope_is_known", "scope", ("total", "domain", "task"), "The scope is a declared one."),
                unique_together(
                    "measured_once", ("collection", "scope", "name"), "A collection stands once by scope and name."
                ),
                rule("drawn_of_what_there_is", _drawn_of_fewer, "No more rationales are drawn than there are."),
                rule("measures_are_possible", _out_of_space, "Each measure lies in its range."),
                rule("measured_where_possible", _too_few_measured, "A measure stands where n is large enough for it."),
                rule(
                    "parts_within_total",
                    _more_in_parts(("collection",), ("n", "of"), "name", "{collection} {name}", all_of_it=False),
                    "Domains or tasks stand beside a total and have no more rationales together than it has.",
                ),
            ),
        ),
        build(
            "analysis/judged",
            "judged_score",
            (
                values_in("mode_is_known", "mode", ROSCOE_MODES, "The mode is reference or sane."),
                values_in("score_is_known", "score", ROSCOE_SCORES, "The score is one of ROSCOE's."),
                values_in("question_is_known", "question", JUDGED_QUESTIONS, "The question is a declared one."),
                unique_together(
                    "compared_once",
                    ("dataset", "mode", "score", "question"),
                    "A score is compared once with a question by dataset and mode.",
                ),
                no_negatives(_JUDGED, ("n", "undefined")),
                rule("somers_d_is_possible", _beyond_somers, "D lies in [-1, 1], p in [0, 1], of two chains or more."),
                rule("somers_d_or_why", _somers_misplaced, "Where there is no D there is no p either, and the reason."),
                rule(
                    "total_is_of_all",
                    _more_in_parts(
                        ("mode", "score", "question"),
                        ("n", "undefined"),
                        "dataset",
                        "{dataset} {mode} {score}, {question}",
                        all_of_it=True,
                    ),
                    "The chains of the datasets come to those of the total.",
                ),
            ),
        ),
    )
}

_ALIGNED = "{evaluation} {sample_id} {measure}"


def _misaligned(table: pa.Table) -> pa.Array:
    """Replies that have not one row a measure, or rows that disagree about the reply."""
    keys = list(zip(table["evaluation"].to_pylist(), table["sample_id"].to_pylist(), strict=True))
    said = list(zip(table["steps"].to_pylist(), table["model"].to_pylist(), strict=True))
    rows: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for key, one in zip(keys, said, strict=True):
        rows.setdefault(key, []).append(one)
    wrong = pa.array([len(rows[key]) != len(PICTURE_MEASURES) or len(set(rows[key])) > 1 for key in keys], pa.bool_())
    return faults(table, wrong, f"{_ALIGNED}: steps {{steps}}, model {{model}}, or a measure too few or too many")


def _unaligned(table: pa.Table) -> pa.Array:
    comparable = both(
        pc.not_equal(table["model"], NO_MODEL), pc.greater(table["pictures"], 0), pc.greater(table["steps"], 0)
    )
    wrong = pc.not_equal(comparable, pc.is_valid(table["value"]))
    text = f"{_ALIGNED}: value {{value}}, pictures {{pictures}}, steps {{steps}}, model {{model}}"
    return faults(table, wrong, text)


def _beyond_measure(table: pa.Table) -> pa.Array:
    is_score = pc.equal(table["measure"], "clip_score")
    most = pc.if_else(is_score, WEIGHT, pc.cast(table["steps"], pa.float64()))
    broken = both(pc.invert(is_score), pc.not_equal(table["value"], pc.round(table["value"])))
    wrong = either(pc.less(table["value"], 0), pc.greater(table["value"], most), broken)
    return faults(table, wrong, f"{_ALIGNED}: value {{value}}, steps {{steps}}")


def _cut_too_often(table: pa.Table) -> pa.Array:
    texts = pc.if_else(pc.equal(table["measure"], "clip_score"), 1, table["steps"])
    wrong = pc.greater(table["truncated"], pc.if_else(pc.is_valid(table["value"]), texts, 0))
    return faults(table, wrong, f"{_ALIGNED}: truncated {{truncated}}, steps {{steps}}, value {{value}}")


def _another_model(table: pa.Table) -> pa.Array:
    first = table["model"][0] if table.num_rows else None
    return faults(table, pc.not_equal(table["model"], first), f"{_ALIGNED}: model {{model}}")


ALIGNMENT = build(
    "analysis/alignment",
    "alignment",
    (
        values_in("measure_is_known", "measure", PICTURE_MEASURES, "The measure is a declared one."),
        unique_together("measured_once", ("evaluation", "sample_id", "measure"), "A reply has each measure once."),
        no_negatives(_ALIGNED, ("pictures", "excluded", "steps", "truncated")),
        rule("every_measure_of_a_reply", _misaligned, "A reply has a row a measure, with the same steps and model."),
        rule(
            "value_where_compared",
            _unaligned,
            "There is a value exactly where there are a model, a picture and a step.",
        ),
        rule(
            "value_is_within",
            _beyond_measure,
            "CLIPScore lies within [0, 2.5]; interaction steps are a whole number of the reply's steps.",
        ),
        rule("truncated_are_of_the_reply", _cut_too_often, "No more texts were cut than were compared."),
        rule("one_model", _another_model, "Every reply was compared by the same model, or by none."),
    ),
    least_rows=0,
)
SUITES[ALIGNMENT.asset] = ALIGNMENT
SUITES[ROSCOE.asset] = ROSCOE
