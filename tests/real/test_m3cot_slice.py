"""The slice of real sources through the whole construction: what comes in, what goes on, and why the rest does not.

What is drawn here (MATH's cards, tangrams, maps) has made-up ids and made-up pixels: drawing all of it takes minutes.
Readers, votes and rules are tested one by one in the files beside this one; here they stand in their chain.
"""

import hashlib
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest

from assets import annotation, samples, steps
from assets.agreement import agreement
from assets.flow import Flow, of_stages
from assets.images import Pictures, once
from assets.m3cot import commonsense as clues
from assets.m3cot import duplicates, judged, letters, new_samples, rewrite
from assets.m3cot import thumbnails as thumbs
from assets.m3cot.mathematics import options
from assets.m3cot.mathematics import samples as maths
from assets.m3cot.science import maps, table_questions, tangram_questions
from assets.m3cot.split import split, targets
from assets.samples import LETTERS, Sample
from assets.schema.tables import as_table
from assets.sources import kilogram, math_problems, scienceqa, sherlock, tabmwp
from assets.writer import Rules
from expectations.m3cot import FOLLOWS
from expectations.suites import suite_of

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"

pytestmark = pytest.mark.skipif(not (DATA / "scienceqa").is_dir(), reason="the slice of source files is not here")

MAPS = 120
WEIGHTS = {"train": 7863, "validation": 1108, "test": 2358}
"""Source: arXiv:2405.16473, section 4."""

WRITER = Rules(
    {
        options.TASK: options.rule,
        clues.TASK: clues.rule,
        new_samples.TASK: new_samples.rule,
        rewrite.TASK: rewrite.rule,
    }
)


class Built(NamedTuple):
    """The tables by stage, the group of each sample of the benchmark, and its votes."""

    tables: dict[str, pa.Table]
    groups: dict[str, str]
    votes: list[annotation.Judgement]


@pytest.fixture(scope="module")
def stored() -> dict[str, Pictures]:
    modules = {"scienceqa": scienceqa, "tabmwp": tabmwp}
    return {name: Pictures.of(once(module.pictures(DATA / name))) for name, module in modules.items()}


