"""`assets.comt.description`: what a question says of its figure."""

import pytest

from assets.comt.description import LONGEST, description, plain

DESCRIBED = [
    "如图，AB是⊙O的直径，点D在⊙O上，过点D作⊙O的切线交BA延长线于点C，若∠C＝40°，则∠B的度数为（）",
    "如图,点A,B,C在⊙O上,CO的延长线交AB于点D,∠B=40°,∠ADC=110°,则∠A的度数为()",
    "如图，在▱ABCD中，AB＝BD，点E在BD上，CE＝CB．如果∠ADB＝65°，那么∠DCE等于（）",
    "如图，⊙A过点O（0，0），B（2√3，0），D（0，2），点C是⊙A上的一点，则∠DCO的度数为（）",
    "In triangle ABC, ∠C = 90°, AC = 6 and BC = 8. D is the midpoint of AB. Find CD.",
    "Rectangle ABCD has AB = 6 and BC = 8. Its diagonals AC and BD meet at O. What is the length of OB?",
    "Lines AB and CD are parallel. Line EF meets AB at G and CD at H. If ∠AGE = 50°, find ∠CHE.",
    r"Given \odot O with chord AB = 8 and OC \perp AB at point C, OC = 3. Find OA.",
]
UNDESCRIBED = [
    "如图所示,则∠ABC的度数为()",
    "如图,直线a,b相交于点O,若∠1等于35°,则∠2等于()",
    "如图，将直尺与30°角的三角尺叠放在一起，若∠1＝42°，则∠2的大小是（）",
    "如图,OA=OB,OC=OD,∠O=60°,∠C=25°则∠BED的度数是()",
    "如图，若∠A＝20°，∠B＝45°，∠C＝35°，则∠DFE等于（）",
    "如图，在△ABC中，D、E、F分别为BC、AD、CE的中点，且S△ABC＝12，则阴影部分△AEF的面积为（）",
    "如图，在Rt△ABC中，∠C＝90°．BD平分∠ABC，AB＝5）",
    "Find x.",
    "As shown in the figure, find the value of x.",
    r"Find \sin x.",
    "If AD = 27, AB = 8, and AE = 12, find BC.",
    "Find y so that the quadrilateral is a parallelogram.",
    "",
]


@pytest.mark.parametrize("question", DESCRIBED)
def test_a_question_that_says_its_figure_suffices(question):
    said = description(question)
    assert (said.leans, said.unplaced) == (None, ())
    assert said.suffices(3)


@pytest.mark.parametrize("question", UNDESCRIBED)
def test_a_question_that_leans_on_its_picture_does_not(question):
    assert not description(question).suffices(1)


def test_relations_are_counted_once_each_in_order():
    said = description("如图,△ABC内接于⊙O,AB=AC=4,∠BAC=120°,BD为⊙O的直径,AB=AC,则BD等于()")
    assert said.relations == ("△ABC", "内接于", "⊙O", "AB=AC", "∠BAC=120°", "BD为⊙O的直径")
    assert said.shapes == ("△ABC", "⊙O")


def test_what_is_asked_states_nothing():
    assert description("△ABC中,AB=5,则∠A=60°时,BC=()").relations == ("△ABC", "AB=5")


@pytest.mark.parametrize(
    ("question", "unplaced"),
    [
        ("矩形ABCD中,∠AOB=60°,AB=2,则AC的长为()", ("O",)),
        ("如图,△ABC中,∠ACB=90°,AC=AN,BC=BM,则∠MCN=()", ("N", "M")),
        ("如图，AB为⊙O的直径，点C，点D是⊙O上的两点，∠CAB＝50°，则∠ADC的度数是（）", ()),
        ("如图，在Rt△ABC中，点D，E分别是边AB，AC的中点，若AB＝12，求EF的长（）", ("F",)),
        ("In triangle ABC, AB = 5 and AD = 3. Find BC.", ("D",)),
    ],
)
def test_a_length_or_an_angle_places_no_point(question, unplaced):
    assert description(question).unplaced == unplaced


def test_a_point_that_only_the_target_or_an_option_names_was_never_described():
    assert description("△ABC中,AB=AC,∠B=30°,BC=2,则∠ADC=()").unsaid == ("D",)
    assert not description("△ABC中,AB=AC,∠B=30°,BC=2,则∠ADC=()").suffices(1)
    assert description("△ABC中,AB=AC,∠B=30°,则最长的边是()", ["AB", "BC", "AE"]).unsaid == ("E",)


def test_one_point_that_a_person_has_to_place_does_not_spoil_a_description():
    # E lies on AD, as the picture shows
    assert description("如图,▱ABCD中,∠AEB=36°,BE平分∠ABC,则∠C等于()").suffices(3)
    assert not description("如图，在⊙O中，弧AB=弧AC，∠ADC=20°，∠B=35°，则∠A等于（）").suffices(1)


@pytest.mark.parametrize(
    "question",
    [
        "如图，⊙O的半径为5，AB∥CD，则AB＝（）",
        "如图,⊙O的半径为5,AB//CD,则AB=()",
        r"如图, \odot O的半径为5, AB \parallel CD, 则AB=()",
        r"如图, $\odot$ O的半径为5, $AB\\parallel CD$, 则AB=()",
    ],
)
def test_signs_are_read_however_they_are_written(question):
    said = description(question)
    assert "AB∥CD" in [relation.replace(" ", "") for relation in said.relations]
    assert said.shapes == ("⊙O",)


def test_arcs_and_fractions_have_one_way_of_writing():
    assert {plain(arc) for arc in (r"⁀{AC}", "⌒AC", r"$\widehat{AC}$", r"\\widehat AC")} == {"⌒AC"}
    assert plain(r"\frac{CF}{AB}＝\dfrac{2}{3}") == "CF/AB=2/3"


def test_a_question_of_no_bounded_length_is_not_read():
    assert description("A," * LONGEST).leans == "more than 2000 characters"
