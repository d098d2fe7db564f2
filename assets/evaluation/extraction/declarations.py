"""Where a reply declares its answer, and what it declares: the last one wins.

Source: the strict grammar, rule 4.
"""

import re
from bisect import bisect_left
from typing import NamedTuple

from assets.evaluation.extraction import cues
from assets.evaluation.extraction.cleaning import ECHO
from assets.evaluation.extraction.options import of_a_word
from assets.evaluation.extraction.reading import Form, Found, Reply

_BOLD = re.compile(r"(?:\*\*|__|<(?:b|strong)>)[\s(\[\"'`]*(?=([A-Za-z])(?![A-Za-z0-9]))")
_BOLD_ENDS = re.compile(r"[)\].:,\s\"'`]*(?:\*\*|__|</(?:b|strong)>)")
_LINE_OPENS = re.compile(r"[\s\-•·*_>#(\[{\"'`$“]*(?=[A-Za-z])")
_RUN = re.compile(r"[A-Z]{2,26}(?![A-Za-z0-9])")
_SENTENCE_END = re.compile(r"[.!;。](?=\s|\Z|[A-Z])")
_REASON = re.compile(r"[)\]}*_\"'`$]*\s*(?:[,:]|(?:because|since|as|for|due|given)(?![a-z])|\Z)")
_OWN_LETTER = re.compile(
    r"(?<![A-Za-z0-9])([A-Za-z])[)\]}*_\"'`$>]*\s*[.:,;=\-\u2013)]?\s*(?:(?:an?|the)\s)?[(*_\"'`$]*\Z"
)
# A condition is looked for this far to either side at most.
_SENTENCE = 300
# No gap in any reply seen has more steps: punctuation, verb, article, noun, hedge and wrappers in turn.
_GAP_STEPS = 24


class Declaration(NamedTuple):
    """rule: which kind of declaration. found: what it says; no letters when the letter lies outside the item."""

    rule: str
    found: Found


def declaration(reply: Reply) -> Declaration | None:
    """The last declaration of the strongest kind in the reply, or None.

    Worded and boxed ones come first; a bare "option C", bold letters, a last line that begins with a letter form
    and a closing clause count only where there is none of those.

    Source: the strict grammar, rule 4.
    """
    verdicts, predicates = _verdicts(reply)
    worded, mentioned = _cued(reply, verdicts, predicates)
    if worded is not None:
        return worded
    if len({one.found.letters for one in mentioned}) > 1 and _goes_on(reply, _last(mentioned)):
        # "Option A: brass. Option B: shiny." lists them.
        mentioned = []
    weaker = mentioned + _bold(reply) + _closing(reply)
    last_line = _last_line(reply)
    if last_line:
        weaker.append(last_line)
    return _last(weaker) if weaker else None


def _goes_on(reply: Reply, declared: Declaration) -> bool:
    return any(character.isalnum() for character in reply.text[declared.found.end :])


def _last(declarations: list[Declaration]) -> Declaration:
    return max(declarations, key=lambda one: one.found.start)


def _cued(
    reply: Reply, worded: Declaration | None, predicates: list[tuple[int, int]]
) -> tuple[Declaration | None, list[Declaration]]:
    """The last declaration by a cue or a verdict, `worded`, and those by a bare "option C", which are weaker.

    A cue inside a verdict's predicate ("B is the correct answer, A is tempting") declares nothing that comes after.
    """
    low = reply.low
    mentioned: list[Declaration] = []
    dead: set[int] = set()
    for piece, group in cues.ASCII_CUES if low.isascii() else cues.ALL_CUES:
        if piece not in low:
            continue
        for cue in group:
            earliest = worded.found.start if worded else 0
            at = low.rfind(cue.stem, earliest)
            while at >= 0:
                judged = any(start <= at < end for start, end in predicates)
                declared = None if judged else _declared_by(reply, cue, at, dead)
                if declared is not None:
                    full, found = declared
                    said = Declaration("declaration", found)
                    if full:
                        worded = said if worded is None else _last([worded, said])
                        break
                    mentioned.append(said)
                at = low.rfind(cue.stem, earliest, at)
    return worded, mentioned


