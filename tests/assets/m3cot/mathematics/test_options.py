"""Four options: by rule for every kind of answer, and the same check for what a rule and what a model gives."""

import itertools
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.m3cot.mathematics.boxed import parse, same
from assets.m3cot.mathematics.options import LONGEST, REASONS, Options, checked, requests, rule
from assets.schema.sample import Part, Sample
from assets.writer import Rules


def problem(answer="6", question="Find the length $AB$.", solution=None, sample_id="math-test-geometry-1"):
    text = rf"So it is $\boxed{{{answer}}}$." if solution is None else solution
    return Sample(
        sample_id, "m3cot", "math", None, "released", question=question, rationale=(Part("text", text, None),)
    )


def by_rule(answer, question="Find it.", before="", sample_id="math-test-geometry-1"):
    return rule({"id": sample_id, "problem": question, "solution": before, "answer": answer})


def reply(*options, answer=""):
    return json.dumps({"options": options, "answer": answer})


ANSWERS = [
    "6", "0", "1", "-8", "5040", r"85,\!184", "90{,}900{,}909", "8.6", ".79", "0.54", r"\frac{1}{2}", r"\frac59",
    r"\dfrac{4}{25}", r"-\frac{24}{25}", "3/4", r"6 \frac{3}{4}", r"3\frac18", r"4\sqrt{2}", r"\sqrt3", r"-\sqrt{3}",
    r"\frac{\sqrt{3}}{2}", r"\frac{3+2\sqrt{3}}{3}", r"480 + 480\sqrt{3}\text{ feet}", r"7.2\%", r"100\%", r"\$675",
    r"60^\circ", r"50^{\circ}", r"25 \, \text{km}", r"864 \mbox{ inches}^2", r"12\pi", r"\pi",
    r"\frac \pi4 + 2 - \sqrt2",
    r"\frac{648}{\pi}", "-i", "8+4i", "2^{2008} -2", r"\tan 15^\circ", r"\cos(6^\circ)\sin(12^\circ)\csc(18^\circ)",
    "(2,4)", "(0,0)", r"\left( -\frac{1}{4}, -2 \right)", "(0,-6,-4)", "[0,2)", r"(-\infty, 3]", "(-2,7]",
    r"\{1,2,5\}", r"1 + \sqrt{2}, 1 - \sqrt{2}", r"-2 \text{ or } -12", "3:1", "4210_{7}", "x^2-10x+41", "3 - 2f(x)",
    r"\frac{2}{r}", "x^2 + y^2 = 13", "b=0", r"x \le 3", r"\begin{pmatrix} 7 & 1 \\ -1 & -3 \end{pmatrix}",
    r"\frac{2\pi}{3}", r"\frac{4\sqrt{3}}{3}", "4/11",
    r"\text{A,D}", r"\text{odd}", r"\text{Wednesday}", r"\text{August}", "east",
]  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS, ids=ANSWERS)
def test_a_rule_has_three_wrong_options_for_every_kind_of_answer(answer):
    four = checked(problem(answer), by_rule(answer))
    assert isinstance(four, Options), four
    assert four.options[four.right] == answer
    for one, other in itertools.combinations(four.options, 2):
        assert not same(parse(one), parse(other))
    units = {parse(option).unit for option in four.options}
    assert units == {parse(answer).unit}


def wrong(answer, **others):
    return json.loads(by_rule(answer, **others))["options"][1:]


def test_a_length_has_no_negative_options_and_a_probability_none_above_one():
    for number in range(20):
        sample_id = f"math-test-geometry-{number}"
        assert not any(option.startswith("-") for option in wrong("3", sample_id=sample_id))
        question = "What is the probability of heads?"
        fractions = [
            parse(option).items[0].rational for option in wrong(r"\frac{2}{3}", question=question, sample_id=sample_id)
        ]
        assert all(0 < fraction < 1 for fraction in fractions)


def test_the_unit_and_the_notation_are_kept():
    assert all(option.endswith(r"^{\circ}") for option in wrong(r"50^{\circ}"))
    assert all(option.endswith(r" \mbox{ inches}^2") for option in wrong(r"864 \mbox{ inches}^2"))
    assert all(option.startswith(r"\$") for option in wrong(r"\$675"))
    assert all(r",\!" in option for option in wrong(r"85,\!184"))
    assert all(option.endswith("_{7}") for option in wrong("4210_{7}"))


def test_what_the_solution_works_out_is_an_option():
    assert any(option in ("729", "567") for option in wrong("405", before="$27^2 = 729$ and $81 \\cdot 7 = 567$."))


def test_names_come_from_the_problem_and_its_figure():
    question = '[asy] label("Carla",(0,0)); label("Debra",(1,0)); label("Angela",(2,0)); label("Evelyn",(3,0)); [/asy]'
    assert sorted(wrong(r"\text{Evelyn}", question=question)) == [r"\text{Angela}", r"\text{Carla}", r"\text{Debra}"]


def test_where_no_rule_has_three_wrong_options_there_are_none():
    assert by_rule(r"\text{Evelyn}") is None
    assert by_rule("???") is None


def test_the_same_sample_gets_the_same_options_and_another_sample_others():
    assert by_rule("405") == by_rule("405")
    assert len({by_rule("405", sample_id=f"math-test-algebra-{n}") for n in range(8)}) > 1


