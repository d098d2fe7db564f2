"""`assets.vocabulary`: declared once, held to what the modules that write the words say, and light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from assets import vocabulary
from assets.evaluation import answers
from assets.models import replay
from assets.sources import jsonlines, m3cot_released


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
    assert (dropped,) == vocabulary.REPLY_REASONS
    assert said(answers) == set(vocabulary.COUNTING_REASONS) - {"other_split"}


def test_every_reason_is_among_those_of_the_quarantine_once():
    several = ("LINE_REASONS", "ITEM_REASONS", "REPLY_REASONS", "COUNTING_REASONS")
    words = {reason for name in several for reason in getattr(vocabulary, name)}
    assert set(vocabulary.QUARANTINE_REASONS) == words
    assert len(vocabulary.QUARANTINE_REASONS) == len(words)


NAMES = [name for name in vars(vocabulary) if name.isupper()]
ROOT = Path(vocabulary.__file__).parents[1]


@pytest.mark.parametrize("name", [*NAMES, "LABEL_SETS"])
def test_each_name_is_declared_in_one_place_of_the_three_rooms(name):
    places = [
        path.relative_to(ROOT).as_posix()
        for room in ("assets", "expectations")
        for path in sorted((ROOT / room).rglob("*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        for to in (node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)])
        if isinstance(to, ast.Name) and to.id == name and "generated_" not in path.name
    ]
    assert places == ["assets/evaluation/labels.py" if name == "LABEL_SETS" else "assets/vocabulary.py"]


def test_scoring_a_file_needs_no_pyarrow():
    code = (
        "import sys; import assets.evaluation.replies_file, assets.evaluation.scores, assets.evaluation.differences; "
        "assert 'pyarrow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