def _declared_by(reply: Reply, cue: cues.Cue, at: int, dead: set[int]) -> tuple[bool, Found] | None:
    low = reply.low
    if not cue.glued and at and (of_a_word(low[at - 1]) or low[at - 1] == "/"):
        return None
    tail = cues.CUE_TAILS[cue.stem].match(low, at + len(cue.stem))
    if tail is None:
        return None
    found = _after_gap(reply, at, tail.end(), dead)
    if found is None or reply.inside_option(at, tail.end()):
        return None
    if reply.cancelled(at) or reply.questioned(at, found.end) or reply.rejected(found):
        return None
    full = cue.full or bool(
        cues.MODIFIED.search(low, max(0, at - 24), at) or cues.VERB_OR_COLON.search(low, tail.end(), found.start)
    )
    if not full and not _stands_alone(reply, at, found):
        return None
    if reply.begins_lettered_lines(found):
        found = _with_next_line(reply, found)
    return full, found


def _stands_alone(reply: Reply, at: int, found: Found) -> bool:
    """Whether a bare "option C" is a clause, or gives its reason: not "than option C", not "option C shows a lamp"."""
    if cues.MENTIONED.search(reply.low, max(0, at - 40), at):
        return False
    if found.text or len(found.letters) != 1:
        return True
    if reply.text_after(Form(found.letters[0], found.start, found.end, False)):
        return True
    return bool(cues.CLAUSE_ENDS.match(reply.low, found.end) or _REASON.match(reply.low, found.end))


def _with_next_line(reply: Reply, found: Found) -> Found:
    """What is declared with the letter that the next line begins with; a letter outside the item stays alone."""
    if not found.letters:
        return found
    start = reply.text.find("\n", found.end)
    opening = _LINE_OPENS.match(reply.text, start)
    letter = reply.text[opening.end()].upper() if opening else ""
    return Found((*found.letters, letter), found.start, found.end)


def _after_gap(reply: Reply, cue_start: int, at: int, dead: set[int]) -> Found | None:
    """What stands after the cue that ends at `at`, if only a gap's words and marks lie between.

    dead: where gaps were found to lead to nothing; this gap's places are added if it does too.
    """
    text, low = reply.text, reply.low
    length = len(text)
    visited: list[int] = []
    for _ in range(_GAP_STEPS):
        if at >= length or at in dead:
            dead.update(visited)
            return None
        visited.append(at)
        character = text[at]
        option = reply.text_at(at)
        if option is not None:
            return reply.read_text(option)
        if character.isascii() and character.isalpha():
            form = reply.letter_at(at)
            if form is not None:
                return reply.read(form)
            listed = _run(reply, at)
            if listed is not None:
                return listed
        marks = cues.GAP_MARKS.match(low, at)
        if marks is not None:
            # "-2" and "$ 5" begin with a mark.
            for start in range(at + 1, marks.end()):
                if start in reply.starts and (option := reply.text_at(start)):
                    return reply.read_text(option)
            if _SENTENCE_END.search(text, at, marks.end()) and _embedded(reply, cue_start):
                return None
            at = marks.end()
            continue
        step = cues.GAP_MARKUP.match(low, at) or cues.GAP_WORDS.match(low, at)
        if step is None:
            dead.update(visited)
            return None
        at = step.end()
    return None


def _run(reply: Reply, at: int) -> Found | None:
    """`AB`: several of the item's letters run together."""
    run = _RUN.match(reply.text, at)
    if run is None or (at and of_a_word(reply.text[at - 1])):
        return None
    letters = tuple(dict.fromkeys(run.group()))
    if len(letters) < len(run.group()) or not all(letter in reply.item.letters for letter in letters):
        return None
    return Found(letters, at, run.end())


