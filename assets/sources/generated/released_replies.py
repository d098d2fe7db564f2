"""The replies of the generated release: every form that the released prediction files hold, written by rule.

A form says how one file looks: its turns, its keys, and a mixture of kinds of reply with their shares. The intended
letter of each reply comes from outside; what an extractor makes of the text is not the business of this module.
"""

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from assets.sources.generated.released_items import LETTERS, WORDS, Item, lettered

# Our own words in the released shape: the strategy's request stands after the options and a blank line.
REQUESTS = {
    "direct": "",
    "cot": "Reason one step at a time.",
    "desp-cot": "Say what the picture shows as far as the question needs it. Leave the choice open for now.",
    "ccot": "Write the scene graph of the picture for this question as JSON:\n1.objects\n2.attributes\n3.relations"
    "\n\nScene graph:",
}
FULL_KEYS = ("id", "category", "context", "question", "choices", "image_id", "answer", "domain", "topic", "messages")
SHORT_KEYS = ("id", "answer", "choices", "domain", "topic", "messages")
DOMAIN_FIRST_KEYS = ("id", "domain", "topic", "choices", "answer", "messages")
LATE_KEYS = ("id", "messages", "answer", "choices", "domain", "topic")
LATE_FULL_KEYS = (*FULL_KEYS[:7], "messages", "domain", "topic")
BARE_KEYS = ("id", "messages", "domain", "topic")
ZEROS = 3000
# With the full-width forms that such replies really have.
IN_CHINESE = ("根据图片，答案是{0}。", "所以答案为（{0}）。", "从图中看出这一点。正确答案：({0})")

Share = tuple[str, float]
Write = Callable[[Item, str, random.Random], str]


class Form(NamedTuple):
    """How one prediction file looks; the first kind of a mixture takes what the others leave, 0.0 is one record."""

    kinds: tuple[Share, ...]
    keys: tuple[str, ...] = SHORT_KEYS
    late_keys: tuple[str, ...] = ()
    second_turn: str = ""
    before: str = ""
    after: str = ""
    records: tuple[Share, ...] = (("as the item", 1.0), ("repeated option", 0.015))
    image_prefix: bool = False


FORMS: dict[str, Form] = {
    "lettered_rationale": Form(
        (
            ("rationale", 1.0),
            ("several", 0.18),
            ("denied after", 0.04),
            ("text", 0.09),
            ("refusal", 0.02),
            ("persons", 0.01),
            ("boxed", 0.01),
        ),
        keys=FULL_KEYS,
        records=(("as the item", 1.0),),
    ),
    "lettered_steps": Form(
        (("steps", 1.0), ("several", 0.1), ("persons", 0.04), ("refusal", 0.01)), keys=DOMAIN_FIRST_KEYS
    ),
    "spaced_reject": Form(
        (("letter and text", 1.0), ("text", 0.12), ("sentence", 0.2), ("reject", 0.015), ("cjk", 0.01)),
        keys=DOMAIN_FIRST_KEYS,
        before=" ",
    ),
    "split_reject": Form(
        (("letter and text", 1.0), ("sentence", 0.1), ("split reject", 0.12), ("bare record", 0.005)),
        keys=DOMAIN_FIRST_KEYS,
        second_turn="afresh",
    ),
    "letter_token": Form(
        (("letter and text", 1.0), ("letter", 0.45), ("refusal", 0.01)), second_turn="choose", after="</s>"
    ),
    "steps_token": Form(
        (("declared", 1.0), ("letter in brackets", 0.3), ("steps", 0.15), ("persons", 0.01), ("refusal", 0.02)),
        second_turn="choose",
        after="</s>",
    ),
    "bare_letter": Form((("letter", 1.0), ("text", 0.12), ("letter and text", 0.2), ("letter in brackets", 0.05))),
    "lower_case": Form(
        (("lower", 1.0), ("text", 0.08)),
        keys=FULL_KEYS,
        late_keys=LATE_FULL_KEYS,
        records=(
            ("as the item", 1.0),
            ("repeated option", 0.015),
            ("shorter options", 0.01),
            ("paraphrased question", 0.04),
        ),
    ),
    "prompt_echo": Form((("echo", 1.0), ("echo tail", 0.2)), keys=FULL_KEYS),
    "empty_reply": Form(
        (("empty", 1.0), ("text", 0.01)),
        keys=FULL_KEYS,
        second_turn="choose",
        records=(("as the item", 1.0), ("paraphrased question", 0.04)),
        image_prefix=True,
    ),
    "letter_newline": Form((("letter and newline", 1.0), ("word and newline", 0.01))),
    "thinking": Form(
        (
            ("thought", 1.0),
            ("thought, bare letter", 0.1),
            ("boxed", 0.12),
            ("cjk", 0.06),
            ("thought without end", 0.03),
            ("refusal", 0.01),
        ),
        keys=DOMAIN_FIRST_KEYS,
    ),
    "two_turns": Form(
        (("letter in brackets", 1.0), ("letter and text", 0.4), ("no last reply", 0.0), ("zeros", 0.0)),
        late_keys=LATE_KEYS,
        second_turn="choose",
    ),
}


