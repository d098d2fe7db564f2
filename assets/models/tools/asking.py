"""Tools whose work a model does: those that look at pictures, and those that ask the planner's own model.

What they ask was worded here, after what the papers of the policies say that such tools do, not copied from them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from assets.models.model import said
from assets.models.tools.tool import Argument, Question
from assets.schema.sample import Part

PLANNER = "planner"
MODEL = "model"

_DESCRIBE = "Describe what this picture shows in a few sentences: things, their places, colours, numbers and any text."
_FOCUS = " Say in particular what matters for this: {focus}"
_ANSWER = "Answer this question about the picture in one short sentence. Question: {question}"
_KNOW = (
    "Write down in a few sentences the background knowledge (facts, definitions, rules or formulas) that helps to "
    "answer the question. Do not answer it.\nQuestion: {question}\nKnowledge:"
)
_READ = "Answer the question in one short sentence, using the text alone.\nText: {text}\nQuestion: {question}\nAnswer:"


@dataclass(frozen=True)
class PictureDescription:
    """What a picture shows, in words. sees: the models that can say, the one that is asked unless chosen first."""

    limit_s: float
    sees: tuple[str, ...]
    name: ClassVar[str] = "picture_description"
    meaning: ClassVar[str] = "what a picture shows, in a few sentences"
    arguments: ClassVar[tuple[Argument, ...]] = (
        Argument("picture", "picture", "the picture"),
        Argument("focus", "text", "what matters", required=False),
    )
    gives: ClassVar[Literal["text", "picture"]] = "text"
    version: ClassVar[str] = "1"

    def question(self, arguments: Mapping[str, Any], image_ids: Mapping[str, str]) -> Question:
        """The picture, and what to describe."""
        focus = _FOCUS.format(focus=arguments["focus"]) if "focus" in arguments else ""
        asked = arguments.get(MODEL, self.sees[0])
        return Question(asked, (Part("image", None, image_ids[arguments["picture"]]), said(_DESCRIBE + focus)))


@dataclass(frozen=True)
class VisualQuestionAnswering:
    """An answer to a question about a picture. sees: as above."""

    limit_s: float
    sees: tuple[str, ...]
    name: ClassVar[str] = "visual_question_answering"
    meaning: ClassVar[str] = "a short answer to a question about a picture"
    arguments: ClassVar[tuple[Argument, ...]] = (
        Argument("picture", "picture", "the picture"),
        Argument("question", "text", "what to look for"),
    )
    gives: ClassVar[Literal["text", "picture"]] = "text"
    version: ClassVar[str] = "1"

    def question(self, arguments: Mapping[str, Any], image_ids: Mapping[str, str]) -> Question:
        """The picture, and the question."""
        asked = arguments.get(MODEL, self.sees[0])
        text = _ANSWER.format(question=arguments["question"])
        return Question(asked, (Part("image", None, image_ids[arguments["picture"]]), said(text)))


@dataclass(frozen=True)
class Knowledge:
    """What the planner's model knows about a question."""

    limit_s: float
    name: ClassVar[str] = "knowledge"
    meaning: ClassVar[str] = "background knowledge that helps with a question"
    arguments: ClassVar[tuple[Argument, ...]] = (Argument("question", "text", "what it is about"),)
    gives: ClassVar[Literal["text", "picture"]] = "text"
    version: ClassVar[str] = "1"

    def question(self, arguments: Mapping[str, Any], image_ids: Mapping[str, str]) -> Question:
        """The question, not to be answered."""
        return Question(PLANNER, (said(_KNOW.format(question=arguments["question"])),))


@dataclass(frozen=True)
class TextAnswering:
    """An answer out of a text, by the planner's model."""

    limit_s: float
    name: ClassVar[str] = "text_answering"
    meaning: ClassVar[str] = "a short answer to a question, out of a text that is given"
    arguments: ClassVar[tuple[Argument, ...]] = (
        Argument("text", "text", "the text"),
        Argument("question", "text", "what to answer"),
    )
    gives: ClassVar[Literal["text", "picture"]] = "text"
    version: ClassVar[str] = "1"

    def question(self, arguments: Mapping[str, Any], image_ids: Mapping[str, str]) -> Question:
        """The text and the question."""
        return Question(PLANNER, (said(_READ.format(text=arguments["text"], question=arguments["question"])),))
