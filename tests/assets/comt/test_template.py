import pytest

from assets.comt import template
from assets.schema.sample import Part, Sample


def filled(**changed: object) -> Sample:
    """A deletion sample of three pictures, changed."""
    given: dict[str, object] = {
        "sample_id": "jhu_crowd-1",
        "source": "jhu_crowd",
        "source_id": "1",
        "provenance": "generated",
        "task": "deletion",
        "question": "[IMAGE0]\nHow many?",
        "choices": ("8", "9", "10", "11"),
        "right": 1,
        "rationale": "Mask them. [IMAGE1] And the rest.\n[IMAGE2] Nine.",
        "images": ("a", "b", "c"),
        "annotations": {"masked": [[1, 2]]},
    }
    return template.filled(**(given | changed))  # type: ignore[arg-type]


def test_a_rationale_is_its_texts_and_pictures_in_turn() -> None:
    assert filled().rationale == (
        Part("text", "Mask them. ", None),
        Part("image", "[IMAGE1]", "b"),
        Part("text", " And the rest.\n", None),
        Part("image", "[IMAGE2]", "c"),
        Part("text", " Nine.", None),
    )


def test_a_sample_names_its_pictures_and_what_they_were_made_from() -> None:
    sample = filled()
    assert sample.image_names == ("jhu_crowd-1-0", "jhu_crowd-1-1", "jhu_crowd-1-2")
    assert sample.other == '{"annotations":{"masked":[[1,2]]}}'
    assert (sample.answer, sample.domain) == ("B", "commonsense")


@pytest.mark.parametrize(
    "rationale",
    [
        "[IMAGE0]",
        "a[IMAGE0]b",
        "[IMAGE0][IMAGE1] [IMAGE0]",
        " \n[IMAGE1]\r\n",
        "[IMAGE01] [image0] [IMAGE0",
        "plain",
        "",
    ],
)
def test_no_character_of_a_rationale_is_lost(rationale: str) -> None:
    assert template.written(template.parts(rationale, ["x", "y"])) == rationale


def test_only_whole_identifiers_are_pictures() -> None:
    assert template.identifiers("[IMAGE0][IMAGE10] [IMAGE01] [IMAGE] [image2] [IMAGE3]") == [0, 10, 3]


def test_an_identifier_without_a_picture_is_refused_by_its_name() -> None:
    with pytest.raises(template.TemplateError, match=r"\[IMAGE2\] names no picture: there are 2"):
        template.parts("[IMAGE2]", ["x", "y"])


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"choices": ("8", "9", "10")}, "has 3 options, not 4"),
        ({"images": ("a", "b", "c", "d")}, "picture 3 has no identifier"),
        ({"question": "[IMAGE0] and [IMAGE7]"}, "[IMAGE7] has no picture"),
        ({"question": "How many?", "rationale": "[IMAGE0] [IMAGE1] [IMAGE2] Nine."}, "its question shows no picture"),
        ({"rationale": "Nine.", "images": ("a",)}, "its rationale shows no picture"),
        ({"rationale": " [IMAGE1]\n[IMAGE2]"}, "its rationale says nothing"),
        ({"task": "creation"}, "its question shows a picture"),
    ],
)
def test_what_does_not_hold_the_template_is_said(changed: dict[str, object], said: str) -> None:
    with pytest.raises(template.TemplateError) as refused:
        filled(**changed)
    assert str(refused.value) == f"jhu_crowd-1: {said}"


def test_creations_picture_stands_in_the_rationale() -> None:
    sample = filled(task="creation", question="Find x.", rationale="Draw it. [IMAGE0] So 9.", images=("a",))
    assert template.fault(sample) is None
    assert sample.domain == "mathematics"


def test_a_picture_that_is_not_the_one_its_identifier_names_is_found() -> None:
    sample = filled()
    swapped = tuple(part._replace(image_id="a") if part.kind == "image" else part for part in sample.rationale or ())
    assert template.fault(sample._replace(rationale=swapped)) == (
        "its rationale shows another picture than its identifier names"
    )


def test_an_unknown_task_is_said() -> None:
    assert template.fault(filled()._replace(task="erasure")) == (
        "task erasure is none of creation, deletion, update, selection"
    )


def test_the_words_of_a_sample_are_those_of_its_texts() -> None:
    assert filled().text == "Mask them. \n And the rest.\n\n Nine."


def test_places_are_dealt_equally_and_by_the_seed() -> None:
    allowed = {f"a-{number}": 4 for number in range(42)}
    places = template.dealt(allowed, "7/update")
    assert sorted(list(places.values()).count(place) for place in range(4)) == [10, 10, 11, 11]
    assert template.dealt(dict(reversed(allowed.items())), "7/update") == places
    assert template.dealt(allowed, "8/update") != places


def test_ids_that_may_have_the_first_places_alone_get_them_and_the_others_even_it_out() -> None:
    allowed = {**{f"one-{number}": 1 for number in range(5)}, **{f"any-{number}": 9 for number in range(15)}}
    places = template.dealt(allowed, "1")
    assert {places[f"one-{number}"] for number in range(5)} == {0}
    assert [list(places.values()).count(place) for place in range(4)] == [5, 5, 5, 5]
