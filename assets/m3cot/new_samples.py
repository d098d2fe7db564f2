"""New samples for sparse categories: another question about the picture of a kept sample, by the language model."""

import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assets import steps
from assets.m3cot import statements
from assets.m3cot.questions import Question, answer_letter, ordered, plain
from assets.m3cot.questions import options as read_options
from assets.schema.sample import LETTERS, Sample
from assets.writer import Reply, Request, json_object

TASK = "sample"
FEWEST_OPTIONS, MOST_OPTIONS = 2, 5
"""As M3CoT's released test items have them."""

LEAST_STEPS = 2

REASONS = (
    "sample_refused",
    "sample_unreadable",
    "sample_incomplete",
    "wrong_option_count",
    "options_equal",
    "answer_unknown",
    "too_few_steps",
    "repeats_its_source",
)

_PROMPT = """You write new multiple-choice questions about a picture that already has one.
You are given what is known of the picture: a question about it, the options, the right one, and the reasoning that
leads to it. Write another question of the same category about the same picture. It must ask for something else, it
must not be answerable without looking at the picture, and everything it needs must follow from what you are given.
Give two to five options, exactly one of them right, and a rationale of at least three sentences: first what is seen,
thing by thing, then what follows from it. Do not name options by their letters in the rationale.

Example
Category: Magnets
Question: Will these magnets attract or repel each other?
Context: Two magnets are placed as shown.
Options: (A) attract (B) repel
Right option: attract
Rationale: The north pole of one magnet is closest to the south pole of the other magnet. Poles that are different
attract. So, these magnets will attract each other.
Reply:
{"question": "One of the two magnets in the picture is turned around. What will they do then?",
 "options": ["They will repel each other.", "They will attract each other.", "They will not act on each other."],
 "answer": "A",
 "rationale": "In the picture, the north pole of one magnet is closest to the south pole of the other. When one magnet
 is turned around, two poles of the same kind are closest to each other. Poles of the same kind repel. So the magnets
 will repel each other."}

Now this picture
MATERIAL
Reply with the JSON object alone."""

_STEM = "Which of these statements about the picture is true?"
_LETTERED = re.compile(r"\([A-E]\)|\b(?:option|choice) \(?[A-E]\b|\banswer (?:is|would be)\b", re.IGNORECASE)


def requests(entered: Sequence[Sample], *, sparse: int, most: int, seed: int) -> Iterator[Request]:
    """One request a new sample, `synthesis-0001` and on, categories in the order of their names.

    A category (topic, subtopic and category of ScienceQA) that was kept fewer than `sparse` times gets up to `most`
    new samples: each is about the picture of another one of its own, which are drawn by the seed where there are
    more. A sample without picture, options or rationale is not asked about.

    Source: arXiv:2405.16473, appendix A.4.2 (topics too sparse after the filters are synthesized in a similar way).
    The prompt's words are this project's: the paper's are not in its text.
    """
    number = 0
    groups: dict[tuple[str, ...], list[Sample]] = {}
    for sample in entered:
        if sample.source == "scienceqa":
            groups.setdefault((sample.topic or "", sample.subtopic or "", sample.category or ""), []).append(sample)
    for kind, group in sorted(groups.items()):
        usable = [sample for sample in group if sample.images and sample.choices and sample.text and sample.answer]
        if len(group) >= sparse:
            continue
        rng = random.Random(f"{seed}/{'/'.join(kind)}")
        places = sorted(rng.sample(range(len(usable)), min(most, len(usable))))
        for place in places:
            number += 1
            sample = usable[place]
            others = tuple(text for each in usable if each.id != sample.id for text in statements.alone(_said(each)))
            facts = {
                "sample": sample.id,
                "steps": tuple(_said(sample)),
                "statements": tuple(
                    text for text in statements.alone(_said(sample)) if not statements.told(text, sample.context or "")
                ),
                "others": tuple(dict.fromkeys(others)),
                "question": sample.question or "",
                "choices": sample.choices,
                "right": _right(sample),
                "seed": f"{seed}/{sample.id}",
            }
            yield Request(f"synthesis-{number:04}", TASK, _PROMPT.replace("MATERIAL", _material(sample)), facts)