def write_records(
    form: Form, strategy: str, items: Sequence[Item], letters: Sequence[str], rng: random.Random
) -> list[dict[str, object]]:
    """One record an item, in their order, with the keys of the release in the form's order.

    `letters` are the intended answers, one an item. The numbers of each kind of reply and record are exact shares.

    Source: the 24 released M3CoT prediction files, whose shapes these are; the words are ours.
    """
    kinds = dealt(form.kinds, len(items), rng)
    alterations = dealt(form.records, len(items), rng)
    late = len(items) - len(items) * 178 // 2318 if form.late_keys else len(items)
    records = []
    for place, (item, letter, kind, alteration) in enumerate(zip(items, letters, kinds, alterations, strict=True)):
        messages = _messages(form, strategy, kind, item, letter, rng, late=place >= late)
        fields: dict[str, object] = {
            "id": item.id,
            "category": item.category,
            "context": item.context,
            "question": item.question,
            "choices": list(item.choices),
            "image_id": f"{item.domain}-{item.topic}-{item.image_id}" if form.image_prefix else item.image_id,
            "answer": item.answer,
            "domain": item.domain,
            "topic": item.topic,
            "messages": messages,
        }
        _alter(fields, alteration, item)
        keys = BARE_KEYS if kind == "bare record" else form.late_keys if place >= late else form.keys
        records.append({key: fields[key] for key in keys})
    return records


def dealt(shares: Sequence[Share], count: int, rng: random.Random) -> list[str]:
    """`count` names in drawn order: each but the first by its share and at least once, the first for the rest."""
    names = [name for name, share in shares[1:] for _ in range(max(1, round(share * count)))]
    names += [shares[0][0]] * (count - len(names))
    rng.shuffle(names)
    return names


def prompt(item: Item, strategy: str) -> str:
    """The first message of a dialogue: context where there is one, question, options as worded then, request."""
    context = f"[Context]\n{item.context}\n" if item.context and "<CONTEXT>" not in item.prompt_question else ""
    request = f"\n\n{REQUESTS[strategy]}" if REQUESTS[strategy] else ""
    return f"{context}[Question]\n{item.prompt_question}\n[Choices]\n{lettered(item.prompt_choices)}{request}"


def _messages(
    form: Form, strategy: str, kind: str, item: Item, letter: str, rng: random.Random, *, late: bool
) -> list[str]:
    first = prompt(item, strategy)
    if kind == "split reject":
        # A list that was extended with a string: the released record has just these five letters after the prompt.
        return [first, *"EJECT"]
    if kind == "bare record":
        return [first, _letter_and_text(item, letter, rng)]
    reply = _last(form, kind, item, letter, rng)
    if not form.second_turn:
        return [first, reply]
    opening = {"direct": _letter_and_text, "desp-cot": _described}.get(strategy, _steps)(item, letter, rng)
    if kind == "zeros":
        opening = "0." + "0" * ZEROS
    ask = "Choose one of " + "[" + ",".join(f'"({each})"' for each in LETTERS[: len(item.choices)]) + "]."
    if late:
        ask = f"Now answer. {ask}"
    if form.second_turn == "afresh":
        ask = f"{prompt(item, 'direct')}\n\n[Description] {opening}\n\n{ask}\n\n[Answer]"
    messages = [first, opening + form.after, ask, reply]
    return messages[:3] if kind == "no last reply" else messages


def _last(form: Form, kind: str, item: Item, letter: str, rng: random.Random) -> str:
    if kind in ("empty", "no last reply"):
        return ""
    if kind == "reject":
        return "REJECT"
    return form.before + KINDS[kind](item, letter, rng) + form.after


def _alter(fields: dict[str, object], alteration: str, item: Item) -> None:
    choices = list(item.choices)
    label = LETTERS.index(item.answer)
    if alteration == "repeated option":
        wrong = [i for i in range(len(choices)) if i != label]
        choices[wrong[-1]] = choices[label] if len(wrong) == 1 else choices[wrong[0]]
    elif alteration == "shorter options":
        # The label may be the one that goes: nothing in the release keeps it.
        choices.pop()
    elif alteration == "paraphrased question":
        fields["question"] = f"Look at the picture again. {item.question}"
    fields["choices"] = choices


def _text(item: Item, letter: str, rng: random.Random) -> str:
    """The option's text: as it is now or, where it was reworded, as it stood in the prompt."""
    return rng.choice((item.choices, item.prompt_choices))[LETTERS.index(letter)]


def _inside(item: Item, letter: str, rng: random.Random) -> str:
    """The option's text as part of a sentence."""
    return _text(item, letter, rng).removesuffix(".")


def _seen(rng: random.Random) -> str:
    tint, thing, place, who = (rng.choice(WORDS[name]) for name in ("tint", "thing", "place", "who"))
    return rng.choice(
        (
            f"The picture shows the {tint} {thing} near the {place}.",
            f"On the left, the {who} stands beside the {thing}.",
            f"Behind the {thing} one can make out the {place}.",
            f"What matters here is the {tint} part, not the {thing}.",
            f"The caption speaks of the {place}, and the {who} looks towards it.",
        )
    )


