"""What every section of params.yaml is made of."""

import os
import posixpath
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

ROOT = Path(__file__).resolve().parent.parent

Name = Annotated[str, Field(pattern=r"^[a-z0-9_]+$")]


def _normalised(path: str) -> str:
    """The path itself, if it is spelled as DVC writes it in dvc.lock: else the same file would have two names."""
    if not path.strip() or "://" in path:
        raise ValueError("write the path of a file")
    if path.startswith("~"):
        raise ValueError("write the home folder out, as an absolute path")
    slashed = path.replace("\\", "/")
    if slashed.startswith("/"):
        spelled = posixpath.normpath(f"/{slashed.lstrip('/')}")
    else:
        spelled = Path(os.path.relpath(ROOT / slashed, ROOT)).as_posix()
    if spelled != path:
        raise ValueError(f"write {spelled!r}, as DVC does in dvc.lock")
    return path


FilePath = Annotated[str, AfterValidator(_normalised)]
"""A file, absolute or relative to the checkout, in the one spelling that dvc.lock keeps."""


class Section(BaseModel):
    """A mapping with these keys and no other."""

    model_config = ConfigDict(extra="forbid", frozen=True)
