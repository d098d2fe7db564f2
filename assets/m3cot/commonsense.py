"""Commonsense questions from Sherlock: several clues of one picture make one question, by the language model."""

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from assets import steps
from assets.m3cot.questions import Question, answer_letter, draw, plain
from assets.m3cot.questions import options as read_options
from assets.schema.sample import LETTERS, Sample
from assets.writer import Reply, Request, json_object

TASK = "question"
OPTIONS = 4

GROUPING_REASONS = ("too_few_clues", "over_most_clues", "joined")
ASKING_REASONS = (
    "question_refused",
    "question_unreadable",
    "question_incomplete",
    "wrong_option_count",
    "options_equal",
    "answer_unknown",
    "single_clue",
)
REASONS = (*GROUPING_REASONS, *ASKING_REASONS)
"""joined: the clue is part of the question that stands at the first clue of its picture."""

_PROMPT = """You write questions that need several things seen in one picture.
A picture is described by clues: what is seen in a region, and what a person inferred from it.
Write one multiple-choice question whose answer follows only from two clues or more together, and does not repeat them.
Give four options of which one is right, and a rationale of at least three sentences that names what is seen, clue by
clue, and ends with the right option.

Example
Clues:
1. In one region: umbrellas over the people at the tables. Inferred: the sun is strong today.
2. In another region: plates with half-eaten food. Inferred: they are having lunch.
Reply:
{"question": "When was this picture most likely taken?",
 "options": ["Around noon on a sunny day", "On a rainy morning", "At night after dinner", "At sunset on a cold day"],
 "answer": "A",
 "rationale": "The tables are shaded by umbrellas, so the sun is strong. The plates hold half-eaten food, so the people
 are having lunch. Strong sun at lunch means around noon on a sunny day."}

Now this picture
Clues:
CLUES
Reply with the JSON object alone."""

_TEMPORAL = re.compile(
    r"\b(morning|noon|afternoon|evening|night|dawn|dusk|winter|summer|spring|autumn|season|year|month|day|hours?|soon|"
    r"later|before|after|recently|earlier|long time|just|holiday|christmas)\b"
)
_PERSONS = re.compile(
    r"\b(he|she|they|people|person|man|woman|men|women|child|children|boy|girl|someone|somebody|family|couple|friends?|"
    r"crowd|workers?|owner)\b"
)
_CATEGORIES = (
    ("temporal-commonsense", "Season Identification", r"\b(winter|summer|spring|autumn|fall|season|snow)\b"),
    ("temporal-commonsense", "Event Typical Time", r"\b(morning|noon|afternoon|evening|night|dawn|dusk)\b"),
    ("temporal-commonsense", "Event Duration", r"\b(hours?|minutes?|long time|years?|months?)\b"),
    ("temporal-commonsense", "Event Ordering", r""),
    (
        "social-commonsense",
        "Event Identification",
        r"\b(party|wedding|birthday|game|match|race|concert|lunch)\b",
    ),
    (
        "social-commonsense",
        "Location Identification",
        r"\b(restaurant|kitchen|store|school|city|beach|home|office)\b",
    ),
    ("social-commonsense", "Social Phenomena and Behavior Interpretation", r""),
    ("physical-commonsense", "Temperature", r"\b(hot|cold|warm|cool|frozen|freezing)\b"),
    ("physical-commonsense", "Usage Purpose", r"\b(used|use|uses|purpose|for)\b"),
    ("physical-commonsense", "Status", r""),
)

_OTHER_SCENES = 12
"""Other pictures whose conclusions a rule may take."""

_STEM = 5
_SMALL_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an the and or of in on at to for by with from this that these those here there it its is are was were be "
        "been has have had do does did will would can could may might he she they him her his them their some someone "
        "somebody people person not",
    )
)


class Scene(NamedTuple):
    """The clues of one picture that make one question, in the order of the file; `id` is the question's."""

    id: str
    image_id: str
    clues: tuple[tuple[str, str], ...]


