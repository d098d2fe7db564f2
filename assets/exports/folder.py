"""The folder of an export: it appears whole or not at all, and nothing is written outside it."""

import contextlib
import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from assets.schema.faults import Fault

PREFIX = ".cotline-export-"
"""How the name of a folder begins that is being written. A process that is killed (kill -9) leaves it: delete it."""


class ExportError(Fault):
    """The release cannot be written: the sentence names what is in the way."""


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A new folder beside `folder` that takes its place when all went well, and is gone otherwise.

    It is called PREFIX and some letters, whatever the name of `folder`, so that a long one has its place.

    Raises:
        ExportError: `folder` is a file or holds something, or cannot be written.
    """
    making: Path | None = None
    try:
        target = _free(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        making = Path(tempfile.mkdtemp(prefix=PREFIX, dir=target.parent))
        yield making
        making.chmod(0o755)
        os.rename(making, target)
    except OSError as error:
        raise ExportError(_why(folder, error)) from None
    finally:
        if making is not None:
            shutil.rmtree(making, ignore_errors=True)


def within(making: Path, name: str) -> Path:
    """The path of a file of the export, by its place in the folder with forward slashes.

    Raises:
        ExportError: it would lie outside the folder, or no file can have the name.
    """
    path = Path(os.path.normpath(making / name))
    if "\0" in name or path == making or not path.is_relative_to(making):
        raise ExportError(f"{name!r}: is no name of a file within the export: make the tables again")
    return path


def _free(folder: Path) -> Path:
    """Where `folder` leads: to nothing, or to an empty folder."""
    try:
        target = folder.resolve()
    except RuntimeError:
        # Python 3.11's word for a link that leads back to itself
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None
    for above in (target, *target.parents):
        if os.path.lexists(above):
            break
    is_folder = stat.S_ISDIR(os.stat(above).st_mode)
    if above != target and not is_folder:
        raise ExportError(f"{folder}: cannot be written, for {above} is a file: name a new folder elsewhere")
    # lexists takes a name that is too long for one that is not there
    limit = os.pathconf(above if is_folder else above.parent, "PC_NAME_MAX")
    if any(len(os.fsencode(part)) > limit for part in target.parts):
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    if not is_folder:
        raise ExportError(f"{folder}: is a file: name a new folder")
    if above == target and any(target.iterdir()):
        raise ExportError(f"{folder}: holds something already: name a new folder, or empty that one")
    return target


def _why(folder: Path, error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return f"{folder}: is a link that leads back to itself: name another folder"
    if error.errno == errno.ENAMETOOLONG:
        return f"{str(folder)[:60]}…: is too long a name for a file here: name a folder with a shorter one"
    if error.errno == errno.ENOSPC:
        return f"{folder}: cannot be written, the disk is full: make room, or name a folder on another disk"
    return f"{folder}: cannot be written ({error.strerror or error}): name another folder"
