"""The tools that models allow, how they are described, and which uses are taken."""

import re
from collections.abc import Mapping
from typing import Any

import pytest

from assets.models.model import ModelError
from assets.models.policies.policy import Catalogue
from assets.models.tools.inventory import TOOLS, BadUse, Inventory, inventory, is_asking
from assets.models.tools.tool import Asking, Computing, Use

PICTURES = ("picture_1", "picture_2")


def made(*names: str, sees: tuple[str, ...] = ("blip", "llava"), detects: str | None = None) -> Inventory:
    return inventory(names or None, sees=sees, detects=detects, limit_s=30.0)


def taken(tool: str, given: Mapping[str, Any], tools: Inventory | None = None) -> dict[str, Any]:
    return (tools or made()).checked(Use(tool, given), PICTURES)[1]


def why(tool: str, given: Mapping[str, Any], tools: Inventory | None = None) -> tuple[str, str]:
    with pytest.raises(BadUse) as caught:
        taken(tool, given, tools)
    assert (tools or made()).fault(Use(tool, given), PICTURES) == (caught.value.fault, str(caught.value))
    return caught.value.fault, str(caught.value)


def test_without_models_that_see_or_detect_their_tools_are_left_out() -> None:
    assert set(TOOLS) - set(made().names) == {"object_detection"}
    assert set(TOOLS) - set(made(sees=()).names) == {
        *("picture_description", "visual_question_answering", "object_detection")
    }
    assert made(detects="some/detector").names == TOOLS


def test_named_tools_are_there_in_the_order_of_the_inventory() -> None:
    assert made("calculator", "ocr").names == ("ocr", "calculator")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("web_search", "'web_search' is no tool: name some of picture_description, "),
        ("object_detection", "object_detection needs a model: name one in detects"),
    ],
)
def test_a_tool_that_cannot_be_had_is_refused(name: str, message: str) -> None:
    with pytest.raises(ModelError, match=re.escape(message)):
        made(name)
    with pytest.raises(ModelError, match="picture_description needs a model: name one in sees"):
        made("picture_description", sees=())


def test_tools_are_described_a_line_each() -> None:
    lines = made(detects="d").described(without=("ocr",)).splitlines()
    assert len(lines) == len(TOOLS) - 1
    assert "crop(picture: picture, box: box): cuts out the part" in lines[2]
    assert lines[4].startswith("table_reading(picture: picture = none, text: text = none): ")
    assert not any("model" in line.split("):")[0] for line in lines)


def test_the_list_of_tools_leaves_a_short_prompt_room() -> None:
    assert len(made(detects="d").described().split()) < 200


def test_every_tool_computes_or_asks_and_only_the_asking_ones_have_candidates() -> None:
    tools: Catalogue = made(detects="d")
    known = made(detects="d")
    for name in tools.names:
        tool = known.named(name)
        assert re.fullmatch("[a-z]+(_[a-z]+)*", name)
        assert tool.limit_s == 30.0 and tool.gives == ("picture" if name in {"crop", "zoom"} else "text")
        assert is_asking(tool) == hasattr(tool, "question") != hasattr(tool, "compute")
        assert bool(tools.candidates(name)) == is_asking(tool)
    assert tools.candidates("picture_description") == ("blip", "llava")
    assert tools.candidates("knowledge") == ("planner",)
    assert tools.candidates("nothing") == ()


def test_the_protocols_are_met() -> None:
    asking: Asking = made().named("knowledge")  # type: ignore[assignment]
    computing: Computing = made().named("calculator")  # type: ignore[assignment]
    assert asking.question({"question": "q"}, {}).asked == "planner"
    assert computing.compute({"expression": "1 + 1"}, {}).text == "2"


def test_numbers_and_boxes_may_be_texts_and_a_number_may_be_a_text() -> None:
    assert taken("unit_conversion", {"value": "3", "from": "km", "to": "m"})["value"] == 3
    assert taken("unit_conversion", {"value": " −2.5 ", "from": "C", "to": "F"})["value"] == -2.5
    assert taken("calculator", {"expression": 42}) == {"expression": "42"}
    box = (0.1, 0.2, 0.5, 1.0)
    for given in ([0.1, 0.2, 0.5, 1], "0.1, 0.2, 0.5, 1", "[0.1 0.2 0.5 1]", ["0.1", "0.2", "0.5", "1"]):
        assert taken("crop", {"picture": "picture_2", "box": given}) == {"picture": "picture_2", "box": box}
    sides = {"left": 0.1, "top": 0.2, "right": 0.5, "bottom": 1}
    assert taken("crop", {"picture": " picture_2", "box": sides})["box"] == box


