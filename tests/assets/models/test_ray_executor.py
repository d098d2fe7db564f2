"""`assets.models.ray_executor`: a model in workers of a local Ray answers as it does in this process."""

import contextlib
import importlib.util
import os
import signal
import tempfile
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from assets import images
from assets.models import executor, ray_executor
from assets.models.baseline import Baseline
from assets.models.model import Ask, Dialogue, ModelError, Reply, said
from assets.schema.sample import Part

needs_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="the extra ray is not installed: pip install -e '.[ray]'"
)
COLOURS = {"red": (200, 10, 20), "green": (10, 200, 20), "blue": (20, 10, 200)}
DRAWN = {colour: images.of_pixels(Image.new("RGB", (2, 3), pixel), colour) for colour, pixel in COLOURS.items()}


class Shown:
    """The three pictures, and no other."""

    def png(self, image_id):
        for picture in DRAWN.values():
            if picture.image_id == image_id:
                return picture.png
        raise ModelError(f"picture {image_id}: is not there")

    def image(self, image_id):
        return images.decode(self.png(image_id)).convert("RGB")


def baseline():
    return Baseline("chance", "random", seed=7)


def looking(fails_at=None):
    """A model that says the first pixel of each picture, and draws one; made here, so that it travels by value."""
    from assets import images
    from assets.models.model import ModelError, Reply, said
    from assets.schema.sample import Part

    class Looking:
        def __init__(self):
            self.name, self.identity = "looking", {"kind": "looking"}

        def replies(self, dialogues, pictures):
            for dialogue in dialogues:
                if dialogue.id == fails_at:
                    raise ModelError("models.looking.key_variables: the endpoint refuses the key in EYES")
                parts = [part for ask in dialogue.asks for part in ask.parts]
                shown = [part.image_id for part in parts if part.kind == "image"]
                pixels = [pictures.image(image_id).getpixel((0, 0)) for image_id in shown]
                tall = images.of_pixels(pictures.image(shown[0]).resize((4, 9)), "drawn.png")
                replied = (said(f"{pixels} é \ud83d"), Part("image", None, tall.image_id))
                yield Reply(dialogue.id, 0, replied, "ok", "stop", 3, 5, "eyes-1", (tall,))

    return Looking()


def telling(died):
    """A model that says in which process it is, whether Ray may report to anyone there, and the key; it dies once."""
    import os

    from assets.models.model import Reply, said

    class Telling:
        def __init__(self):
            self.name, self.identity = "telling", {"kind": "telling"}

        def replies(self, dialogues, pictures):
            for dialogue in dialogues:
                if dialogue.id == "a-5" and not died.exists():
                    died.touch()
                    os._exit(9)
                text = f"{os.getpid()} {os.environ.get('RAY_USAGE_STATS_ENABLED')} {os.environ.get('KEY_OF_TEST')}"
                yield Reply(dialogue.id, 0, (said(text),), "ok")

    return Telling()


def dialogues(n):
    return [
        Dialogue(f"a-{number}", (Ask((said("Which?"),)), Ask((said("So?"),), fresh=number % 2 == 0)), ("x", "y", "z"))
        for number in range(n)
    ]


def pictured(*colours):
    return [
        Dialogue(
            f"{place}-{colour}",
            (Ask((said("What is it?"), Part("image", None, DRAWN[colour].image_id))),),
            ("x",),
        )
        for place, colour in enumerate(colours)
    ]


class Started:
    """A Ray of this file's own, ended by its last test; what it found in the environment and in the folder of Rays."""

    def __init__(self):
        self.before = of_ray(), folders()
        self.ended_by = signal.getsignal(signal.SIGTERM)
        os.environ["KEY_OF_TEST"] = "planted"
        self.stack = contextlib.ExitStack()
        self.ray = self.stack.enter_context(ray_executor.running(workers=4, address=None))

    def end(self):
        self.stack.close()
        os.environ.pop("KEY_OF_TEST", None)


def of_ray():
    return {name: value for name, value in os.environ.items() if name in ray_executor.QUIET}


def folders():
    return set(Path("/tmp").glob("ray-*")) | set(Path(tempfile.gettempdir()).glob("ray-*"))


@pytest.fixture(scope="module")
def started():
    started = Started()
    yield started
    started.end()


@needs_ray
def test_ten_dialogues_on_four_workers_give_the_replies_of_this_process_once_each(started):
    model = executor.ray(baseline, workers=4)
    assert (model.name, model.identity) == (baseline().name, baseline().identity)
    found = list(model.replies(dialogues(10), Shown()))
    assert len(found) == 20
    assert sorted(found) == sorted(baseline().replies(dialogues(10), Shown()))


