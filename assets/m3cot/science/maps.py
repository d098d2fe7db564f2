"""Geography by rule: maps of depth and height and charts of climate, drawn here, with questions about them."""

import random
from collections.abc import Iterator, Mapping

from assets.drawing import Place, climate_chart, relief_map
from assets.images import Picture, of_pixels
from assets.m3cot.questions import ordered, picture_of
from assets.m3cot.science import climate_charts, relief_questions
from assets.m3cot.science.climate_charts import Chart, Draft
from assets.m3cot.science.relief_questions import Relief
from assets.schema.sample import Sample

CATEGORIES = (
    "Climate Analysis",
    "Depth Estimation",
    "Depth Comparison",
    "Depth & Direction Analysis",
    "Altitude Estimation",
    "Altitude Comparison",
    "Altitude & Direction Analysis",
)
"""The categories of drawn geography in M3CoT's released test items; a sample's number decides which one is its."""

PROVENANCE = "drawn by rule"
REASONS: tuple[str, ...] = ()
"""Every map that is drawn becomes a sample."""

_CLIMATE_CONTEXT = "The chart shows the mean temperature and the rainfall of each month at one place."
_RELIEF_CONTEXT = {
    True: "The map shows how deep the sea is, in metres. North is at the top.",
    False: "The map shows how high the land is, in metres. North is at the top.",
}


def pictures(n: int, *, seed: int) -> Iterator[Picture]:
    """The maps and charts `map-0001` to n, one row each; `file` is the sample's id.

    Source: arXiv:2405.16473, appendix A.4.2 (geographical images synthesized through Matplotlib).
    """
    for number in range(1, n + 1):
        scene = _scene(number, seed)
        if isinstance(scene, Chart):
            image = climate_chart(scene.temperatures, scene.rainfall)
        else:
            places = [Place(point.label, point.x, point.y) for point in scene.points]
            image = relief_map(scene.heights, places, step=scene.step, depth=scene.depth)
        yield of_pixels(image, _id(number))


def samples(n: int, drawn: Mapping[str, str], *, seed: int) -> list[Sample]:
    """The samples `map-0001` to n about those pictures, categories in turn, none dropped.

    Every answer is computed from the values that are drawn, and what the options tell apart is further apart in the
    picture than it can be misread: bands of colour, months that stand out, directions near those of the compass.

    Args:
        n: how many.
        drawn: image ids by sample id.
        seed: the one that the pictures were drawn with.

    Raises:
        PictureMissing: a map was not drawn.
    """
    return [_sample(number, drawn, seed) for number in range(1, n + 1)]


def _sample(number: int, drawn: Mapping[str, str], seed: int) -> Sample:
    name, scene = _id(number), _scene(number, seed)
    turn, place = divmod(number - 1, len(CATEGORIES))
    draft = _draft(scene, CATEGORIES[place], turn, random.Random(f"{seed}/{name}/question"))
    options, letter = ordered(draft.right, draft.wrong, f"{seed}/{name}")
    sample = Sample(
        name,
        "m3cot",
        "map",
        f"{number:04}",
        PROVENANCE,
        domain="science",
        topic="social-science",
        subtopic="geography",
        category=CATEGORIES[place],
        question=draft.question,
        context=_CLIMATE_CONTEXT if isinstance(scene, Chart) else _RELIEF_CONTEXT[scene.depth],
        choices=options,
        answer=letter,
        images=(picture_of(drawn, name),),
    )
    return sample.with_text(draft.rationale)


def _scene(number: int, seed: int) -> Chart | Relief:
    rng = random.Random(f"{seed}/{_id(number)}/scene")
    category = CATEGORIES[(number - 1) % len(CATEGORIES)]
    if category.startswith("Climate"):
        return climate_charts.chart(rng)
    return relief_questions.relief(rng, depth=category.startswith("Depth"), from_a_point="Direction" in category)


def _draft(scene: Chart | Relief, category: str, turn: int, rng: random.Random) -> Draft:
    if isinstance(scene, Chart):
        return climate_charts.ask(scene, turn, rng)
    return relief_questions.ask(scene, category.split()[-1] if "&" not in category else "Direction", turn, rng)


def _id(number: int) -> str:
    return f"map-{number:04}"
