"""Which option a rationale comes to: what it says at its end, and what it argues on the way."""

import re
from collections.abc import Sequence

from assets.evaluation.extraction.strict import extract
from assets.schema.sample import LETTERS, Sample
from assets.steps import segment

_MARKER = re.compile(r"\A\s*(?:\*{0,2}step\s+\d{1,3}\s*[:.)\-–—]\*{0,2}|\(?\d{1,3}[.)])\s+", re.I)
_CONCLUDES = re.compile(
    r"(?:so|therefore|thus|hence|consequently|accordingly|finally|overall|conclusively|in (?:conclusion|summary|short)"
    r"|as a result|for (?:these|this) reasons?|to sum (?:it )?up|taken together|all in all|altogether)\b",
    re.I,
)
_DECLARED = re.compile(
    r"\b(?:the|our|its) (?:(?:final|correct|right|best) )?(?:answer|choice|option) (?:is|must be|would be)\s*"
    r"(?:therefore)?\s*:?\s*(.+)\Z|\A[^:]{1,80}:\s*(.+)\Z",
    re.I | re.S,
)
_TYPESET = re.compile(
    r"\\(?:boxed|text|mathrm|textbf|mathbf)(?![A-Za-z])|\\[,;!: ]|\\(?:left|right)(?![A-Za-z])|[\s${}*\"“”'‘’]"
)
_NEGATED = re.compile(r"\b(?:not|no|never|neither|nor|none|cannot|without|instead|rather)\b|n['’]t\b", re.I)
_JUDGED = re.compile(
    r"\b(?:option|choice)\s+[\"“'(]{0,2}([A-Z])\b[^.;\n]{0,80}?\b(?:is|was|as|be|to be|seems|remains)\b[^.;\n]{0,30}?"
    r"\b(?:appropriate|correct|right|accurate|best|proper|suitable|preferred)\s+(?:response|choice|answer|option|one)\b"
)
_PICTURED = re.compile(r"option ([a-z]) in the (?:image|picture|figure)", re.I)
_ASKED = re.compile(
    r"\b(?:which|what|select|choose)\b.{0,80}?\b(?:contains?|is|uses?|shows?|has)\s+an?\s+([a-z][a-z -]{2,60})\?", re.I
)
_NAMED = re.compile(
    r"\boption ([A-Z])(?: in the (?:image|picture|figure))?\b"
    r"|\b(first|second|third|fourth) (?:option|answer choice|choice|sentence|text|statement)\b",
    re.I,
)
_HAS = re.compile(r"\b(?:contains?|presents?|has|is|uses?|exhibits?|shows?|involves?)\b", re.I)
_MENDS = re.compile(
    r"\b(?:correct(?:ion|s|ed)|possible|suggest\w*|resol\w+|clarif\w+|rewr\w+|revis\w+|address\w*|avoid\w*|fix\w*)\b",
    re.I,
)
_ORDINALS = ("first", "second", "third", "fourth")


def concluded(text: str, choices: Sequence[str]) -> str | None:
    """The letter of the option that the last step declares, or None where it declares none that is clear.

    A declaration counts as the strict grammar reads it, and so does "option B is the appropriate response". The
    mere text of an option counts only in a step that begins as a conclusion does and denies nothing: "So, the
    lichen is a producer, not a consumer" comes to nothing here. Where the whole of what a last sentence declares
    ("So the answer is $(2, 6)$", "Taken together, both hold: ..."), or what follows its last equals sign, is one
    option's text but for typesetting, it is that option, whatever it denies.
    """
    steps = segment(text, "marked")
    if not steps or not 2 <= len(choices) <= len(LETTERS):
        return None
    last = _MARKER.sub("", steps[-1], count=1) or steps[-1]
    found = extract(last, choices)
    if found.letter is not None and found.rule not in ("option_text", "parentheses"):
        return found.letter
    if (declared := _declared(last, choices)) is not None:
        return declared
    judged = {_letter(match[1], choices) for match in _JUDGED.finditer(last)}
    if len(judged) == 1 and not _NEGATED.search(last):
        return judged.pop()
    if _CONCLUDES.match(last) and not _NEGATED.search(last):
        return found.letter
    return None


def argued(text: str, question: str, choices: Sequence[str]) -> frozenset[str]:
    """Letters of the options that a sentence says have what the question asks for ("... contains a vague ...").

    Read only of questions that ask which option has or is a named thing of two words or more. A sentence counts
    where it names an option, then a verb of having or being, then at least two in three of the thing's words, and
    speaks of no correction and denies nothing.
    """
    asked = _ASKED.search(question)
    words = {word for word in re.findall(r"[a-z]+", asked[1].lower()) if len(word) > 2} if asked else set()
    found: set[str] = set()
    if len(words) < 2:
        return frozenset()
    for step in segment(text, "marked"):
        for sentence in segment(re.sub(r"[\"“][^\"”]*[\"”]", "", step), "roscoe-lines"):
            named = list(_NAMED.finditer(sentence))
            letters = {_letter(match[1] or LETTERS[_ORDINALS.index(match[2].lower())], choices) for match in named}
            rest = sentence[named[-1].end() :] if named else ""
            said = words & set(re.findall(r"[a-z]+", rest.lower()))
            letter = letters.pop() if len(letters) == 1 else None
            if letter is None or not _HAS.search(rest) or 3 * len(said) < 2 * len(words):
                continue
            if not _MENDS.search(sentence) and not _NEGATED.search(sentence):
                found.add(letter)
    return frozenset(found)


def disagreeing(sample: Sample) -> bool:
    """Whether the rationale concludes another option than the answer, or argues for one other option alone.

    The answer is not touched by this: it is for people to look at.
    """
    if sample.choices is None or sample.answer is None:
        return False
    text = sample.text
    letter = concluded(text, sample.choices)
    if letter is not None and letter != sample.answer:
        return True
    for_options = argued(text, sample.question or "", sample.choices)
    return len(for_options) == 1 and sample.answer not in for_options


def _declared(last: str, choices: Sequence[str]) -> str | None:
    """The letter of the one option whose text is all that the step's last sentence declares."""
    for start in sorted({0, *(last.rfind(sentence) for sentence in segment(last)[-1:])}, reverse=True):
        sentence = last[max(start, 0) :].strip()
        match = _DECLARED.search(sentence)
        if match is None or not (match[1] or _CONCLUDES.match(sentence)):
            continue
        said = _untypeset(match[1] or match[2])
        for value in (said, said.rpartition("=")[2]):
            letters = [LETTERS[at] for at, text in enumerate(choices) if value and value == _untypeset(text)]
            if len(letters) == 1:
                return letters[0]
    return None


def _untypeset(text: str) -> str:
    """The text without white space, case, dollars, braces, quotes and its full stop, to compare with another."""
    return _TYPESET.sub("", text.replace("−", "-")).rstrip(".").casefold()


def _letter(written: str, choices: Sequence[str]) -> str | None:
    """The letter of the choice meant: where choices are "Option B in the image", the one of that text."""
    pictured = {match[1].upper(): LETTERS[at] for at, text in enumerate(choices) if (match := _PICTURED.search(text))}
    letter = written.upper()
    if pictured:
        return pictured.get(letter)
    return letter if letter in LETTERS[: len(choices)] else None
