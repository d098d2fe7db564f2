"""Reasoning steps: the one segmentation of a rationale, used by filters, statistics and people's pages alike."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from assets.schema.faults import Fault

PROFILES = ("roscoe", "roscoe-lines", "marked")

_STEP = re.compile(
    r"[ \t]{0,40}[#>*_ \t]{0,40}step[ \t]+\d{1,3}(?:[*_]{1,2})?[ \t]*(?:[:.)\-–—]|[*_]{0,2}[ \t]*$)", re.I
)
_STEP_WITHIN = re.compile(r"(?<=[.!?:])[ \t]+(?=\*{0,2}step[ \t]+\d{1,3}[ \t]*:)", re.I)
_NUMBERED = re.compile(r"([ \t]*)(?:\*{1,2})?\(?\d{1,3}[.)][ \t]+\S")
_BULLET = re.compile(r"[ \t]*(?:[-*+•‣◦–—][ \t]+\S|\|)")
_ENUMERATOR = re.compile(r"\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{2,4})[.)]{1,2}|\([A-Za-z]\)\.?")
_MARKER = r"(?:<[A-Z][A-Z ]{2,40}>|\[[A-Z][A-Z ]{2,40}\]|\[(?:\.\.\.|…)\])"
_LEFTOVER = re.compile(rf"\s*{_MARKER}\s*")
_LEADING_LEFTOVER = re.compile(r"^[ \t]{0,40}<[A-Z]+(?: [A-Z]+){1,5}>[ \t]*", re.M)
_LABEL = re.compile(
    r"[#>*_ \t]{0,40}(?:(?:rewritten|revised|refined)[ \t]+)?(?:rationale|explanation|reasoning|solution)[*_]*[ \t]*:"
    r"[*_]*[ \t]*",
    re.I,
)
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+\S.*|[ \t]*\*\*[^*]+\*\*:?[ \t]*")
_INTRODUCES = re.compile(
    r"[ \t]*(?:sure[,!. ]+)?(?:here(?:'s|’s| is| are)|below (?:is|are)|the following (?:is|are))\b.*[:：][ \t]*", re.I
)
_SENTENCE_END = re.compile(r"[.!?。！？][\"'”’)\]*_]*$")
_MATHS = re.compile(
    r"\\\[.{0,4000}?\\\]|\\\(.{0,4000}?\\\)|\$\$.{1,4000}?\$\$|(?<![\\$])\$(?![\s$])[^$\n]{0,1000}?(?<![\s\\$])\$(?![\d$])",
    re.S,
)

_ENVIRONMENT = re.compile(r"\\(begin|end)[ \t]?\{([A-Za-z]{1,30}\*?)\}")
_CLOSES = re.compile(r"\\(?:end[ \t]?\{|\])")


class StepsError(Fault):
    """A profile of step segmentation that is none."""


def segment(text: str, profile: str = "roscoe") -> list[str]:
    r"""The steps of a rationale in order, without white space at their ends; blanks give none.

    roscoe: the sentences that Punkt for English finds, as ROSCOE's code has it. It never ends a step at a newline,
    and makes `1.` before `Find x.` a step of its own. 10.78 steps on average over the 36 real rationales of M3CoT
    at hand, where the paper says 10.9 over the whole benchmark.
    roscoe-lines: the same, then split at newlines (ROSCOE's variant for GSM8K): 13.58 on average there.
    marked: ours, for rationales that number their steps themselves:

    1. Maths (`$…$`, `$$…$$`, `\[…\]`, `\(…\)`, `\begin{X}…\end{X}`) is never split; a `$` followed by a space, or
       preceded by one where it would close, is money. No step begins with `\]` or `\end{X}`, save the first.
    2. Lines that begin with `Step N` (then a colon, full stop, bracket or dash) each begin a step, also after a
       sentence within a line; without any, the least indented lines of a numbered list do, if there are two or more.
       Numbers may skip or repeat. What lies between two of them belongs to the first: bullets, table rows, lists
       within, paragraphs.
    3. After the last of them, a paragraph behind a blank line is prose, unless it is indented or the step so far
       ends in no full stop. Prose is split by blank lines and Punkt; bullets and table rows belong to the sentence
       before (bullets without one are steps); an enumerator alone (`1.`, `(A).`, `b)`) belongs to the sentence after.
    4. No steps: a leftover marker (`<REWRITTEN RATIONALE>`, `[RATIONALE]`, `[…]`), a heading, a title line
       (`Rationale: …` without a full stop), a line that introduces (`Here is the rewritten rationale:`), a paragraph
       that ends in a colon right before the first marked step, and a marker with nothing behind it.

    Source: arXiv:2405.16473, footnote 1 ("all step segmentation follows the ROSCOE").

    Raises:
        StepsError: there is no such profile.
    """
    if profile == "roscoe":
        return _sentences(text)
    if profile == "roscoe-lines":
        return [line for sentence in _sentences(text) for line in _lines(sentence)]
    if profile == "marked":
        return _closed(_marked(text))
    raise StepsError(f"steps profile: {profile!r} is none of {', '.join(PROFILES)}: write one of these")


def annotated(text: str) -> list[str]:
    """The steps as annotators see and number them, from 1: split at newlines, then by Punkt."""
    return [sentence for line in text.split("\n") for sentence in _sentences(line)]


@lru_cache(maxsize=1)
def _punkt() -> Any:
    import punkt

    return punkt.tokenizer_for("english")


def _sentences(text: str) -> list[str]:
    return [step for sentence in _punkt().tokenize(text) if (step := sentence.strip())]


def _lines(text: str) -> list[str]:
    return [line for raw in text.split("\n") if (line := raw.strip())]


def _marked(text: str) -> list[str]:
    text = _LEADING_LEFTOVER.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    masked = _masked(text)
    text, masked = _broken_before_steps(text, masked)
    # where a line ends is asked of the masked text, which is as long: a newline within maths ends none
    lines = []
    start = 0
    for line in masked.split("\n"):
        lines.append((text[start : start + len(line)], line))
        start += len(line) + 1
    lines = [line for line in lines if not _LEFTOVER.fullmatch(line[1])]
    starts = _starts(lines)
    if not starts:
        return _prose(_without_titles(lines))
    steps = _prose(_without_lead_in(_without_titles(lines[: starts[0]])))
    for first, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        body, rest = lines[first:end], lines[end:]
        if end == len(lines):
            body, rest = _own_and_rest(body)
        step = "\n".join(line for line, _ in body).strip()
        if _STEP.sub("", step, count=1).strip(" \t\n*_"):
            steps.append(step)
        if end == len(lines):
            steps += _prose(rest)
    return steps


def _closed(steps: list[str]) -> list[str]:
    """The steps, one that begins with what closes maths joined to the one before."""
    joined: list[str] = []
    for step in steps:
        if joined and _CLOSES.match(step):
            joined[-1] = f"{joined[-1]}\n{step}"
        else:
            joined.append(step)
    return joined


def _environments(text: str) -> list[tuple[int, int]]:
    r"""Where each outermost `\begin{X}…\end{X}` starts and ends; one that is not closed is none."""
    opened: list[tuple[str, int]] = []
    depth: dict[str, int] = {}
    spans: list[tuple[int, int]] = []
    for match in _ENVIRONMENT.finditer(text):
        name = match[2]
        if match[1] == "begin":
            opened.append((name, match.start()))
            depth[name] = depth.get(name, 0) + 1
        elif depth.get(name):
            start = match.start()
            inner = ""
            while inner != name:
                inner, start = opened.pop()
                depth[inner] -= 1
            while spans and spans[-1][0] >= start:
                spans.pop()
            spans.append((start, match.end()))
    return spans


def _masked(text: str) -> str:
    """The text with maths crossed out, character for character; a full stop that ends it stays."""

    def crossed(found: re.Match[str]) -> str:
        inner = found[0].rstrip("$)]\\").rstrip()
        stop = inner[-1:] if inner[-1:] in ".!?" else ""
        return "x" * (len(found[0]) - len(stop)) + stop

    for start, end in _environments(text):
        body = text[start : text.rindex("\\end", start, end)].rstrip().rstrip("$)]\\").rstrip()
        stop = body[-1:] if body[-1:] in ".!?" else ""
        text = f"{text[:start]}{'x' * (end - start - len(stop))}{stop}{text[end:]}"
    return _MATHS.sub(crossed, text)


def _broken_before_steps(text: str, masked: str) -> tuple[str, str]:
    """Both with a newline for the white space before a `Step N:` within a line."""
    found = [match.span() for match in _STEP_WITHIN.finditer(masked)]
    for start, end in reversed(found):
        text, masked = (f"{whole[:start]}\n{whole[end:]}" for whole in (text, masked))
    return text, masked


def _starts(lines: list[tuple[str, str]]) -> list[int]:
    if found := [place for place, (_, line) in enumerate(lines) if _STEP.match(line)]:
        return found
    numbered = [(place, len(match[1])) for place, (_, line) in enumerate(lines) if (match := _NUMBERED.match(line))]
    least = min((indent for _, indent in numbered), default=0)
    outer = [place for place, indent in numbered if indent == least]
    return outer if len(outer) > 1 else []


def _own_and_rest(lines: list[tuple[str, str]]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The last marked step's own lines, and the prose that follows them."""
    for place in range(1, len(lines)):
        line = lines[place][1]
        if lines[place - 1][1].strip() or not line.strip() or line[0] in " \t" or _BULLET.match(line):
            continue
        before = next(earlier for _, earlier in reversed(lines[:place]) if earlier.strip()).rstrip()
        if _SENTENCE_END.search(before):
            return lines[:place], lines[place:]
    return lines, []


def _without_titles(lines: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The lines without headings, title lines and introductions; a label before a sentence is cut off."""
    kept = []
    for raw, line in lines:
        label = _LABEL.match(line)
        cut = label.end() if label else 0
        raw, line = raw[cut:], line[cut:]
        if cut and not _SENTENCE_END.search(line.rstrip()):
            continue
        if not _HEADING.fullmatch(line) and not _INTRODUCES.fullmatch(line):
            kept.append((raw, line))
    return kept


def _without_lead_in(lines: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The lines before the first marked step without the paragraph that leads to it, if it ends in a colon."""
    while lines and not lines[-1][1].strip():
        lines = lines[:-1]
    if not lines or not lines[-1][1].rstrip().endswith((":", "：")):
        return lines
    while lines and lines[-1][1].strip():
        lines = lines[:-1]
    return lines


def _prose(lines: list[tuple[str, str]]) -> list[str]:
    steps: list[str] = []
    owned = False
    for kind, text, masked in _blocks(lines):
        row = masked.lstrip().startswith("|")
        if kind == "sentences":
            found = _joined(text, masked)
            steps += found
            owned = owned or bool(found)
        elif owned or (row and steps and steps[-1].startswith("|")):
            steps[-1] = f"{steps[-1]}\n{text}"
        else:
            steps.append(text.strip())
    return steps


def _blocks(lines: list[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Paragraphs as (sentences or hanging, text, masked); bullets and table rows hang, each with its indented lines."""
    held: list[tuple[str, str]] = []
    hanging = False

    def block() -> Iterator[tuple[str, str, str]]:
        if held:
            raw, masked = ("\n".join(part) for part in zip(*held, strict=True))
            yield ("hanging" if hanging else "sentences"), raw.rstrip(), masked.rstrip()
            held.clear()

    for raw, line in lines:
        if not line.strip():
            yield from block()
            hanging = False
        elif _BULLET.match(line):
            yield from block()
            hanging = True
            held.append((raw, line))
        else:
            if hanging and held and line[0] not in " \t":
                yield from block()
                hanging = False
            held.append((raw, line))
    yield from block()


def _joined(text: str, masked: str) -> list[str]:
    """The sentences of a paragraph, an enumerator that stands alone joined to the one after it."""
    steps: list[str] = []
    begun: int | None = None
    end = 0
    for start, end in _punkt().span_tokenize(masked):
        begun = start if begun is None else begun
        if not _ENUMERATOR.fullmatch(masked[start:end].strip()):
            steps.append(text[begun:end].strip())
            begun = None
    if begun is not None:
        rest = text[begun:end].strip()
        steps[-1:] = [f"{steps[-1]} {rest}" if steps else rest]
    return [step for step in steps if step]
