"""What is asked of a model, of either benchmark: the pictures that a question shows, and what makes it unfit to ask."""

from assets.comt import template
from assets.schema.sample import LETTERS, Sample


def asked_pictures(sample: Sample) -> tuple[str, ...]:
    """The ids of the pictures that stand with the question, in their order; those of its rationale are not among them.

    M3CoT: its pictures, then those of its options. CoMT: those that the question names, each once.
    """
    images = sample.images or ()
    if sample.benchmark == "comt":
        numbers = dict.fromkeys(template.identifiers(sample.question or ""))
        return tuple(images[number] for number in numbers if number < len(images))
    return (*images, *(sample.choice_images or ()))


def unfit(sample: Sample) -> str | None:
    """Why a sample is no question with options; None when it is one."""
    choices = sample.choices or ()
    if not (sample.question or "").strip():
        return "they have no question"
    if not choices or any(not isinstance(choice, str) for choice in choices):
        return "an option is no text"
    if len(choices) > len(LETTERS):
        return f"they have more than {len(LETTERS)} options"
    if not sample.answer or sample.answer not in LETTERS[: len(choices)]:
        return "the answer is none of their options"
    named = template.identifiers(sample.question or "") if sample.benchmark == "comt" else ()
    if any(number >= len(sample.images or ()) for number in named):
        return "the question names a picture that they do not have"
    return None