def _described(_item: Item, _letter: str, rng: random.Random) -> str:
    return " ".join(_seen(rng) for _ in range(rng.randint(2, 3)))


def _declared(item: Item, letter: str, rng: random.Random) -> str:
    return f"The correct answer is ({letter}) {_inside(item, letter, rng)}."


def _letter_and_text(item: Item, letter: str, rng: random.Random) -> str:
    return f"({letter}) {_text(item, letter, rng)}"


def _rationale(item: Item, letter: str, rng: random.Random) -> str:
    ending = rng.choice(("So the answer is:\n({0}) {1}.", "Hence ({0}) {1} fits best.", "The correct answer is ({0})."))
    return f"{_described(item, letter, rng)}\n{ending.format(letter, _inside(item, letter, rng))}"


def _steps(item: Item, letter: str, rng: random.Random) -> str:
    steps = [f"Step {number}: {_seen(rng)}" for number in range(1, rng.randint(4, 7))]
    return "\n".join([*steps, f"Taken together, this speaks for one option. {_declared(item, letter, rng)}"])


def _several(item: Item, letter: str, rng: random.Random) -> str:
    others = [other for other in LETTERS[: len(item.choices)] if other != letter]
    named = rng.sample(others, min(2, len(others)))
    doubts = " ".join(f"Option ({other}) does not agree with what is shown." for other in named)
    return f"{_seen(rng)} {doubts} {_declared(item, letter, rng)}"


def _denied_after(item: Item, letter: str, rng: random.Random) -> str:
    return f"{_seen(rng)} The answer is ({letter}), not ({item.lure if item.lure != letter else item.answer})."


def _sentence(item: Item, letter: str, rng: random.Random) -> str:
    return f"{_seen(rng)} It seems that this is the case: {_inside(item, letter, rng)}."


def _refusal(_item: Item, _letter: str, rng: random.Random) -> str:
    return rng.choice(
        (
            "Sorry, but I am not able to help with this picture.",
            "I cannot determine this from what is shown.",
            "I am unable to see enough of the picture to choose.",
        )
    )


def _persons(item: Item, letter: str, rng: random.Random) -> str:
    return f"{_steps(item, letter, rng)} The mood of the person(s) in the picture agrees with it."


def _boxed(item: Item, letter: str, rng: random.Random) -> str:
    return f"{_described(item, letter, rng)}\n\n$\\boxed{{{letter}}}$"


def _thought(item: Item, letter: str, rng: random.Random) -> str:
    return f"{_thinking(item, rng)}\n</think>\n\nThe answer is ({letter})."


def _thought_bare(item: Item, letter: str, rng: random.Random) -> str:
    return f"{_thinking(item, rng)}\n</think>\n{letter}"


def _thought_without_end(item: Item, _letter: str, rng: random.Random) -> str:
    return f"{_thinking(item, rng)} But"


def _thinking(item: Item, rng: random.Random) -> str:
    guess = rng.choice(LETTERS[: len(item.choices)])
    return f"<think>\n{_seen(rng)} At first sight ({guess}). {_seen(rng)}"


def _cjk(_item: Item, letter: str, rng: random.Random) -> str:
    return rng.choice(IN_CHINESE).format(letter)


def _echo(item: Item, letter: str, rng: random.Random) -> str:
    asked = prompt(item, "direct").replace("\n", " ")
    return f"[Context] {asked.removeprefix('[Context] ')} Answer: {_text(item, letter, rng)}"


def _echo_tail(item: Item, letter: str, rng: random.Random) -> str:
    echo = _echo(item, letter, rng)
    return echo[echo.index("[Choices]") - rng.randint(4, 12) :]


def _word_and_newline(item: Item, letter: str, rng: random.Random) -> str:
    return f"{_text(item, letter, rng).split()[-1][:8].capitalize()} \n["


KINDS: dict[str, Write] = {
    "rationale": _rationale,
    "several": _several,
    "denied after": _denied_after,
    "text": _text,
    "sentence": _sentence,
    "refusal": _refusal,
    "persons": _persons,
    "boxed": _boxed,
    "steps": _steps,
    "declared": _declared,
    "letter and text": _letter_and_text,
    "letter in brackets": lambda _item, letter, _rng: f"({letter})",
    "letter": lambda _item, letter, _rng: letter,
    "letter and newline": lambda _item, letter, _rng: f"{letter} \n[",
    "word and newline": _word_and_newline,
    "lower": lambda item, letter, rng: f"({letter.lower()}) {_text(item, letter, rng)}",
    "cjk": _cjk,
    "echo": _echo,
    "echo tail": _echo_tail,
    "thought": _thought,
    "thought, bare letter": _thought_bare,
    "thought without end": _thought_without_end,
    "zeros": lambda _item, _letter, _rng: "0" * ZEROS,
}
