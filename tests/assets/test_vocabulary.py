"""`assets.schema.vocabulary`: declared once, held to what the modules that write the words say, and light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from assets import annotation, images
from assets.comt import (
    creation,
    deletion,
    deletion_pictures,
    development,
    selection,
    update,
    update_groups,
)
from assets.comt import judged as comt_judged
from assets.evaluation import answers
from assets.m3cot import commonsense, duplicates, judged, new_samples, rewrite
from assets.m3cot.mathematics import asymptote, cards, formulas, options
from assets.m3cot.mathematics import samples as mathematics
from assets.m3cot.science import table_questions, tangram_questions
from assets.models import human, replay
from assets.schema import vocabulary
from assets.schema.analysis import ANALYSIS
from assets.schema.building import BUILDING
from assets.schema.nightly import NIGHTLY
from assets.schema.tables import TABLES
from assets.sources import (
    comt_released_folder,
    comt_released_parquet,
    folders,
    game_pairs,
    geometry3k,
    geoqa,
    jhu_crowd,
    json_files,
    jsonlines,
    judged_chains,
    kilogram,
    m3cot_released,
    math_problems,
    pickle_survey,
    pickle_values,
    plain_pickle,
    problems,
    released_folder,
    scienceqa,
    sherlock,
    spot_diff,
    svg,
    tabmwp,
    voc_faces,
)


def said(module, call=None, place=0):
    """The words that a module's source gives: at a place of calls of `call`, or assigned to `reason`."""
    words = set()
    for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))):
        value = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == call:
            value = node.args[place]
        elif isinstance(node, ast.Assign) and any(
            isinstance(to, ast.Name) and to.id == "reason" for to in node.targets
        ):
            value = node.value
        words |= set() if value is None else set(_texts(value))
    return words


def _texts(value):
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, ast.IfExp):
        yield from _texts(value.body)
        yield from _texts(value.orelse)
    elif isinstance(value, ast.Call):
        yield from (text for part in value.args for text in _texts(part))


def test_the_reasons_of_a_line_are_those_that_its_reader_gives():
    assert said(jsonlines, "Unreadable", 2) | said(jsonlines, "_Break") == set(vocabulary.LINE_REASONS)


def test_the_reasons_of_an_item_are_those_that_its_reader_gives():
    assert said(m3cot_released, "NoItem") == set(vocabulary.ITEM_REASONS)


def test_the_reasons_of_a_reply_are_those_that_its_reader_and_the_counting_give():
    [dropped] = [reply.dropped for reply in replay.replies([(1, {})])]
    assert {dropped, *human.REASONS} == set(vocabulary.REPLY_REASONS)
    assert said(answers) == set(vocabulary.COUNTING_REASONS) - {"other_split", "past_limit"}


WORDS = {
    "REPLY_REASONS": vocabulary.REPLY_REASONS,
    "PICTURE_REASONS": (*vocabulary.PICTURE_REASONS, vocabulary.SAME_PIXELS),
    "ANNOTATION_REASONS": (*vocabulary.LINE_REASONS, *vocabulary.ANNOTATION_REASONS, vocabulary.SUPERSEDED),
    "SOURCE_REASONS": vocabulary.SOURCE_REASONS,
    "UNDRAWN_REASONS": vocabulary.UNDRAWN_REASONS,
    "M3COT_REASONS": vocabulary.M3COT_REASONS,
    "COMT_REASONS": vocabulary.COMT_REASONS,
}
"""What the rows of a table may be dropped for, by the vocabulary's name for most of it."""

