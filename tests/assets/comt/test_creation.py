"""`assets.comt.creation`: geometry that describes its picture, as samples with the picture in the rationale."""

import pytest

from assets.comt.creation import REASONS, agrees, samples, solution
from assets.comt.template import annotations, fault, written
from assets.samples import to_table
from assets.schema.sample import Part, Sample

QUESTION = "如图,AB是⊙O的直径,点C在⊙O上,∠CAB=35°,则∠ABC等于()"
SOLUTION = "解:∵AB是⊙O的直径,∴∠ACB=90°,∴∠ABC=90°-35°=55°.故选:B."
ENGLISH = (
    "As shown in the figure, in △ABC, AB = AC, point D is the midpoint of BC, ∠BAC = 80°, then the size of ∠BAD is ()"
)
SOLVED = "AB = AC, so AD bisects ∠BAC. Hence ∠BAD = 80° ÷ 2 = 40°. So the answer is B."


def problem(question=QUESTION, text=SOLUTION, **change):
    given = Sample(
        id="geoqa-train-12",
        benchmark="comt",
        source="geoqa",
        source_id="train-12",
        provenance="released",
        question=question,
        choices=("35°", "55°", "65°", "90°"),
        answer="B",
        rationale=None if text is None else (Part("text", text, None),),
        images=("picture",),
        split="train",
    )
    return given._replace(**change)


def made(*problems, least_relations=3):
    return samples(problems, least_relations=least_relations)


def test_the_picture_moves_from_the_question_into_the_rationale():
    [sample] = made(problem())
    assert sample.dropped is None
    assert fault(sample) is None
    assert sample[:5] == (
        "geoqa-train-12",
        "comt",
        "geoqa",
        "train-12",
        "released > rationale and answer split by rules",
    )
    assert (sample.task, sample.domain, sample.split, sample.answer) == ("creation", "mathematics", "train", "B")
    assert (sample.question, sample.choices) == (QUESTION, ("35°", "55°", "65°", "90°"))
    assert (sample.images, sample.image_names) == (("picture",), ("geoqa-train-12-0",))
    assert written(sample.rationale) == (
        "首先，按题目的描述画出图形：⊙O。 [IMAGE0]\n解:∵AB是⊙O的直径,∴∠ACB=90°,\n∴∠ABC=90°-35°=55°.\n所以答案是55°。"
    )
    assert sample.rationale[1] == Part("image", "[IMAGE0]", "picture")
    assert annotations(sample)["closing"] == "故选:B."
    to_table([sample])


def test_an_english_problem_is_told_in_english_and_ends_with_the_answers_text():
    [sample] = made(problem(ENGLISH, SOLVED, choices=("20°", "40°", "60°", "80°")))
    assert written(sample.rationale) == (
        "First, draw the figure as the question describes it: △ABC. [IMAGE0]\n"
        "AB = AC, so AD bisects ∠BAC.\nHence ∠BAD = 80° ÷ 2 = 40°.\nSo the answer is 40°."
    )


@pytest.mark.parametrize(
    ("text", "steps", "closing", "told"),
    [
        ("∴x=3.故选:B.", ("∴x=3.",), "故选:B.", "B"),
        ("因为AB=5，所以AC=10．故选B", ("因为AB=5，所以AC=10．",), "故选B", "B"),
        ("∴x=3,故选（C）．", ("∴x=3",), "故选（C）．", "（C）"),
        ("∴x=3.故答案为：60°．", ("∴x=3.",), "故答案为：60°．", "60°"),
        ("∴x=3.答案为B", ("∴x=3.",), "答案为B", "B"),
        ("面积是12,因此,本题选A.", ("面积是12",), "因此,本题选A.", "A"),
        ("∴BC=5√{3}．故选:D.【点评】本题考查圆.", ("∴BC=5√{3}．",), "故选:D.【点评】本题考查圆.", "D"),
        ("∴x=3,故选项C符合题意.", ("∴x=3",), "故选项C符合题意.", "C符合题意"),
        ("x = 4. So the answer is C.", ("x = 4.",), "So the answer is C.", "C"),
        ("x = 4. The answer is (B) 4 cm.", ("x = 4.",), "The answer is (B) 4 cm.", "(B) 4 cm"),
        ("x = 4. Therefore, choose B.", ("x = 4.",), "Therefore, choose B.", "B"),
        ("x = 4. Answer: D", ("x = 4.",), "Answer: D", "D"),
        ("∠A = 30°. So ∠B = 60°.", ("∠A = 30°.", "So ∠B = 60°."), None, None),
        ("故选:B.", (), "故选:B.", "B"),
        ("【解答】解:故选:B.", (), "故选:B.", "B"),
        ("解:∵a=b,∴b=c,∵c=d.∴a=d.", ("解:∵a=b,∴b=c,", "∵c=d.∴a=d."), None, None),
    ],
)
def test_a_solution_is_parted_into_its_steps_and_its_last_statement(text, steps, closing, told):
    assert solution(text) == (steps, closing, told)


