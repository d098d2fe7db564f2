"""A sample in memory: one row of table `sample`; the standard library alone, so that scoring a file stays quick."""

from typing import NamedTuple

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Part(NamedTuple):
    """One part of a rationale: a text, or a picture by its id, whose text is its identifier, such as [IMAGE1]."""

    kind: str
    text: str | None
    image_id: str | None


class Sample(NamedTuple):
    """Table `sample`, column by column; what a source does not have stays at its default.

    quarantined: (file, line, excerpt) for a record that could not be read, else None; then `dropped` is why.
    """

    id: str | None
    benchmark: str
    source: str
    source_id: str | None
    provenance: str
    domain: str | None = None
    topic: str | None = None
    subtopic: str | None = None
    category: str | None = None
    task: str | None = None
    question: str | None = None
    context: str | None = None
    choices: tuple[str, ...] | None = None
    answer: str | None = None
    rationale: tuple[Part, ...] | None = None
    images: tuple[str, ...] | None = None
    choice_images: tuple[str, ...] | None = None
    image_names: tuple[str, ...] | None = None
    other: str | None = None
    split: str | None = None
    before: str | None = None
    dropped: str | None = None
    quarantined: tuple[str, int | None, str | None] | None = None

    @property
    def text(self) -> str:
        """The rationale's texts, joined by newlines; empty where there is none."""
        return "\n".join(part.text for part in self.rationale or () if part.kind == "text" and part.text is not None)

    def with_text(self, rationale: str) -> "Sample":
        """The sample with this text as its rationale."""
        return self._replace(rationale=(Part("text", rationale, None),))

    def drop(self, reason: str) -> "Sample":
        """The sample as one that goes no further."""
        return self._replace(dropped=reason)

    def made(self, step: str) -> "Sample":
        """The sample with `step` added to where it comes from."""
        return self._replace(provenance=f"{self.provenance} > {step}")


def letter(index: int) -> str:
    """The letter of the option at `index`, from 0."""
    return LETTERS[index]
