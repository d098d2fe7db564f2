"""Ids of samples as an export needs them: each once, and, where a file is named by it, a name on every system."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from assets.exports.folder import ExportError
from assets.schema.sample import Sample
from assets.schema.vocabulary import SPLITS
from assets.sources.folders import place

SHOWN = 3
"""Ids that a sentence names."""

LONGEST = 200
"""Bytes of an id that is a file's name: with a suffix it stays below what file systems allow, 255."""

_RESERVED = re.compile(
    r"[<>:\"|?*\x00-\x1f]|[. ]\Z|\A(?:CON|PRN|AUX|NUL|COM[1-9\u00b9\u00b2\u00b3]|LPT[1-9\u00b9\u00b2\u00b3])(?:\.|\Z)",
    re.IGNORECASE,
)
"""What no name of a file on Windows has. Source: its documentation, Naming Files, Paths, and Namespaces."""


def named(ids: Sequence[str]) -> str:
    """The first ids, and that there are more."""
    return ", ".join(ids[:SHOWN]) + (", …" if len(ids) > SHOWN else "")


def check(samples: Iterable[Sample]) -> None:
    """Raises where the samples cannot be told apart or have no split.

    Raises:
        ExportError: two have the same id, or a split is none.
    """
    samples = list(samples)
    counts = Counter(sample.id or "" for sample in samples)
    if several := [repr(name) for name, count in counts.items() if count > 1]:
        raise ExportError(f"{named(several)}: more than one sample has this id: give each its own")
    # a sample without a split is one of test
    for sample in samples:
        if (sample.split or "test") not in SPLITS:
            raise ExportError(f"{sample.id}: its split {sample.split!r} is none: choose one of {', '.join(SPLITS)}")


def stem(sample: Sample) -> str:
    """The sample's id as the name of a file.

    Raises:
        ExportError: no file can have that name, here or on Windows.
    """
    name = sample.id or ""
    if "/" in name or place(name) != name or len(name.encode(errors="surrogatepass")) > LONGEST:
        raise ExportError(f"{name!r}: is an id that no picture's file can have: give the sample another one")
    if _RESERVED.search(name):
        raise ExportError(f"{name!r}: is an id that no file on Windows can have: give the sample another one")
    return name


def stems(samples: Iterable[Sample]) -> dict[str, str]:
    """The name of a file for each sample's id.

    Raises:
        ExportError: an id can be no file's name, or two would be one file's on some system.
    """
    found: dict[str, str] = {}
    owners: dict[str, str] = {}
    for sample in samples:
        name = stem(sample)
        # macOS takes NFC and NFD for the same name; it and Windows, capitals and small letters
        same = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
        other = owners.setdefault(same, name)
        if name in found or other != name:
            raise ExportError(
                f"{other!a} and {name!a}: are ids that are the same, differ in case alone, or in how their "
                "accents are composed, so that one file would have both: give the samples other ids"
            )
        found[name] = name
    return found
