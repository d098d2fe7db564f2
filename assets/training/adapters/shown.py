"""Pictures that samples show, as files in a folder: what is learned in another order each epoch is read in any."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from assets import images
from assets.image_modes import plain
from assets.training.checkpoint import put
from assets.training.train import TrainingError

if TYPE_CHECKING:
    from PIL import Image

BLANK = "blank"
BLANK_SIZE = (64, 64)


class Shown(NamedTuple):
    """Pictures by id in a folder; what has none is shown a white one, whose id is `BLANK`."""

    folder: Path

    def png(self, image_id: str) -> bytes:
        """A picture's PNG, mode L or RGB, what was transparent on white."""
        return self.path(image_id).read_bytes()

    def image(self, image_id: str) -> "Image.Image":
        """The same, decoded, mode RGB."""
        return images.decode(self.png(image_id)).convert("RGB")

    def path(self, image_id: str) -> Path:
        """The file that holds it."""
        return self.folder / f"{image_id}.png"


def blank() -> "Image.Image":
    """What is shown in place of no picture: a white one, mode RGB."""
    from PIL import Image

    return Image.new("RGB", BLANK_SIZE, "white")


def keep(pictures: images.Pictures, ids: Iterable[str], folder: Path) -> Shown:
    """These pictures as files of the folder, each whole or not at all; what is damaged there is written again.

    Raises:
        TrainingError: one is not among the pictures.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shown = Shown(folder)
    wanted = {image_id for image_id in ids if image_id != BLANK}
    _put(shown.path(BLANK), images.encode(blank()))
    for row in pictures.stream(wanted):
        if row.png and row.image_id:
            picture = images.decode(row.png)
            bare = picture.mode in ("L", "RGB") and "transparency" not in picture.info
            _put(shown.path(row.image_id), row.png if bare else images.encode(plain(picture)))
            wanted.discard(row.image_id)
    if wanted:
        raise TrainingError(f"{len(wanted)} pictures are not there ({min(wanted)}): build the pictures' table anew")
    return shown


def _put(path: Path, content: bytes) -> None:
    if not path.is_file() or path.read_bytes() != content:
        put(path, content)
