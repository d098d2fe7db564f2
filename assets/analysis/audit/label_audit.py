"""What a person should look at before trusting a label: rationales, options and records that speak against it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from assets.analysis.audit.shown_options import shown_options
from assets.analysis.audit.votes import Split
from assets.evaluation.rows import Reply
from assets.m3cot.conclusion import argued, concluded
from assets.schema.analysis_vocabulary import FINDINGS
from assets.schema.sample import LETTERS, Sample
from assets.steps import segment

_TEXT = 100
"""Characters of a text that a detail keeps."""

_NAMED = 3
"""Evaluations that a detail names; more are counted."""

_ORDER = tuple(FINDINGS)


class _Found(NamedTuple):
    finding: str
    other: str | None
    detail: str
    evaluation: str | None = None


def findings(
    samples: Mapping[tuple[str, str], Sequence[Sample]],
    replies: Mapping[str, Sequence[Reply]],
    asked: Mapping[str, Split],
) -> Iterator[dict[str, Any]]:
    """Rows of table `finding`: by edition and split its samples in their order, what was found of each.

    Of the kept samples: whether the gold rationale concludes, or argues for, another option than the label; options
    equal but for case and white space (`other`: the one letter beside the label's), or one within another (which
    the published rule mistakes for each other). Of the records of replies: whether the first turn lists other options
    than the record, and whether the record has others than the sample (`other`: the letter at which the label's text
    stands there, where it is another one). Records that show the same are one finding; `evaluation` names the one
    that shows it, and several are counted in `detail`.

    Args:
        samples: by benchmark and edition.
        replies: by evaluation.
        asked: by evaluation its benchmark, edition and split.
    """
    records = _by_sample(replies, asked)
    for (benchmark, edition), rows in sorted(samples.items()):
        kept = [sample for sample in rows if sample.dropped is None and sample.split is not None]
        for sample in sorted(kept, key=lambda sample: sample.split or ""):
            split = sample.split or ""
            said = [*_of_rationale(sample), *_of_options(sample)]
            said += _of_records(sample, records.get((benchmark, edition, split, sample.id or ""), ()))
            for found in sorted(said, key=lambda one: (_ORDER.index(one.finding), one.evaluation or "", one.detail)):
                yield {
                    "benchmark": benchmark,
                    "edition": edition,
                    "split": split,
                    "sample_id": sample.id,
                    "finding": found.finding,
                    "label": sample.answer or "",
                    "other": found.other,
                    "detail": found.detail,
                    "evaluation": found.evaluation,
                }


_Records = Sequence[tuple[str, Reply]]


def _by_sample(
    replies: Mapping[str, Sequence[Reply]], asked: Mapping[str, Split]
) -> dict[tuple[str, str, str, str], list[tuple[str, Reply]]]:
    found: dict[tuple[str, str, str, str], list[tuple[str, Reply]]] = {}
    for evaluation, several in sorted(replies.items()):
        for reply in several:
            if reply.dropped is None and reply.sample_id is not None:
                found.setdefault((*asked[evaluation], reply.sample_id), []).append((evaluation, reply))
    return found


def _of_rationale(sample: Sample) -> Iterator[_Found]:
    text = sample.text
    if not text or not sample.choices or sample.answer is None:
        return
    letter = concluded(text, sample.choices)
    if letter is not None and letter != sample.answer:
        last = (segment(text, "marked") or [text])[-1]
        detail = f"It ends: {_shortened(last, _TEXT)!r}; {_option(sample.choices, letter)}"
        yield _Found("rationale_concludes_other", letter, f"{detail}; {_option(sample.choices, sample.answer)}")
        return
    for_options = argued(text, sample.question or "", sample.choices)
    if len(for_options) == 1 and sample.answer not in for_options:
        (other,) = for_options
        detail = f"It argues for {_option(sample.choices, other)}; {_option(sample.choices, sample.answer)}"
        yield _Found("rationale_argues_other", other, detail)


def _of_options(sample: Sample) -> Iterator[_Found]:
    choices = sample.choices or ()
    letters_of: dict[str, str] = {}
    for letter, choice in zip(LETTERS, choices, strict=False):
        plain = _plain(choice)
        letters_of[plain] = letters_of.get(plain, "") + letter
    for letters in letters_of.values():
        if len(letters) > 1:
            others = letters.replace(sample.answer or "?", "")
            against = others if len(others) == 1 else None
            yield _Found("options_equal", against, "; ".join(_option(choices, letter) for letter in letters))
    nested = [
        f"{_option(choices, letters[0])}, within {_option(choices, around[0])}"
        for text, letters in letters_of.items()
        for longer, around in letters_of.items()
        if text and text != longer and text in longer
    ]
    if nested:
        yield _Found("options_nested", None, "; ".join(nested))


def _of_records(sample: Sample, records: _Records) -> Iterator[_Found]:
    seen: dict[tuple[str, tuple[str, ...], tuple[str, ...]], list[str]] = {}
    sample_has = _evened(sample.choices or ())
    for evaluation, reply in records:
        record_has = sample_has if reply.choices is None else _evened(reply.choices)
        if record_has != sample_has:
            seen.setdefault(("record_options_differ", record_has, sample_has), []).append(evaluation)
        messages = reply.messages or ()
        shown = shown_options(messages[0]) if len(messages) > 1 and messages[0] is not None else None
        if shown is not None and shown != record_has and not _alike(shown, record_has):
            seen.setdefault(("prompt_options_differ", shown, record_has), []).append(evaluation)
    for (finding, there, here), several in seen.items():
        evaluations = list(dict.fromkeys(several))
        detail = _differing(there, here, finding)
        if len(evaluations) > 1:
            more = "" if len(evaluations) <= _NAMED else ", …"
            detail += f"; {len(evaluations)} evaluations: {', '.join(evaluations[:_NAMED])}{more}"
        one = evaluations[0] if len(evaluations) == 1 else None
        yield _Found(finding, _moved(sample, sample_has, there), detail, one)


def _differing(there: Sequence[str], here: Sequence[str], finding: str) -> str:
    """Where the options differ: the letters with both texts."""
    said, stands = ("the prompt", "the record") if finding == "prompt_options_differ" else ("the record", "the sample")
    pairs = []
    for place in range(max(len(there), len(here))):
        one = there[place] if place < len(there) else None
        other = here[place] if place < len(here) else None
        if one != other:
            pairs.append(f"{LETTERS[place]} is {_quoted(one)} in {said}, {_quoted(other)} in {stands}")
    return "; ".join(pairs)


def _quoted(text: str | None) -> str:
    return "no option" if text is None else repr(_shortened(text, _TEXT // 2))


def _moved(sample: Sample, has: Sequence[str], there: Sequence[str]) -> str | None:
    """The other letter at which the label's text stands among the options that were shown, where there is one."""
    place = LETTERS.find(sample.answer or "?")
    if not 0 <= place < len(has):
        return None
    text = has[place]
    places = [at for at, one in enumerate(there) if one == text]
    return LETTERS[places[0]] if places and place not in places else None


def _evened(choices: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(" ".join((choice or "").split()) for choice in choices)


def _alike(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether options are the same but for case and a full stop, where these tell no two of them apart."""
    plain = [[choice.rstrip(". ").casefold() for choice in choices] for choices in (one, other)]
    return plain[0] == plain[1] and len(set(plain[0])) == len(plain[0])


def _plain(choice: str) -> str:
    return " ".join(choice.split()).casefold()


def _option(choices: Sequence[str], letter: str) -> str:
    place = LETTERS.find(letter)
    text = choices[place] if 0 <= place < len(choices) else ""
    return f"{letter} is {_shortened(text, _TEXT // 2)!r}"


def _shortened(text: str, most: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"
