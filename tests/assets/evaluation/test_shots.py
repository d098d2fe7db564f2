"""`assets.evaluation.shots`: which solved samples of M3CoT may stand before a question, and which may not."""

import pytest
from PIL import Image, ImageDraw

from assets.evaluation.dialogue_parts import DialogueError
from assets.evaluation.shots import NEAR, Shelf
from assets.schema.sample import Part, Sample


def sample(name, category="Magnets", topic="natural-science", split="validation", **changes):
    return Sample(
        id=name,
        benchmark="m3cot",
        source="scienceqa",
        source_id=name,
        provenance="hand",
        topic=topic,
        category=category,
        question=f"What of {name}?",
        choices=("yes", "no", name),
        answer="A",
        rationale=(Part("text", "Because.", None),),
        images=(f"{name}-picture",),
        split=split,
    )._replace(**changes)


DEV = [
    *(sample(f"m{n}") for n in range(6)),
    *(sample(f"e{n}", category="Ecology") for n in range(3)),
    *(sample(f"g{n}", category="Maps", topic="social-science") for n in range(3)),
]
ASKED = sample("asked", split="test")


class Shown:
    """Pictures by id."""

    def __init__(self, **images):
        self.images = images

    def __contains__(self, image_id):
        return image_id in self.images

    def image(self, image_id):
        return self.images[image_id]

    def png(self, image_id):
        raise AssertionError(image_id)


def scene(seed, size=(160, 120)):
    image = Image.new("RGB", (160, 120), "white")
    draw = ImageDraw.Draw(image)
    for n in range(6):
        x, y = (seed * 37 + n * 53) % 130, (seed * 71 + n * 29) % 90
        draw.rectangle([x, y, x + 28, y + 24], fill=(40 * n, 255 - 40 * n, (seed * 60) % 256))
    return image.resize(size)


def names(choice):
    return [one.id for one in choice.shots]


def chosen(dev, asked=ASKED, k=3, seed=1, pictures=None):
    return Shelf(dev, pictures).choice(asked, k, seed)


def test_shots_are_of_the_same_category():
    choice = chosen(DEV, k=6)
    assert sorted(names(choice)) == ["m0", "m1", "m2", "m3", "m4", "m5"]
    assert (choice.filled, choice.refused) == (0, 0)


def test_where_the_category_has_too_few_the_rest_are_of_its_topic_and_are_counted():
    choice = chosen(DEV, k=8)
    assert sorted(names(choice)[:6]) == ["m0", "m1", "m2", "m3", "m4", "m5"]
    assert set(names(choice)[6:]) < {"e0", "e1", "e2"}
    assert choice.filled == 2


def test_a_sample_without_a_category_takes_all_from_its_topic():
    bare = sample("asked", category="", split="test")
    dev = [*DEV, sample("bare", category="")]
    choice = chosen(dev, bare, k=10)
    assert sorted(names(choice)) == sorted([*(f"m{n}" for n in range(6)), "e0", "e1", "e2", "bare"])
    assert choice.filled == 10


def test_shots_of_fewer_are_the_first_of_more_and_no_order_of_the_set_changes_them():
    longest = names(chosen(DEV, k=9))
    for k in range(10):
        assert names(chosen(DEV, k=k)) == longest[:k]
        assert names(chosen(DEV[::-1], k=k)) == longest[:k]


def test_seed_and_id_alone_decide():
    assert names(chosen(DEV, k=6, seed=1)) != names(chosen(DEV, k=6, seed=2))
    assert names(chosen(DEV, k=6)) != names(chosen(DEV, sample("other", split="test"), k=6))
    same = ASKED._replace(question="Quite another?", choices=("1", "2"))
    assert names(chosen(DEV, same, k=6)) == names(chosen(DEV, k=6))


def test_every_shot_is_drawn_about_equally_often():
    drawn = [name for n in range(300) for name in names(chosen(DEV, sample(f"a{n}", split="test"), k=2))]
    # 100 expected of each; 5 standard deviations are 41
    assert all(59 < drawn.count(f"m{n}") < 141 for n in range(6))


def test_a_development_split_of_either_name_is_accepted():
    renamed = [one._replace(split="dev") for one in DEV]
    assert names(chosen(renamed)) == names(chosen(DEV))


def test_samples_of_other_splits_and_dropped_ones_are_never_shown():
    others = [one._replace(id=f"x{one.id}", split=split) for one in DEV for split in ("train", "test", None)]
    gone = [one._replace(id=f"y{one.id}", dropped="pending") for one in DEV]
    assert names(chosen([*others, *gone, *DEV], k=9)) == names(chosen(DEV, k=9))


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "m3"},
        {"question": "  WHAT of\nＭ3? ", "choices": ("M3", "No", "yes ")},
        {"images": ("mine", "m3-picture")},
        {"choice_images": ("a", "m3-picture", "b")},
    ],
    ids=["itself", "its question and options", "its picture", "its picture as an option"],
)
def test_a_shot_that_is_or_nearly_is_the_sample_is_refused(changes):
    asked = ASKED._replace(**changes)
    choice = chosen(DEV, asked, k=5)
    assert sorted(names(choice)) == ["m0", "m1", "m2", "m4", "m5"]
    assert chosen(DEV, asked, k=8).refused == 1
    only = [one for one in DEV if one.id == "m3"]
    with pytest.raises(DialogueError) as raised:
        chosen(only, asked, k=1)
    assert str(raised.value) == (
        f"{asked.id}: 1 samples are to be shown before it, and of the 1 of category Magnets and 0 others of topic "
        "natural-science in the development set 0 are not the same or nearly: ask for 0 or fewer, or add more"
    )


def test_the_same_question_about_a_picture_that_looks_alike_is_refused_and_about_another_one_is_not():
    alike, unlike = scene(1, (320, 240)), scene(2)
    dev = [sample("near", question="what is it?"), sample("far", question="What is it?")]
    asked = ASKED._replace(question="What is it? ")
    pictures = Shown(**{"asked-picture": scene(1), "near-picture": alike, "far-picture": unlike})
    choice = chosen(dev, asked, k=1, pictures=pictures)
    assert names(choice) == ["far"]
    with pytest.raises(DialogueError, match=r"asked: 2 samples .* set 1 are not the same or nearly: ask for 1"):
        chosen(dev, asked, k=2, pictures=pictures)


def test_pictures_that_look_alike_under_other_questions_may_be_shown():
    dev = [sample("near")]
    pictures = Shown(**{"asked-picture": scene(1), "near-picture": scene(1)})
    assert names(chosen(dev, k=1, pictures=pictures)) == ["near"]


def test_copies_are_nearer_than_the_bound_and_other_pictures_farther():
    from imagehash import phash

    one = phash(scene(1))
    assert one - phash(scene(1, (80, 60))) <= NEAR
    assert min(one - phash(scene(seed)) for seed in range(2, 8)) > NEAR


def test_pictures_that_cannot_be_compared_fail_with_the_id():
    dev = [sample("near", question="What is it?")]
    asked = ASKED._replace(question="What is it?")
    with pytest.raises(DialogueError, match="near: a shot has its question, and pictures tell whether it is the same"):
        chosen(dev, asked, k=1)
    with pytest.raises(
        DialogueError, match="near: its picture near-picture is not there: give it, or leave the sample"
    ):
        chosen(dev, asked, k=1, pictures=Shown(**{"asked-picture": scene(1)}))


def test_fewer_than_none_cannot_be_shown():
    with pytest.raises(DialogueError, match="asked: -1 samples cannot be shown: ask for 0 or more"):
        chosen(DEV, k=-1)