def test_requests_are_asked_for_problems_with_an_answer_and_answered_by_the_rules():
    rows = [problem(), problem(solution="none"), problem(sample_id="math-test-geometry-2").drop("over_quota")]
    asked = list(requests(rows))
    assert [(one.id, one.task, one.facts["answer"]) for one in asked] == [("math-test-geometry-1", "options", "6")]
    assert "Find the length $AB$." in asked[0].prompt and '{"options": [' in asked[0].prompt
    (answered,) = Rules({"options": rule}).write(asked)
    assert answered.status == "ok" and isinstance(checked(rows[0], answered.text), Options)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (reply("3", "6", "9", "12"), 1),
        ('```json\n{"options": ["3", "4", "9", "6"], "answer": "9",}\n```', 3),
        (reply("A) 3", "B) 4", "C) 6", "D) 7"), 2),
        (reply("$3$", "$6$", "$9$", "$12$"), 1),
        (reply(r"\frac{12}{2}", "3", "4", "5"), 0),
        ('{"options": [3, 4, 5, 6.0]}', 3),
        ('{"options": {"A": "6", "B": "4", "C": "5", "D": "7"}}', 0),
        ("", "no_options"),
        ("I cannot.", "options_unreadable"),
        ('{"choices": ["6"]}', "options_unreadable"),
        ('{"options": ["6", null, "3", "4"]}', "options_unreadable"),
        (reply("6", "7", "8"), "wrong_option_count"),
        (reply("6", "7", "8", "9", "10"), "wrong_option_count"),
        (reply("6", "7", "8", " "), "option_empty"),
        (reply("6", "7", "8", "9" * (LONGEST + 1)), "option_too_long"),
        (reply("6", "7", "8", "(1,2)"), "option_of_other_kind"),
        (reply("6", "7", "8", "none of these"), "option_of_other_kind"),
        (reply("6", "7", "0.5", r"\frac{1}{2}"), "options_equal"),
        (reply("6", "6.0", "7", "8"), "options_equal"),
        (reply("1", "7", "8", "9", answer="6"), "right_option_missing"),
    ],
)
def test_a_reply_has_four_options_of_which_one_is_right_or_a_reason(text, found):
    four = checked(problem(), text)
    assert (four.right if isinstance(four, Options) else four) == found
    assert isinstance(found, int) or found in REASONS


def test_latex_that_lost_its_backslash_to_json_is_mended():
    four = checked(
        problem(r"\frac{1}{2}"), r'{"options": ["\frac{1}{2}", "\frac{1}{3}", "\frac{1}{4}", "\frac{2}{3}"]}'
    )
    assert four == Options((r"\frac{1}{2}", r"\frac{1}{3}", r"\frac{1}{4}", r"\frac{2}{3}"), 0)


@pytest.mark.parametrize("answer", ["D", r"\text{E}", "(C)", r"\text{(H)}"])
def test_the_letter_of_a_choice_is_no_answer(answer):
    sample = problem(answer)
    assert list(requests([sample])) == []
    for text in ("", reply("A", "B", "C", "D")):
        assert checked(sample, text) == "answer_is_a_letter"


@pytest.mark.parametrize("answer", ["Q", "A, D", r"\text{Evelyn}", "x"])
def test_a_point_a_name_and_several_letters_are_answers(answer):
    assert len(list(requests([problem(answer)]))) == 1


@pytest.mark.parametrize("answer", [r"\frac{2\pi}{3}", r"\frac{2\pi}{2}", r"\frac{5\sqrt{3}}{2}"])
def test_no_wrong_option_stands_over_one(answer):
    seen = {option for n in range(30) for option in wrong(answer, sample_id=f"math-test-algebra-{n}")}
    assert not any(re.search(r"\}\s*\{?1(?!\d)", option) for option in seen), seen


def test_what_would_stand_over_one_is_written_without_it():
    seen = {option for n in range(60) for option in wrong(r"\frac{2\pi}{3}", sample_id=f"math-test-algebra-{n}")}
    assert r"2\pi" in seen


def test_a_solution_without_a_box_has_no_options():
    assert checked(problem(solution="It is 6."), reply("6", "7", "8", "9")) == "no_boxed_answer"


numbers = st.integers(-2000, 2000)
bodies = st.one_of(
    numbers.map(str),
    st.tuples(numbers, st.integers(2, 90)).map(lambda p: rf"\frac{{{p[0]}}}{{{p[1]}}}"),
    st.tuples(numbers, st.integers(2, 90)).map(lambda p: rf"{p[0]}\sqrt{{{p[1]}}}"),
    st.tuples(numbers, numbers).map(lambda p: f"({p[0]}, {p[1]})"),
    st.tuples(numbers, st.integers(1, 99)).map(lambda p: f"{p[0]}.{p[1]:02}"),
    numbers.map(lambda n: rf"{n}\pi"),
    numbers.map(lambda n: rf"{n}^\circ"),
    st.tuples(numbers, numbers).map(lambda p: f"x^2+{p[0]}x-{p[1]}"),
    st.lists(numbers, min_size=2, max_size=4, unique=True).map(lambda some: ", ".join(map(str, some))),
)


@settings(deadline=None)
@given(bodies, st.integers(0, 99))
def test_no_rule_gives_two_options_that_say_the_same(answer, number):
    text = by_rule(answer, sample_id=f"math-train-algebra-{number}")
    if text is None:
        return
    options = json.loads(text)["options"]
    assert len(options) == 4 and options[0] == answer
    for one, other in itertools.combinations(map(parse, options), 2):
        assert not same(one, other)


@settings(deadline=None)
@given(st.text(max_size=80), st.text(alphabet=r"0123456789+-^_()[]{}\,.:% $xisqrtfacpi", max_size=30))
def test_any_reply_is_four_options_or_a_reason(text, option):
    for each in (text, reply("6", "7", "8", option)):
        four = checked(problem(), each)
        assert isinstance(four, Options) or four in REASONS