SAID = {
    "REPLY_REASONS": (human,),
    "PICTURE_REASONS": (images, folders),
    "ANNOTATION_REASONS": (annotation,),
    "SOURCE_REASONS": (
        comt_released_folder,
        comt_released_parquet,
        folders,
        game_pairs,
        geometry3k,
        geoqa,
        jhu_crowd,
        json_files,
        judged_chains,
        kilogram,
        math_problems,
        pickle_survey,
        pickle_values,
        plain_pickle,
        problems,
        released_folder,
        scienceqa,
        sherlock,
        spot_diff,
        svg,
        tabmwp,
        voc_faces,
    ),
    "COMT_REASONS": (
        comt_judged,
        creation,
        deletion,
        deletion_pictures,
        development,
        selection,
        update,
        update_groups,
    ),
    "UNDRAWN_REASONS": (asymptote, cards, formulas),
    "M3COT_REASONS": (
        asymptote,
        cards,
        commonsense,
        duplicates,
        judged,
        mathematics,
        new_samples,
        options,
        rewrite,
        table_questions,
        tangram_questions,
    ),
}
"""The modules that say so, each in its `REASONS`."""


@pytest.mark.parametrize(
    ("words", "module"),
    [
        pytest.param(words, module, id=f"{words}-{module.__name__}")
        for words, modules in SAID.items()
        for module in modules
    ],
)
def test_the_reasons_of_a_module_are_those_of_the_tables_it_writes(words, module):
    assert set(module.REASONS) <= set(WORDS[words])
    assert len(set(module.REASONS)) == len(module.REASONS)


def test_what_is_not_drawn_is_so_for_reasons_of_the_pictures():
    assert set(mathematics.SELECTION_REASONS) <= set(vocabulary.UNDRAWN_REASONS)


@pytest.mark.parametrize("words", WORDS)
def test_every_reason_of_the_vocabulary_is_said_by_a_module(words):
    modules = (*SAID[words], *(SAID["SOURCE_REASONS"] if words == "PICTURE_REASONS" else ()), mathematics)
    said_by_them = {reason for module in modules for reason in module.REASONS}
    assert set(WORDS[words]) - said_by_them == set()


@pytest.mark.parametrize("name", [name for name in vars(vocabulary) if name.isupper()])
def test_no_name_holds_a_word_twice(name):
    words = getattr(vocabulary, name)
    assert isinstance(words, str) or len(set(words)) == len(words)


def test_the_stages_and_verdicts_are_those_of_the_annotations():
    assert annotation.STAGES == vocabulary.ANNOTATION_STAGES
    assert {verdict for verdicts in annotation.VERDICTS.values() for verdict in verdicts} == set(
        vocabulary.ANNOTATION_VERDICTS
    )


def test_every_module_with_reasons_is_held_to_the_vocabulary():
    held = {module.__name__ for modules in SAID.values() for module in modules}
    declaring = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in sorted((ROOT / "assets").rglob("*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
        for to in node.targets
        if isinstance(to, ast.Name) and to.id == "REASONS"
    }
    assert declaring == held


def test_every_reason_is_among_those_of_the_quarantine_once():
    several = ("LINE_REASONS", "ITEM_REASONS", "REPLY_REASONS", "COUNTING_REASONS")
    words = {reason for name in several for reason in getattr(vocabulary, name)}
    assert set(vocabulary.QUARANTINE_REASONS) == words
    assert len(vocabulary.QUARANTINE_REASONS) == len(words)


NAMES = [name for name in vars(vocabulary) if name.isupper()]
ROOT = Path(vocabulary.__file__).parents[2]


@pytest.mark.parametrize("name", [*NAMES, "LABEL_SETS"])
def test_each_name_is_declared_in_one_place_of_the_three_rooms(name):
    places = [
        path.relative_to(ROOT).as_posix()
        for room in ("assets", "expectations")
        for path in sorted((ROOT / room).rglob("*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        for to in (node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)])
        if isinstance(to, ast.Name) and to.id == name and "generated" not in path.parent.name
    ]
    assert places == ["assets/evaluation/labels.py" if name == "LABEL_SETS" else "assets/schema/vocabulary.py"]


def test_no_two_tables_are_called_alike():
    assert all(TABLES[table.name] is table for table in (*BUILDING, *NIGHTLY, *ANALYSIS))


def test_scoring_a_file_needs_no_pyarrow():
    code = (
        "import sys; import assets.evaluation.replies_file, assets.evaluation.scores, assets.evaluation.differences; "
        "assert 'pyarrow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