@needs_ray
def test_pictures_go_both_ways_and_a_model_that_cannot_go_on_says_why_after_what_it_gave(started):
    asked = pictured("red", "green", "blue", "red", "blue", "green")
    found = []
    with pytest.raises(ModelError) as raised:
        for reply in executor.ray(partial(looking, "5-green"), 1, 8).replies(asked, Shown()):
            found.append(reply)
    assert str(raised.value) == "models.looking.key_variables: the endpoint refuses the key in EYES"
    assert found == list(looking().replies(asked[:5], Shown()))
    assert [reply.text for reply in found] == [
        f"[{COLOURS[colour]}] é \ud83d" for colour in ("red", "green", "blue", "red", "blue")
    ]
    assert {images.decode(reply.drawn[0].png).size for reply in found} == {(4, 9)}


@needs_ray
def test_workers_are_processes_with_the_key_by_its_variable_and_one_that_dies_loses_nothing(started, tmp_path):
    build = partial(telling, tmp_path / "died")
    found = list(executor.ray(build, 2, 1).replies(dialogues(8), Shown()))
    assert (tmp_path / "died").exists()
    assert sorted(reply.id for reply in found) == [f"a-{number}" for number in range(8)]
    processes, reports, keys = zip(*(reply.text.split() for reply in found), strict=True)
    assert str(os.getpid()) not in processes
    assert (set(reports), set(keys)) == ({"0"}, {"planted"})


@needs_ray
def test_a_ray_that_was_running_goes_on_and_one_started_here_leaves_nothing(started):
    assert list(executor.ray(baseline, 2).replies([], Shown())) == []
    assert started.ray.is_initialized()
    assert len(folders() - started.before[1]) == 1
    assert signal.getsignal(signal.SIGTERM) is started.ended_by
    started.end()
    assert not started.ray.is_initialized()
    assert (of_ray(), folders()) == started.before


def test_without_ray_the_way_to_get_it_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(ModelError) as raised:
        executor.ray(baseline, 2)
    assert str(raised.value) == "running.executor: ray needs the extra: pip install -e '.[ray]'"


@pytest.mark.parametrize(("workers", "batch"), [(0, 4), (2, 0)])
def test_no_worker_is_no_executor(workers, batch):
    with pytest.raises(ModelError, match="both are 1 or more"):
        executor.ray(baseline, workers, batch)


def test_in_this_process_a_model_is_itself():
    model = baseline()
    assert executor.local(model) is model


def test_a_picture_that_is_not_there_is_named_where_it_is_looked_at_and_only_there():
    asked = ray_executor._packed([Dialogue("a", (Ask((Part("image", None, "0" * 64),)),), ("x", "y"))], Shown())
    [looked] = ray_executor._Worker(looking)(asked).to_pylist()
    assert (looked["replies"], looked["failed"]) == ("[]", f"picture {'0' * 64}: is not there")
    [guessed] = ray_executor._Worker(baseline)(asked).to_pylist()
    assert ([reply.status for reply in ray_executor._replied(guessed)], guessed["failed"]) == (["ok"], None)


def test_a_fault_of_a_models_code_comes_back_with_where_it_was_and_after_the_replies():
    class Faulty:
        def replies(self, dialogues, pictures):
            yield Reply("a-0", 0, (said("x"),), "ok")
            raise KeyError("boom")

    [row] = ray_executor._Worker(Faulty)(ray_executor._packed(dialogues(2), Shown())).to_pylist()
    assert [reply.id for reply in ray_executor._replied(row)] == ["a-0"]
    with pytest.raises(RuntimeError, match=r"(?s)in a worker of Ray.*test_ray_executor\.py.*KeyError: 'boom'"):
        ray_executor._raise(row["failed"], row["broken"])


def test_replies_and_dialogues_travel_whole():
    turned = dialogues(2)[0].replied((said("first"), Part("image", None, DRAWN["red"].image_id)))
    packed = ray_executor._packed([turned, *dialogues(1)], Shown()).to_pylist()[0]
    assert list(ray_executor._dialogues(packed["dialogues"])) == [turned, *dialogues(1)]
    assert [row["image_id"] for row in packed["pictures"]] == [DRAWN["red"].image_id]
    broken = images.read_bytes(b"no picture", "line 1 picture 1")
    reply = Reply("a", 1, (said("x"), Part("image", None, None)), "truncated", "length", drawn=(DRAWN["red"], broken))

    class Same:
        name, identity = "same", {}

        def replies(self, dialogues, pictures):
            assert list(dialogues) == [turned, *globals()["dialogues"](1)]
            yield reply

    [row] = ray_executor._Worker(Same)(ray_executor._packed([turned, *dialogues(1)], Shown())).to_pylist()
    assert list(ray_executor._replied(row)) == [reply]
