"""The order of names with numbers in them."""

import re

_DIGITS = re.compile(r"([0-9]+)")


def natural(name: str) -> tuple[tuple[tuple[tuple[int, int, str], ...], ...], str]:
    """A key that sorts names, part by part of a path, with their numbers by value: `page2-9` before `page10-1`."""
    return tuple(_part(part) for part in name.split("/")), name


def _part(part: str) -> tuple[tuple[int, int, str], ...]:
    # a number by its length and digits: as an int it could be longer than Python reads
    return tuple(
        (0, len(run.lstrip("0")), run.lstrip("0")) if run.isascii() and run.isdigit() else (1, 0, run)
        for run in _DIGITS.split(part)
        if run
    )