@pytest.mark.parametrize(
    ("told", "right"),
    [
        *((told, True) for told in ("B", "(B)", "（B）", "B.55°", "55°", "55", "∠ABC=55°")),
        *((told, False) for told in ("A", "C", "E", "65°", "50°")),
    ],
)
def test_the_last_statement_agrees_by_letter_or_by_value(told, right):
    assert agrees(told, ("35°", "55°", "65°", "90°"), 1) is right


def test_values_are_compared_however_they_are_set():
    assert agrees("5√{3}", ("1", r"5\sqrt{3}cm", "2", "3"), 1)
    assert agrees(r"\frac{1}{2}", ("1/2", "1", "2", "3"), 0)
    assert agrees("12厘米", ("12cm", "1", "2", "3"), 0)
    assert not agrees("12", ("1", "12", "2", "3"), 0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"rationale": None}, "no_rationale"),
        ({"rationale": (Part("text", " \n", None),)}, "no_rationale"),
        ({"rationale": (Part("text", "解:故选:B.", None),)}, "no_rationale"),
        ({"choices": ("35°", "55°", "65°")}, "wrong_option_count"),
        ({"choices": ("35°", "55°", "65°", "90°", "95°")}, "wrong_option_count"),
        ({"choices": ("35°", "55°", "35 °", "90°")}, "options_equal"),
        ({"images": None}, "no_picture"),
        ({"question": QUESTION + "[IMAGE0]"}, "names_a_picture"),
        ({"rationale": (Part("text", "[IMAGE7]" + SOLUTION, None),)}, "names_a_picture"),
        ({"choices": ("[IMAGE1]", "55°", "65°", "90°")}, "names_a_picture"),
        ({"answer": "A"}, "answer_disagrees"),
        ({"rationale": (Part("text", "∴∠B=65°.故答案为:65°.", None),)}, "answer_disagrees"),
        ({"question": "如图,则∠ABC等于()"}, "not_described"),
    ],
)
def test_what_makes_no_sample_comes_back_with_the_reason(change, reason):
    good, row = made(problem(), problem(**change))
    assert good.dropped is None
    assert (row.dropped, row.task, row.provenance) == (reason, "creation", "released")
    assert reason in REASONS
    to_table([row])


def test_a_text_that_looks_like_a_marker_but_is_none_stays():
    [sample] = made(problem(text="解:[图1] " + SOLUTION))
    assert "解:[图1] 解:" in written(sample.rationale)


def test_how_many_relations_are_wanted_is_the_callers():
    # the circle's diameter, the point on it, the angle
    kept = [made(problem(), least_relations=least)[0].dropped for least in range(1, 7)]
    assert kept == [None] * 3 + ["not_described"] * 3


def test_every_problem_that_entered_is_a_row_in_order():
    asked = (QUESTION.replace("C", letter) for letter in "CDEFGH")
    rows = made(*(problem(text, id=f"geoqa-{n}", source_id=str(n), answer="AB"[n % 2]) for n, text in enumerate(asked)))
    assert [(row.id, row.dropped is None) for row in rows] == [(f"geoqa-{n}", n % 2 == 1) for n in range(6)]


def test_a_question_that_stands_twice_with_one_answer_makes_one_sample():
    again = problem(id="geoqa-train-13", question=QUESTION.replace(",", ", "), images=("another",))
    other = problem(id="geoqa-train-14", choices=("55°", "45°", "65°", "90°"), answer="A", text=None)
    first, second, third = made(problem(), again, other)
    assert (first.dropped, second.dropped, third.dropped) == (None, "duplicate_question", "no_rationale")
