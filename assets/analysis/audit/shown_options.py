"""The options that a prompt lists: what a model saw, whatever the record says."""

import re
from itertools import pairwise

from assets.schema.sample import LETTERS

_MARK = re.compile(r"^[ \t]*\(([A-Z])\)[ \t]*", re.MULTILINE)
_ENDS = re.compile(r"\n\s*\n|\n\[")


def shown_options(prompt: str) -> tuple[str, ...] | None:
    """The texts of the last list of options in a prompt, white space evened out; None where it has no list.

    A list is two or more lines that begin with (A), (B), (C) in this order; its last option ends at an empty line,
    or at the next bracketed heading. What stands before, such as solved examples, has lists of its own.

    Source: the first turns of M3CoT's 24 released prediction files.
    """
    marks = list(_MARK.finditer(prompt))
    starts = [place for place, mark in enumerate(marks) if mark[1] == "A"]
    if not starts:
        return None
    listed = []
    for letter, mark in zip(LETTERS, marks[starts[-1] :], strict=False):
        if mark[1] != letter:
            break
        listed.append(mark)
    if len(listed) < 2:
        return None
    texts = [prompt[one.end() : other.start()] for one, other in pairwise(listed)]
    texts.append(_ENDS.split(prompt[listed[-1].end() :], maxsplit=1)[0])
    return tuple(" ".join(text.split()) for text in texts)