def scenes(clues: Sequence[Mapping[str, Any]], *, least: int, most: int) -> tuple[dict[str, Scene], dict[str, str]]:
    """The scenes by the instance whose row carries the question, and of every other instance the reason it does not.

    `clues` are the kept rows of table `clue`. Clues that say the same count once.
    """
    pictures: dict[str, list[Mapping[str, Any]]] = {}
    for clue in clues:
        pictures.setdefault(clue["image_id"], []).append(clue)
    found: dict[str, Scene] = {}
    reasons: dict[str, str] = {}
    for image_id, of_picture in pictures.items():
        distinct = {(plain(clue["clue"]), plain(clue["inference"])): clue for clue in reversed(of_picture)}
        used = list(reversed(distinct.values()))[:most]
        names = {clue["instance_id"] for clue in used}
        enough = len(used) >= least
        for clue in of_picture:
            joined = "joined" if clue["instance_id"] in names else "over_most_clues"
            reasons[clue["instance_id"]] = joined if enough else "too_few_clues"
        if enough:
            first = used[0]["instance_id"]
            del reasons[first]
            texts = tuple((clue["clue"].strip(), clue["inference"].strip()) for clue in used)
            found[first] = Scene(f"sherlock-{first}", image_id, texts)
    return found, reasons


def requests(found: Iterable[Scene], *, seed: int) -> Iterator[Request]:
    """One request a scene; its facts hold, for the rule, the inferences of other scenes as wrong conclusions."""
    rows = list(found)
    for scene in rows:
        numbered = "\n".join(
            f"{number}. In {'one' if number == 1 else 'another'} region: {clue}. Inferred: {inference}."
            for number, (clue, inference) in enumerate(((c.rstrip("."), i.rstrip(".")) for c, i in scene.clues), 1)
        )
        others = [row for row in rows if row.image_id != scene.image_id]
        start = draw(f"{seed}/{scene.id}/others", max(len(others), 1))
        drawn = [tuple(said for _, said in row.clues) for row in (others[start:] + others[:start])[:_OTHER_SCENES]]
        facts = {"clues": scene.clues, "foreign": tuple(drawn), "seed": f"{seed}/{scene.id}"}
        yield Request(scene.id, TASK, _PROMPT.replace("CLUES", numbered), facts)


def rule(facts: Mapping[str, Any]) -> str | None:
    """A question by rule: which conclusions the picture supports together, with those of other pictures as wrong ones.

    Each option joins two conclusions: one of two first halves with one of two second halves, of each of which one is
    of this picture. So every half stands in two options, in the same place, and neither a clue alone nor the options
    alone decide. None where this picture or the others give too few conclusions.
    """
    import json

    clues: Sequence[tuple[str, str]] = facts["clues"]
    rng = random.Random(f"{facts['seed']}/rule")
    own = [inference for _, inference in clues]
    pairs = [(one, other) for one in own for other in own if plain(one) != plain(other)]
    foreign = _foreign(facts["foreign"], own, rng)
    if not pairs or foreign is None:
        return None
    (first, second), (no_first, no_second) = rng.choice(pairs), foreign
    right = _joined(first, second)
    ordered = [right, _joined(first, no_second), _joined(no_first, second), _joined(no_first, no_second)]
    # the wrong ones too: in a fixed order they would point at the right one
    rng.shuffle(ordered)
    place = ordered.index(right)
    openings = ("First, the picture shows", "Second, it shows", "Third, it shows", "Fourth, it shows", "It also shows")
    rationale = " ".join(
        f"{openings[min(number, 4)]} {_lowered(clue)}. This suggests that {_lowered(inference)}."
        for number, (clue, inference) in enumerate((c.rstrip("."), i.rstrip(".")) for c, i in clues)
    )
    stem = "Taking everything in the picture together, which conclusions are both supported by what is seen?"
    close = f"Taken together, both conclusions hold: {_lowered(right)}."
    return json.dumps(
        {
            "question": stem,
            "options": ordered,
            "answer": LETTERS[place],
            "rationale": f"{rationale} {close}",
        },
        ensure_ascii=False,
    )


def checked(scene: Scene, reply: Reply) -> Question | str:
    """The question that a reply holds, repaired once by rule, or the reason why it holds none.

    An answer that is the text of an option, options with letters before them, and options by letter are repaired.
    The rationale must speak of two clues of the picture or more, in two steps or more.
    """
    if reply.status != "ok":
        return "question_refused"
    found = json_object(reply.text)
    if found is None:
        return "question_unreadable"
    options = read_options(found.get("options", found.get("choices")))
    texts = [found.get(name) for name in ("question", "rationale", "answer")]
    if options is None or not all(isinstance(text, str) and text.strip() for text in texts):
        return "question_incomplete"
    question, rationale, answer = (" ".join(str(text).split()) for text in texts)
    if len(options) != OPTIONS:
        return "wrong_option_count"
    if len({plain(option) for option in options}) < OPTIONS:
        return "options_equal"
    letter = answer_letter(answer, options)
    if letter is None:
        return "answer_unknown"
    spoken = sum(_speaks_of(rationale, clue) for clue, _ in scene.clues)
    if spoken < 2 or len(steps.segment(rationale)) < 2:
        return "single_clue"
    return Question(question, options, letter, rationale)