def rule(facts: Mapping[str, Any]) -> str | None:
    """A question by rule: which statement about the picture is true; None where no wrong one can be made.

    The right one is a step of the sample's own rationale: of those with the most wrong ones, that which speaks most of
    what is seen. A wrong one is the same statement with one thing in it exchanged: by a wrong option where it names
    the right one, by its opposite, by what stands there in a statement of the same form about another picture of the
    category, if this sample speaks of it too, or by a number of such a one. A whole statement of another picture, where
    it differs in two things, may well be true of the world ("Trenton is the capital of New Jersey"), so only one thing
    is taken from it. What comes out must not be in this sample's rationale.
    """
    own = " ".join(facts["steps"])
    rest = (facts["others"], facts["question"], facts["choices"], facts["right"], facts["seed"])
    ranked = sorted(facts["statements"], key=lambda text: -statements.seen(text))
    found = [(text, statements.wrong(text, own, *rest)) for text in ranked]
    if not found:
        return None
    right, wrong = max(found, key=lambda each: len(each[1]))
    if not wrong:
        return None
    right = statements.finished(right)
    options, letter = ordered(right, [statements.finished(text) for text in wrong], str(facts["seed"]))
    rationale = " ".join([*facts["steps"], f"Of the statements given, only this one agrees with the picture: {right}"])
    return json.dumps(
        {"question": _STEM, "options": options, "answer": letter, "rationale": rationale}, ensure_ascii=False
    )


def checked(source: Sample, reply: Reply) -> Question | str:
    """The question that a reply holds, repaired once by rule, or the reason why it holds none, one of `REASONS`.

    `source` is the sample whose picture it is about: a reply with its question and its options is no new sample.
    """
    if reply.status != "ok":
        return "sample_refused"
    found = json_object(reply.text)
    if found is None:
        return "sample_unreadable"
    options = read_options(found.get("options", found.get("choices")))
    texts = [found.get(name) for name in ("question", "rationale", "answer")]
    if options is None or not all(isinstance(text, str) and text.strip() for text in texts):
        return "sample_incomplete"
    question, rationale, answer = (" ".join(str(text).split()) for text in texts)
    if not FEWEST_OPTIONS <= len(options) <= MOST_OPTIONS:
        return "wrong_option_count"
    if len({plain(option) or option for option in options}) < len(options):
        return "options_equal"
    letter = answer_letter(answer, options)
    if letter is None:
        return "answer_unknown"
    if len(steps.segment(rationale)) < LEAST_STEPS:
        return "too_few_steps"
    same = {plain(option) for option in options} == {plain(option) for option in source.choices or ()}
    if same and plain(question) == plain(source.question or ""):
        return "repeats_its_source"
    return Question(question, options, letter, rationale)


def samples(
    entered: Sequence[Sample], asked: Sequence[Request], replies: Iterable[Reply], *, writer: str
) -> list[Sample]:
    """One row a request, in order: the new sample, or dropped with the reason why its reply holds none."""
    sources = {sample.id: sample for sample in entered}
    by_id = {reply.id: reply for reply in replies}
    rows = []
    for request in asked:
        source = sources[request.facts["sample"]]
        row = Sample(
            request.id,
            source.benchmark,
            "synthesis",
            request.id.removeprefix("synthesis-"),
            source.provenance,
            domain=source.domain,
            topic=source.topic,
            subtopic=source.subtopic,
            category=source.category,
            images=source.images,
            split=source.split,
        ).made(f"new sample by {writer}")
        found = checked(source, by_id.get(request.id, Reply(request.id, "empty", "")))
        if isinstance(found, str):
            rows.append(row.drop(found))
            continue
        filled = row._replace(
            question=found.question, context=source.context, choices=found.options, answer=found.answer
        )
        rows.append(filled.with_text(found.rationale))
    return rows


def _said(sample: Sample) -> list[str]:
    """The steps of a sample without those that name an option by its letter or say what the answer is."""
    return [" ".join(step.split()) for step in steps.segment(sample.text) if not _LETTERED.search(step)]


def _right(sample: Sample) -> str:
    place = LETTERS.find(sample.answer or "A")
    choices = sample.choices or ()
    return choices[place] if 0 <= place < len(choices) else ""


def _material(sample: Sample) -> str:
    choices = sample.choices or ()
    lines = [
        ("Category", sample.category),
        ("Question", sample.question),
        ("Context", sample.context),
        ("Options", " ".join(f"({LETTERS[place]}) {choice}" for place, choice in enumerate(choices))),
        ("Right option", _right(sample)),
        ("Rationale", sample.text),
    ]
    return "\n".join(f"{name}: {' '.join(text.split())}" for name, text in lines if text and text.strip())