def made_up(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def thumbnails(stored: dict[str, Pictures], rows: list[Sample]) -> dict[str, thumbs.Thumbnail]:
    """Those of the pictures that are there, and noise for those that were not drawn."""
    found: dict[str, thumbs.Thumbnail] = {}
    wanted = duplicates.wanted(rows)
    for pictures in stored.values():
        found |= thumbs.thumbnails(pictures, wanted.intersection(pictures.ids().values()))
    for image_id in wanted - set(found):
        grey = np.random.default_rng(int(image_id, 16)).integers(0, 256, (64, 64), dtype=np.uint8)
        found[image_id] = thumbs.Thumbnail(grey, int(image_id[:16], 16))
    return found


def read_sources(stored: dict[str, Pictures], votes: list[annotation.Judgement]) -> dict[str, pa.Table]:
    of_pictures = {
        name: module.samples(DATA / name, stored[name].ids(), stored[name].reasons(), provenance="released")
        for name, module in (("scienceqa", scienceqa), ("tabmwp", tabmwp))
    }
    return {
        "scienceqa": samples.to_table(of_pictures["scienceqa"]),
        "math": samples.to_table(math_problems.samples(DATA / "math", provenance="released")),
        "tabmwp": samples.to_table(of_pictures["tabmwp"]),
        "kilogram": as_table("tangram", kilogram.tangrams(DATA / "kilogram", provenance="released")),
        "sherlock": as_table("clue", sherlock.clues(DATA / "sherlock", {}, {}, provenance="released")),
        "scienceqa_images": stored["scienceqa"].index(),
        "tabmwp_images": stored["tabmwp"].index(),
        "m3cot_annotations": as_table("annotation", votes),
    }


def from_math(math: pa.Table) -> list[Sample]:
    entered = samples.kept(math)
    chosen = list(maths.selected(entered))
    drawn = {str(row.id): made_up(str(row.id)) for row in chosen if row.dropped is None}
    undrawn = {str(row.id): row.dropped for row in chosen if row.dropped is not None}
    replies = WRITER.write(options.requests([row for row in entered if row.id in drawn]))
    rows = maths.mathematics(entered, replies, drawn, undrawn, writer=WRITER.name)
    return judged.drop_short(rows, steps_profile="roscoe")


def from_sherlock(sherlock: pa.Table) -> list[Sample]:
    rows = [row for row in sherlock.to_pylist() if row["dropped"] is None]
    found, _ = clues.scenes(rows, least=3, most=5)
    replies = list(WRITER.write(clues.requests(found.values(), seed=3)))
    return clues.samples(rows, replies, least=3, most=5, writer=WRITER.name)


def for_sparse_topics(tables: pa.Table, tangrams: pa.Table) -> list[Sample]:
    drawn = [f"kilogram-{name}" for name in tangrams["id"].to_pylist()]
    drawn += [f"map-{number:04}" for number in range(1, MAPS + 1)]
    ids = {name: made_up(name) for name in drawn}
    rows = [
        *table_questions.samples(samples.kept(tables), seed=5),
        *tangram_questions.samples(tangrams, ids, seed=5),
        *maps.samples(MAPS, ids, seed=5),
    ]
    return judged.drop_short(rows, steps_profile="roscoe")


def build(stored: dict[str, Pictures]) -> Built:
    """The construction with the settings of the profile `slice`, step after step."""
    votes = list(annotation.read([(DATA / "annotations" / "scienceqa_first_votes.jsonl", "votes")]))
    sources = read_sources(stored, votes)
    made: dict[str, pa.Table] = {}

    def keep(name: str, rows: list[Sample]) -> list[Sample]:
        made[name] = samples.to_table(rows)
        return samples.kept(made[name])

    by_vote = {"pending": "accept", "needed": 2}
    first = keep("image_needed", judged.image_needed(samples.kept(sources["scienceqa"]), votes, **by_vote).samples)
    multistep = keep("multistep", judged.multistep(first, votes, steps_profile="roscoe", **by_vote).samples)
    asked = list(new_samples.requests(multistep, sparse=12, most=6, seed=5))
    written = new_samples.samples(multistep, asked, WRITER.write(asked), writer=WRITER.name)
    entered = [
        *multistep,
        *keep("mathematics", from_math(sources["math"])),
        *keep("commonsense", from_sherlock(sources["sherlock"])),
        *keep("science", for_sparse_topics(sources["tabmwp"], sources["kilogram"])),
        *keep("synthesis", written),
    ]
    balanced = keep("balanced", letters.balanced(entered, seed=2))
    anew = rewrite.rewritten(balanced, WRITER.write(rewrite.requests(balanced)), writer=WRITER.name)
    rewritten = keep("rewritten", anew.samples)
    once_each = keep("deduplicated", duplicates.deduplicate(rewritten, thumbnails(stored, rewritten)))
    quality = judged.quality(once_each, votes, steps_profile="roscoe", pending="accept")
    rechecked = keep("rechecked", judged.recheck(keep("annotated", quality.samples), votes, **by_vote).samples)
    groups = duplicates.groups(rechecked, thumbnails(stored, rechecked))
    keep("benchmark", split(rechecked, groups, WEIGHTS, seed=1))
    stages = {f"sources/{name}": table for name, table in sources.items()}
    return Built(stages | {f"m3cot/{name}": table for name, table in made.items()}, groups, votes)


@pytest.fixture(scope="module")
def built(stored: dict[str, Pictures]) -> Built:
    return build(stored)


@pytest.fixture(scope="module")
def flow(built: Built) -> dict[tuple[str, str], Flow]:
    made_here = (("m3cot/science", "map"), ("m3cot/synthesis", "synthesis"))
    return {(row.stage, row.source): row for row in of_stages(built.tables, made_here)}


@pytest.fixture(scope="module")
def benchmark(built: Built) -> list[Sample]:
    return samples.kept(built.tables["m3cot/benchmark"])


def faults(asset: str, table: pa.Table) -> list[str]:
    """What the rules of an asset's suite say against a table, warnings left out."""
    checks = [check for check in suite_of(asset).checks if check.severity == "error" and check.name in check.derived]
    return [text for check in checks for text in check.derived[check.name](table).to_pylist() if text is not None]


# What came into a stage, what it made, what goes on, and the reasons of the rest.
COUNTED = {
    ("sources/scienceqa", "scienceqa"): (1773, 0, 1061, {"missing_picture": 712}),
    ("sources/math", "math"): (1274, 0, 1274, {}),
    ("sources/tabmwp", "tabmwp"): (700, 0, 700, {}),
    ("sources/kilogram", "kilogram"): (1013, 0, 1013, {}),
    ("sources/sherlock", "sherlock"): (1, 0, 0, {"no_clue": 1}),
    ("sources/scienceqa_images", "scienceqa_images"): (238, 0, 230, {"same_pixels": 8}),
    ("sources/tabmwp_images", "tabmwp_images"): (700, 0, 699, {"same_pixels": 1}),
    ("sources/m3cot_annotations", "votes"): (657, 0, 657, {}),
    ("m3cot/image_needed", "scienceqa"): (
        1061,
        0,
        68,
        {"choice_images_only": 11, "image_not_needed": 99, "no_image": 883},
    ),
    ("m3cot/multistep", "scienceqa"): (68, 0, 26, {"too_few_image_steps": 24, "too_few_steps": 18}),
    ("m3cot/mathematics", "math"): (
        1274,
        0,
        821,
        {"answer_is_a_letter": 15, "no_formula_or_figure": 304, "too_few_steps": 134},
    ),
    ("m3cot/science", "tabmwp"): (700, 0, 668, {"too_few_steps": 32}),
    ("m3cot/science", "kilogram"): (1013, 0, 74, {"no_description": 939}),
    ("m3cot/science", "map"): (0, MAPS, MAPS, {}),
    ("m3cot/synthesis", "synthesis"): (0, 14, 8, {"sample_refused": 6}),
}
KEPT = {"scienceqa": 26, "math": 821, "tabmwp": 668, "kilogram": 74, "map": 120, "synthesis": 8}


def test_every_stage_accounts_for_what_came_in(flow: dict[tuple[str, str], Flow]) -> None:
    found = {key: (row.entered, row.generated, row.retained, row.reasons) for key, row in flow.items()}
    later = ("balanced", "rewritten", "deduplicated", "annotated", "rechecked", "benchmark")
    expected = {(f"m3cot/{stage}", source): (n, 0, n, {}) for stage in later for source, n in KEPT.items()}
    assert found == COUNTED | expected


def test_what_comes_in_goes_on_is_discarded_or_quarantined(flow: dict[tuple[str, str], Flow]) -> None:
    for row in flow.values():
        assert row.entered + row.generated == row.retained + row.discarded + row.quarantined, row
    aside = {key: row.quarantined for key, row in flow.items() if row.quarantined}
    assert aside == {("sources/scienceqa", "scienceqa"): 712, ("sources/sherlock", "sherlock"): 1}


def test_stages_follow_each_other_and_a_lost_row_is_seen(flow: dict[tuple[str, str], Flow]) -> None:
    assert {stage for stage, _ in flow} >= set(FOLLOWS) - {"m3cot/commonsense"}
    assert faults("m3cot/flow", as_table("flow", flow.values())) == []
    lost = flow["m3cot/rechecked", "math"]
    short = lost._replace(entered=820, retained=820)
    found = faults("m3cot/flow", as_table("flow", [short if row == lost else row for row in flow.values()]))
    assert [text.partition(" were")[0] for text in found] == ["m3cot/rechecked math: 821", "m3cot/benchmark math: 820"]


def test_no_rule_of_a_stages_suite_finds_a_fault(built: Built) -> None:
    whole = {stage: table for stage, table in built.tables.items() if not stage.endswith("_images")}
    assert {stage: found for stage, table in whole.items() if (found := faults(stage, table))} == {}


def test_of_167_voted_problems_68_50_and_26_are_left_and_the_others_have_no_picture(built: Built) -> None:
    """The paper keeps at most 70 % of its problems with a picture in the first vote; here it is 41 %."""
    first = samples.of_table(built.tables["m3cot/image_needed"])
    voted = {vote.sample_id for vote in built.votes}
    assert {row.id for row in first if row.images} == voted
    assert sum(row.dropped is None for row in first if row.id in voted) == 68
    second = samples.of_table(built.tables["m3cot/multistep"])
    assert Counter(row.dropped for row in second) == {None: 26, "too_few_image_steps": 24, "too_few_steps": 18}
    assert sum(row.dropped != "too_few_steps" for row in second) == 50


def test_the_annotators_go_by_the_names_of_models_and_no_sample_says_a_person_changed_it(
    built: Built, benchmark: list[Sample]
) -> None:
    names = {vote.annotator for vote in built.votes}
    assert names == {"model-a", "model-b", "model-c"}
    assert {name for row in agreement(built.votes) for name in (row.a, row.b)} == names | {None}
    assert not any("annotator" in row.provenance or "person" in row.provenance for row in benchmark)


def test_every_sample_of_the_benchmark_has_a_question_that_can_be_answered(benchmark: list[Sample]) -> None:
    assert len(benchmark) == sum(KEPT.values()) == 1717
    for row in benchmark:
        choices = row.choices or ()
        assert row.question and row.question.strip(), row.id
        assert 2 <= len(set(choices)) == len(choices) <= 6, row
        assert row.answer in LETTERS[: len(choices)], row
        assert row.images, row
        assert len(steps.segment(row.text, "roscoe")) >= 2, row
        assert row.domain and row.topic and row.subtopic and row.category, row


def test_letters_are_even_among_samples_with_equally_many_options(benchmark: list[Sample]) -> None:
    of_four = Counter(row.answer for row in benchmark if len(row.choices or ()) == 4)
    assert sum(of_four.values()) > 1_000
    assert max(of_four.values()) - min(of_four.values()) <= 1


def test_splits_have_the_papers_proportions_within_the_weight_of_one_group(
    built: Built, benchmark: list[Sample]
) -> None:
    whole = targets(len(benchmark), WEIGHTS)
    assert whole == {"train": 1192, "validation": 168, "test": 357}
    found = Counter(row.split for row in benchmark)
    largest = max(Counter(built.groups.values()).values())
    assert set(found) == set(whole)
    assert all(abs(found[name] - n) < largest for name, n in whole.items()), (found, largest)


def test_no_picture_stands_in_two_splits(benchmark: list[Sample]) -> None:
    places: dict[str, set[str | None]] = {}
    shared = Counter(image_id for row in benchmark for image_id in row.images or ())
    for row in benchmark:
        for image_id in (*(row.images or ()), *(row.choice_images or ())):
            places.setdefault(image_id, set()).add(row.split)
    assert max(shared.values()) > 1
    assert {image_id: splits for image_id, splits in places.items() if len(splits) > 1} == {}


def test_a_second_build_gives_equal_tables(stored: dict[str, Pictures], built: Built) -> None:
    again = build(stored).tables
    assert list(again) == list(built.tables)
    assert [stage for stage, table in again.items() if not table.equals(built.tables[stage])] == []