def test_what_may_be_left_out_is_not_there() -> None:
    assert taken("picture_description", {"picture": "picture_1"}) == {"picture": "picture_1"}
    assert taken("picture_description", {"picture": "picture_1", "focus": None}) == {"picture": "picture_1"}


def test_an_unknown_tool_is_named_with_those_that_there_are() -> None:
    assert why("search", {}, made("ocr", "crop")) == (
        "unknown_tool",
        "there is no tool 'search': use one of ocr, crop",
    )


@pytest.mark.parametrize(
    ("tool", "given", "sentence"),
    [
        ("ocr", {}, "ocr: picture (the picture) is missing: it takes the name of a picture"),
        ("ocr", {"image": "picture_1"}, "ocr has no argument 'image' (given 'picture_1'): it takes picture"),
        (
            "ocr",
            {"picture": "picture_9"},
            "ocr: picture is 'picture_9': it takes the name of a picture (picture_1, picture_2)",
        ),
        (
            "unit_conversion",
            {"value": "three", "from": "m", "to": "km"},
            "unit_conversion: value is 'three': it takes a number",
        ),
        ("table_reading", {}, "table_reading: nothing given: give picture or text"),
    ],
)
def test_bad_arguments_are_named_with_their_value_and_what_is_taken(
    tool: str, given: Mapping[str, Any], sentence: str
) -> None:
    assert why(tool, given) == ("bad_arguments", sentence)


@pytest.mark.parametrize(
    "box",
    [
        [0.5, 0.1, 0.2, 0.9],
        [0.1, 0.9, 0.5, 0.2],
        [0.1, 0.1, 0.1, 0.5],
        [-0.1, 0, 1, 1],
        [0, 0, 1.1, 1],
        [10, 20, 200, 300],
        [0, 0, 1],
        [0, 0, 1, 1, 1],
        [float("nan"), 0, 1, 1],
        [0, 0, float("inf"), 1],
        [False, False, True, True],
        [[0], [0], [1], [1]],
        "all of it",
        {"left": 0, "top": 0, "right": 1},
        7,
    ],
)
def test_a_box_out_of_order_or_outside_is_refused(box: object) -> None:
    fault, sentence = why("crop", {"picture": "picture_1", "box": box})
    assert fault == "bad_arguments"
    assert "it takes left, top, right and bottom in 0 to 1" in sentence


@pytest.mark.parametrize("value", [True, "1_000", "nan", "inf", "1e999", 10**50, "", [1], "1" * 5000, {"a": 1}])
def test_what_is_no_finite_number_is_refused(value: object) -> None:
    assert why("unit_conversion", {"value": value, "from": "m", "to": "km"})[0] == "bad_arguments"


@pytest.mark.parametrize("value", ["", "  ", [], ["a"], {"a": 1}, True, "a" * 20_001])
def test_what_is_no_text_is_refused_and_shown_shortened(value: object) -> None:
    fault, sentence = why("calculator", {"expression": value})
    assert fault == "bad_arguments" and len(sentence) < 200


def test_the_chosen_model_is_one_of_the_candidates() -> None:
    given = {"picture": "picture_1", "question": "What?", "model": "llava"}
    assert taken("visual_question_answering", given)["model"] == "llava"
    assert why("visual_question_answering", {**given, "model": "gpt"}) == (
        "bad_arguments",
        "visual_question_answering: model is 'gpt': it takes one of blip, llava",
    )
    assert why("ocr", {"picture": "picture_1", "model": "llava"})[0] == "bad_arguments"


def test_an_identity_follows_tools_limits_and_models() -> None:
    one = made("calculator", "ocr", "knowledge").identity
    assert one["calculator"] == {"limit_s": 30.0, "version": "1"}
    assert one["ocr"]["package"] == "rapidocr-onnxruntime" and one["ocr"]["package_version"]
    assert one["knowledge"]["candidates"] == ["planner"]
    assert made("calculator").identity != inventory(["calculator"], sees=(), detects=None, limit_s=5.0).identity


def test_a_tool_whose_package_is_not_installed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match="ocr needs rapidocr-onnxruntime: pip install rapidocr-onnxruntime"):
        made()
    assert made("calculator").names == ("calculator",)
