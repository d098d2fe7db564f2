from typing import Any

from assets.analysis import figures
from assets.analysis.pictures.alignment_figure import draw


def row(evaluation: str, measure: str, value: float | None, **columns: Any) -> dict[str, Any]:
    return {
        "evaluation": evaluation,
        "measure": measure,
        "value": value,
        "pictures": 1,
        "steps": 2,
        "model": "clip-tiny",
        **columns,
    }


def texts(axes: Any) -> list[str]:
    return [*(one.get_text() for one in axes.texts), *(one.get_text() for one in axes.get_yticklabels())]


def test_an_evaluation_is_a_line_with_its_mean_and_n() -> None:
    score, steps = draw(
        [
            row("cot", "clip_score", 0.5),
            row("cot", "clip_score", 1.0),
            row("direct", "clip_score", None, pictures=0),
            row("cot", "interaction_steps", 2.0),
        ]
    ).axes
    assert texts(score) == ["cot  (n=2)"]
    assert score.lines[-1].get_xdata()[0] == 0.75
    assert texts(steps) == ["cot  (n=1)"]
    assert score.lines[-1].get_marker() != steps.lines[-1].get_marker()


def test_without_a_model_the_figure_says_what_to_name() -> None:
    rows = [
        row("cot", measure, None, model="no model", pictures=pictures)
        for measure in ("clip_score", "interaction_steps")
        for pictures in (0, 1, 1)
    ]
    figure = draw(rows)
    said = [" ".join(texts(axes)[0].split()) for axes in figure.axes]
    assert said == ["2 of 3 replies can be compared, once analysis.alignment.model names a model"] * 2
    assert figure.get_suptitle() == "Replies and pictures (no model)"


def test_without_a_picture_the_figure_says_so() -> None:
    (score, steps) = draw([row("cot", "clip_score", None, pictures=0)]).axes
    assert "none of 1 replies has a picture" in texts(score)[0]
    assert texts(steps)[0] == "there are no replies"


def test_many_evaluations_stay_a_small_picture() -> None:
    rows = [
        row(f"evaluation_number_{n}", measure, float(m % 3))
        for n in range(24)
        for measure in ("clip_score", "interaction_steps")
        for m in range(10)
    ]
    figure = draw(rows)
    assert figure.get_size_inches()[0] == 7.5
    assert len(figures.png(figure)) < 200_000
