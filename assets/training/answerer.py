"""What answers once it has learned, whatever it is made of."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from assets.training.examples import Asked

if TYPE_CHECKING:
    from PIL import Image


class Answerer(Protocol):
    """A rationale of question and picture, then an option of all three.

    What comes out for one does not depend on what else stands in the same call.
    """

    def features(self, image: "Image.Image | None") -> Any:
        """A picture as the other two take it in; None: there is no picture."""
        ...

    def rationales(self, asked: Sequence[Asked], features: Sequence[Any]) -> list[list[str]]:
        """The steps of a rationale for each, a text a step; none where it writes none."""
        ...

    def answers(
        self, asked: Sequence[Asked], rationales: Sequence[Sequence[str]], features: Sequence[Any]
    ) -> list[int | None]:
        """The number of an option for each, from 0; None where none was chosen."""
        ...