def _embedded(reply: Reply, cue_start: int) -> bool:
    """Whether the cue comes after other words on its line, so that a full stop after it ends a sentence."""
    line = reply.low[reply.low.rfind("\n", 0, cue_start) + 1 : cue_start]
    words = [word.strip("*_#>([\"'.:-") for word in line.split()]
    return any(w not in ("", "the", "my", "final", "correct", "best", "right", "so", ECHO) for w in words)


def _verdicts(reply: Reply) -> tuple[Declaration | None, list[tuple[int, int]]]:
    """The last declaration of the form LETTER is, must be, should be, seems (the) correct, right, best, answer.

    With it the [start, end) of the predicates that end such declarations.
    """
    low = reply.low
    found: list[Declaration] = []
    predicates: list[tuple[int, int]] = []
    for verdict in cues.VERDICTS if low.isascii() else cues.VERDICTS + cues.GLUED_VERDICTS:
        at = low.rfind(verdict)
        while at >= 0:
            if verdict.isascii():
                verb = cues.VERDICT_VERB.search(low, max(0, at - 60), at)
                if verb is not None and (cues.VERDICT_IS_ADVERB.match(low, at) or _hypothetical(low, verb.start(), at)):
                    verb = None
            else:
                verb = cues.GLUED_VERDICT_VERB.search(low, max(0, at - 8), at)
            said = _judged(reply, verb.start(), at) if verb else None
            if said is not None:
                ends = cues.VERDICT_ENDS.match(low, at)
                predicates.append((at, ends.end() if ends else at + len(verdict)))
                found.append(Declaration("declaration", said))
                break
            at = low.rfind(verdict, 0, at)
    return (_last(found) if found else None), predicates


def _hypothetical(low: str, verb: int, verdict: int) -> bool:
    """Whether the verdict says only what would be so: "if it rained, B would be right"."""
    if not cues.HYPOTHETICAL.search(low, verb, verdict):
        return False
    earliest, latest = max(0, verb - _SENTENCE), min(len(low), verdict + _SENTENCE)
    start = max(earliest, *(low.rfind(mark, earliest, verb) for mark in ".!?\n"))
    ends = [end for mark in ".!?\n" if (end := low.find(mark, verdict, latest)) >= 0]
    return cues.CONDITION.search(low, start, min(ends, default=latest)) is not None


def _judged(reply: Reply, verb: int, verdict: int) -> Found | None:
    """What stands before the verb of a verdict: a letter form, perhaps with its own text, or a list of them."""
    text = reply.text
    end = verb
    while end and text[end - 1] in " \t)]}*_\"'`$.:,”’":
        end -= 1
    if not end or reply.inside_option(verdict, verdict + 1):
        return None
    form = reply.letter_at(end - 1) if text[end - 1].isascii() and text[end - 1].isalpha() else None
    if form is None:
        form = _letter_before_own_text(reply, end)
        if form is None:
            return None
    elif reply.inside_option(form.start, form.end) or cues.NAMED_WITH_A_LETTER.search(
        reply.low, max(0, form.start - 12), form.start
    ):
        return None
    said = reply.read(form)
    for start in range(max(0, form.start - 24), form.start):
        # "A or B is correct" names two.
        if text[start].isalpha() and text[start].isascii() and (earlier := reply.letter_at(start)):
            listed = reply.read(earlier)
            if len(listed.letters) > 1 and listed.end >= form.end:
                said = listed
                break
    if reply.cancelled(said.start) or reply.negated(said.start):
        return None
    low = reply.low
    judged = cues.VERDICT_ENDS.match(low, verdict)
    if reply.questioned(said.start, judged.end() if judged else verdict):
        return None
    if cues.ONE_OF.search(low, max(0, said.start - 60), said.start):
        return None
    return said


