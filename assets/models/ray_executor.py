"""A model in several workers of Ray Data, on one machine or many: the same class, the same replies.

Ray is an extra: `pip install -e '.[ray]'`. On one machine nothing is to be started. For several, each with the same
checkout, environment, checkpoints and variables of keys:

    ray start --head --port 6379 --disable-usage-stats              # on the first
    ray start --address FIRST:6379 --disable-usage-stats            # on each other
    cotline materialize evaluation/asked --partition NAME           # on the first

With `running: {executor: ray, workers: 8, address: "FIRST:6379"}` the workers spread over all of them; `ray stop` on
each ends it. A checkpoint that vLLM serves needs no Ray here: `vllm serve CHECKPOINT --port 8000` there (with
`--tensor-parallel-size` over several cards), and here a model of kind `openai` with `base_url: http://FIRST:8000/v1`.
"""

import contextlib
import json
import logging
import os
import shutil
import signal
import tempfile
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from assets import images
from assets.images import Picture
from assets.models.model import Ask, Dialogue, Model, ModelError, Pictures, Reply, Turn
from assets.schema.sample import Part
from assets.schema.tables import TABLES, as_table

if TYPE_CHECKING:
    from PIL import Image

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_USAGE_STATS_PROMPT_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DATA_DISABLE_PROGRESS_BARS": "1",
    "RAY_BACKEND_LOG_LEVEL": "fatal",
}
"""What Ray reads when it starts: it reports to nobody, and does not hide the accelerators from workers without one."""

_MOST_DEATHS = 3
"""How often a worker is started again, and a batch asked again, after a death: Ray's own default is for ever."""

_LONGEST_FOLDER = 40
"""Ray's sockets lie some 60 characters below its folder, and the path of a socket has at most 107."""

_ASKED = pa.schema(
    [
        ("dialogues", pa.string()),
        ("pictures", pa.list_(pa.struct([("image_id", pa.string()), ("png", pa.binary()), ("missing", pa.string())]))),
    ]
)
_DRAWN = pa.struct(list(TABLES["image"].schema))
_REPLIED = pa.schema(
    [("replies", pa.string()), ("drawn", pa.list_(_DRAWN)), ("failed", pa.string()), ("broken", pa.string())]
)


