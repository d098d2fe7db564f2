"""Pictures that models drew, kept by their ids in a folder, whole or not at all."""

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from assets.images import Picture, decode, encode, identify, on_white
from assets.models.model import Pictures
from assets.schema.faults import Fault

if TYPE_CHECKING:
    from PIL import Image

_ID = re.compile(r"[0-9a-f]{64}")
_PNG_END = b"IEND\xaeB`\x82"


class DrawnError(Fault):
    """A picture that a model drew cannot be kept or is not there; the message names its id and the way out."""


class Drawn:
    """Pictures by id in files `<first two digits>/<id>.png`; one that is there is on the disk, whatever happens next.

    Several processes may put and read at once.
    """

    def __init__(self, folder: Path) -> None:
        """The pictures in `folder`, which is made when the first one is put."""
        self._folder = folder

    def __contains__(self, image_id: object) -> bool:
        """Whether there is a picture of this id."""
        return isinstance(image_id, str) and _ID.fullmatch(image_id) is not None and self._path(image_id).exists()

    def put(self, picture: Picture) -> None:
        """Keep a picture that has an id and a PNG; when this returns it outlasts a loss of power.

        Raises:
            ValueError: it has no id, or no PNG.
            DrawnError: the folder cannot be written.
        """
        if picture.image_id is None or _ID.fullmatch(picture.image_id) is None or picture.png is None:
            raise ValueError(f"{picture.file}: a drawn picture needs its id and its PNG")
        path = self._path(picture.image_id)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                _write(path, picture.png)
            # Also for one that is there: whoever renamed it may have been killed before this.
            _sync(path.parent)
            _sync(self._folder)
        except OSError as error:
            raise DrawnError(
                f"{self._folder.name}: the drawn picture {picture.image_id} cannot be written ({error.strerror}): "
                "free or mend the disk and run again, what was kept before is not lost"
            ) from error

    def png(self, image_id: str) -> bytes:
        """A picture's PNG.

        Raises:
            DrawnError: there is none, or it is not the picture any more.
        """
        return self._read(image_id)[0]

    def image(self, image_id: str) -> "Image.Image":
        """A picture, decoded, in the mode that it was drawn in; raises as `png` does."""
        return self._read(image_id)[1]

    def read(self, ids: Iterable[str]) -> Iterator[Picture]:
        """The pictures as rows of table `image`, in the order of the ids, one in memory at a time.

        Raises:
            DrawnError: one is not there, or it is not the picture any more.
        """
        for image_id in ids:
            # Encoded anew: the bytes of a table follow from its pixels, whatever wrote the file.
            image = self.image(image_id)
            yield Picture(image_id, f"{image_id}.png", encode(image), image.width, image.height, image.mode)

    def beside(self, pictures: Pictures) -> Pictures:
        """The pictures that there are, and those that were drawn where `pictures` may have none."""
        return _Beside(self, pictures)

    def _path(self, image_id: str) -> Path:
        return self._folder / image_id[:2] / f"{image_id}.png"

    def _read(self, image_id: str) -> tuple[bytes, "Image.Image"]:
        way_out = (
            "make evaluation/recorded again if it was recorded, put its file back, or ask again under another `asking`"
        )
        if image_id not in self:
            raise DrawnError(f"{self._folder.name}: the drawn picture {image_id} is not there: {way_out}")
        png = self._path(image_id).read_bytes()
        try:
            image = decode(png)
            same = png.endswith(_PNG_END) and identify(image) == image_id
        except (OSError, ValueError, SyntaxError):
            same = False
        if not same:
            raise DrawnError(f"{self._folder.name}: the file of the drawn picture {image_id} is damaged: {way_out}")
        return png, image


class _Beside:
    def __init__(self, drawn: Drawn, pictures: Pictures) -> None:
        self._drawn = drawn
        self._pictures = pictures

    def png(self, image_id: str) -> bytes:
        if image_id not in self._drawn:
            return self._pictures.png(image_id)
        image = self._drawn.image(image_id)
        return encode(on_white(image)) if image.mode == "RGBA" else self._drawn.png(image_id)

    def image(self, image_id: str) -> "Image.Image":
        if image_id not in self._drawn:
            return self._pictures.image(image_id)
        return on_white(self._drawn.image(image_id)).convert("RGB")


def _write(path: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