def samples(
    clues: Sequence[Mapping[str, Any]],
    replies: Iterable[Reply],
    *,
    least: int,
    most: int,
    writer: str,
) -> list[Sample]:
    """One row a clue that entered, in their order: the first of a picture carries its question, the others say why not.

    Source: arXiv:2405.16473, section 3.3 and appendix A.4.2.
    """
    found, reasons = scenes(clues, least=least, most=most)
    by_id = {reply.id: reply for reply in replies}
    rows = []
    for clue in clues:
        instance = clue["instance_id"]
        scene = found.get(instance)
        row = Sample(
            f"sherlock-{instance}",
            "m3cot",
            clue["source"],
            instance,
            clue["provenance"],
            domain="commonsense",
            images=(clue["image_id"],),
            split=clue["split"],
        )
        if scene is None:
            rows.append(row.drop(reasons[instance]))
            continue
        question = checked(scene, by_id.get(scene.id, Reply(scene.id, "empty", "")))
        if isinstance(question, str):
            rows.append(row.drop(question))
            continue
        topic, category = _kind(scene)
        filled = row._replace(
            topic=topic,
            subtopic=topic,
            category=category,
            question=question.question,
            context="",
            choices=question.options,
            answer=question.answer,
        )
        rows.append(filled.with_text(question.rationale).made(f"question by {writer}"))
    return rows


def _kind(scene: Scene) -> tuple[str, str]:
    """The topic and category of a scene, by the words of its inferences: times, then persons, then things."""
    said = " ".join(inference.lower() for _, inference in scene.clues)
    topic = (
        "temporal-commonsense"
        if len(_TEMPORAL.findall(said)) >= 2
        else "social-commonsense"
        if _PERSONS.search(said)
        else "physical-commonsense"
    )
    return next((topic, name) for of, name, words in _CATEGORIES if of == topic and re.search(words, said))


def _speaks_of(rationale: str, clue: str) -> bool:
    """Whether at least half of the clue's words of four letters or more stand in the rationale."""
    said = set(re.findall(r"\w+", rationale.lower()))
    words = [word for word in re.findall(r"\w+", clue.lower()) if len(word) >= 4] or re.findall(r"\w+", clue.lower())
    return bool(words) and 2 * sum(word in said for word in words) >= len(words)


def _foreign(scenes_said: Sequence[Sequence[str]], own: Sequence[str], rng: random.Random) -> tuple[str, str] | None:
    """Two conclusions unlike each other and unlike all of the picture's own; None where there are no such two.

    Of one other picture if possible, the one that has nothing like this one's: two that go together as the right ones
    do.
    """
    alike = [[text for text in said if any(_resemble(text, each) for each in own)] for said in scenes_said]
    strange = [said for said, like in zip(scenes_said, alike, strict=True) if not like]
    mixed = [text for said, like in zip(scenes_said, alike, strict=True) for text in said if text not in like]
    for said in (*strange, mixed):
        pairs = [(one, other) for one in said for other in said if not _resemble(one, other)]
        if pairs:
            return rng.choice(pairs)
    return None


def _resemble(one: str, other: str) -> bool:
    """Whether two conclusions are the same but for small words, or share half of the words of the shorter one.

    Words count as the same by their first five letters: rain and raining do not, teach and teacher do.
    """
    words = [
        {word[:_STEM] for word in plain(text).split() if word not in _SMALL_WORDS} or {plain(text)}
        for text in (one, other)
    ]
    return 2 * len(words[0] & words[1]) >= min(map(len, words))


def _joined(one: str, other: str) -> str:
    return f"{one[:1].upper()}{one[1:].rstrip('.')}; {_lowered(other.rstrip('.'))}"


def _lowered(text: str) -> str:
    keeps = re.match(r"I\b|[A-Z]{2}", text)
    return text if keeps else f"{text[:1].lower()}{text[1:]}"