def _letter_before_own_text(reply: Reply, end: int) -> Form | None:
    at = bisect_left(reply.spots, end, key=lambda spot: spot.end)
    if at == len(reply.spots) or reply.spots[at].end != end:
        return None
    start = reply.spots[at].start
    letter = _OWN_LETTER.search(reply.text, max(0, start - 8), start)
    return reply.letter_at(letter.start(1)) if letter else None


def _bold(reply: Reply) -> list[Declaration]:
    """Bold letters: alone in their bold, before a delimiter, or before an option's text."""
    if "**" not in reply.text and "__" not in reply.text and "<" not in reply.text:
        return []
    found: list[Declaration] = []
    for opening in _BOLD.finditer(reply.text):
        at = opening.start(1)
        written = reply.text[at]
        if _BOLD_ENDS.match(reply.text, at + 1):
            form: Form | None = Form(written.upper(), at, at + 1, True)
        else:
            form = reply.letter_at(at)
            if form is not None and not (
                form.wrapped or reply.text[at + 1 : at + 2] in (".", ":", ")") or reply.text_after(form)
            ):
                form = None
        if form is None or reply.inside_option(at, at + 1) or (found and at < found[-1].found.end):
            continue
        outside = reply.text_at(at) if form.letter not in reply.item.letters else None
        # The option "x" in bold, say.
        said = reply.read_text(outside) if outside else reply.read(form)
        if reply.negated(at) or reply.rejected(said) or reply.questioned(at, said.end):
            continue
        if reply.begins_lettered_lines(said):
            said = _with_next_line(reply, said)
        found.append(Declaration("bold", said))
    return found


def _last_line(reply: Reply) -> Declaration | None:
    """A last line that begins with a letter form and goes on, when the line before is not a lettered one."""
    text = reply.text.rstrip()
    start = text.rfind("\n") + 1
    if not start:
        return None
    form = line_opening(reply, start)
    if form is None:
        return None
    if not any(character.isalnum() for character in text[form.end :]):
        return None
    before_end = len(text[:start].rstrip())
    if not before_end or line_opening(reply, text.rfind("\n", 0, before_end) + 1):
        return None
    said = reply.read(form)
    if reply.rejected(said) or reply.questioned(form.start, said.end):
        return None
    return Declaration("last_line", said)


def line_opening(reply: Reply, start: int) -> Form | None:
    """The letter form the line at `start` begins with, or None: option text that happens to begin so is none."""
    opening = _LINE_OPENS.match(reply.text, start)
    if opening is None or "\n" in opening.group().strip("\n"):
        return None
    at = opening.end()
    if reply.inside_option(at, at + 1):
        return None
    form = reply.letter_at(at)
    return form if form is not None and form.letter in reply.item.letters else None


def _closing(reply: Reply) -> list[Declaration]:
    """Closing clauses (so, thus, hence, therefore, leaves, it is, it must be) that end in one letter."""
    low, text = reply.low, reply.text
    found: list[Declaration] = []
    for opening in cues.CLOSING.finditer(low):
        if reply.cancelled(opening.start()):
            continue
        at = opening.end()
        for _ in range(_GAP_STEPS):
            if at >= len(text) or text[at] == "\n":
                break
            if text[at].isascii() and text[at].isalpha() and (form := reply.letter_at(at)):
                said = reply.read(form)
                own = reply.text_after(form)
                end = max(said.end, own.end if own else 0)
                usable = form.letter in reply.item.letters and not reply.inside_option(at, at + 1)
                if usable and cues.CLAUSE_ENDS.match(low, end) and not reply.questioned(at, end):
                    found.append(Declaration("closing_clause", said))
                break
            step = cues.GAP_MARKS.match(low, at) or cues.GAP_MARKUP.match(low, at)
            step = step or cues.GAP_WORDS.match(low, at) or cues.CLOSING_WORDS.match(low, at)
            if step is None:
                break
            at = step.end()
    return found