class RayModel:
    """The model that `build` makes, a copy in each worker: its name, its identity and its replies.

    Ray Data plans over a whole input, so all dialogues are taken before the first reply. Their pictures lie in Ray's
    store, which spills to disk. What a worker that died had in hand is asked again by another.
    """

    def __init__(
        self,
        build: Callable[[], Model],
        workers: int,
        batch: int = 16,
        *,
        gpus: float = 0.0,
        address: str | None = None,
    ) -> None:
        """Take what makes the model, here and in each worker; here it is asked for its name and identity alone.

        Args:
            build: makes the model, which has loaded nothing yet; it can be pickled.
            workers: how many.
            batch: how many dialogues a worker takes at once, at most.
            gpus: of each worker, a fraction where several share one.
            address: of a Ray that runs, host:port; None starts one on this machine, which ends with the replies. Either
                way one that this process is connected to already is used, and left as it is.

        Raises:
            ModelError: Ray is not installed, or there is to be no worker.
        """
        if workers < 1 or batch < 1:
            raise ModelError(f"running.workers: {workers} workers, {batch} dialogues at once: both are 1 or more")
        _ray()
        self._build = build
        self._workers = workers
        self._batch = batch
        self._gpus = gpus
        self._address = address

    @cached_property
    def _model(self) -> Model:
        return self._build()

    @property
    def name(self) -> str:
        """The model's name in params.yaml."""
        return self._model.name

    @property
    def identity(self) -> Mapping[str, Any]:
        """All that its replies depend on, which where it runs is no part of."""
        return self._model.identity

    def replies(self, dialogues: Iterable[Dialogue], pictures: Pictures) -> Iterator[Reply]:
        """The replies that the dialogues still lack, each batch as soon as a worker has it, in any order.

        Raises:
            ModelError: a worker's model cannot answer at all, or workers die again and again; what was yielded stands.
            RuntimeError: a worker's model raised something else, which is in the message.
        """
        waiting = list(dialogues)
        if not waiting:
            return
        size = min(self._batch, -(-len(waiting) // self._workers))
        with running(self._workers, self._address) as ray:
            blocks = [
                ray.put(_packed(waiting[start : start + size], pictures)) for start in range(0, len(waiting), size)
            ]
            with warnings.catch_warnings():
                # Until Ray 2.64 these two can be said in no other way.
                warnings.filterwarnings("ignore", "`ray_remote_args` is deprecated")
                answered = ray.data.from_arrow_refs(blocks).map_batches(
                    _Worker,
                    fn_constructor_kwargs={"build": self._build},
                    batch_size=1,
                    batch_format="pyarrow",
                    compute=ray.data.ActorPoolStrategy(size=min(self._workers, len(blocks))),
                    num_gpus=self._gpus or None,
                    max_restarts=_MOST_DEATHS,
                    max_task_retries=_MOST_DEATHS,
                )
            try:
                for table in answered.iter_batches(batch_size=None, batch_format="pyarrow"):
                    for row in table.to_pylist():
                        yield from _replied(row)
                        _raise(row["failed"], row["broken"])
            except ray.exceptions.RayError as error:
                raise ModelError(
                    f"running.workers: a worker of models.{self.name} died {_MOST_DEATHS + 1} times "
                    f"({str(error).strip().splitlines()[0]}): it may lack memory, so set fewer workers"
                ) from error


class _Worker:
    """A copy of the model in a process of its own."""

    def __init__(self, build: Callable[[], Model]) -> None:
        self._model = build()

    def __call__(self, batch: pa.Table) -> pa.Table:
        return pa.Table.from_pylist([self._answered(row) for row in batch.to_pylist()], schema=_REPLIED)

    def _answered(self, row: Mapping[str, Any]) -> dict[str, Any]:
        told: list[dict[str, Any]] = []
        drawn: list[Picture] = []
        failed = broken = None
        try:
            for reply in self._model.replies(_dialogues(row["dialogues"]), _Sent(row["pictures"])):
                told.append(reply._asdict() | {"drawn": len(reply.drawn)})
                drawn += reply.drawn
        except ModelError as error:
            failed = str(error)
        except Exception:
            # Raised where the replies are taken, with this traceback: here it would take them along.
            broken = traceback.format_exc()
        rows = as_table("image", drawn).to_pylist()
        return {"replies": json.dumps(told), "drawn": rows, "failed": failed, "broken": broken}


class _Sent:
    """The pictures that came with a batch of dialogues."""

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self._rows = {row["image_id"]: row for row in rows}

    def png(self, image_id: str) -> bytes:
        row = self._rows.get(image_id)
        if row is None:
            raise ModelError(f"picture {image_id}: no dialogue of the batch names it")
        if row["png"] is None:
            raise ModelError(row["missing"])
        png: bytes = row["png"]
        return png

    def image(self, image_id: str) -> "Image.Image":
        return images.decode(self.png(image_id)).convert("RGB")


def _packed(dialogues: list[Dialogue], pictures: Pictures) -> pa.Table:
    """One row: the dialogues as JSON, and once each picture that they name, or why it cannot be had."""
    named = {
        part.image_id: None
        for dialogue in dialogues
        for parts in (*(ask.parts for ask in dialogue.asks), *dialogue.said)
        for part in parts
        if part.image_id is not None
    }
    sent: list[dict[str, Any]] = []
    for image_id in named:
        try:
            sent.append({"image_id": image_id, "png": pictures.png(image_id), "missing": None})
        except ModelError as error:
            sent.append({"image_id": image_id, "png": None, "missing": str(error)})
    return pa.Table.from_pylist([{"dialogues": json.dumps(dialogues), "pictures": sent}], schema=_ASKED)


def _dialogues(packed: str) -> Iterator[Dialogue]:
    for key, asks, choices, said in json.loads(packed):
        yield Dialogue(
            key,
            tuple(Ask(_parts(parts), fresh) for parts, fresh in asks),
            tuple(choices),
            tuple(_parts(parts) for parts in said),
        )


def _replied(row: Mapping[str, Any]) -> Iterator[Reply]:
    drawn = iter(row["drawn"])
    for told in json.loads(row["replies"]):
        mine = tuple(_picture(next(drawn)) for _ in range(told["drawn"]))
        turns = tuple(Turn(role, _parts(parts)) for role, parts in told["turns"])
        yield Reply(**told | {"parts": _parts(told["parts"]), "drawn": mine, "turns": turns})


def _raise(failed: str | None, broken: str | None) -> None:
    if failed is not None:
        raise ModelError(failed)
    if broken is not None:
        raise RuntimeError(f"in a worker of Ray:\n{broken}")


def _parts(parts: Iterable[Iterable[str | None]]) -> tuple[Part, ...]:
    return tuple(Part(*part) for part in parts)  # type: ignore[arg-type]


def _picture(row: Mapping[str, Any]) -> Picture:
    where = row["quarantined"]
    return Picture(**dict(row) | {"quarantined": where and (where["file"], where["line"], where["excerpt"])})


def _ray() -> Any:
    try:
        import ray
        import ray.data
    except ImportError:
        raise ModelError("running.executor: ray needs the extra: pip install -e '.[ray]'") from None
    return ray


@contextlib.contextmanager
def running(workers: int, address: str | None) -> Iterator[Any]:
    """Within it Ray runs: the one that does already, or one of our own, which ends with it and leaves nothing."""
    ray = _ray()
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    if ray.is_initialized():
        yield ray
        return
    before = {name: os.environ.get(name) for name in QUIET}
    ended_by = signal.getsignal(signal.SIGTERM)
    os.environ.update(QUIET)
    folder = None
    try:
        if address is not None:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        else:
            folder = _folder()
            ray.init(
                address="local",
                num_cpus=workers,
                include_dashboard=False,
                log_to_driver=False,
                logging_level="ERROR",
                _temp_dir=str(folder),
            )
        if threading.current_thread() is threading.main_thread():
            # Ray takes the signal for itself; whoever runs this process decides what it means.
            signal.signal(signal.SIGTERM, ended_by)
        yield ray
    finally:
        ray.shutdown()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _folder() -> Path:
    """A new folder whose path is short enough for sockets."""
    short = len(tempfile.gettempdir()) <= _LONGEST_FOLDER - len("/ray-12345678")
    return Path(tempfile.mkdtemp(prefix="ray-", dir=None if short else "/tmp"))
