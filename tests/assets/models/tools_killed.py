"""A run of `ToolsChat` in a process of its own, which stands still after some replies so that it can be killed.

    python -m tests.assets.models.tools_killed FOLDER REPLIES

It asks all dialogues, on the stores of FOLDER, with tools in their sandbox; every text that its planner is asked is a
line of FOLDER/asked. After so many replies it says `standing` and waits; else it leaves FOLDER/rows.json.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from assets.evaluation.asking import ask
from assets.evaluation.drawn import Drawn
from assets.models.model import Ask, Dialogue, Reply, said
from assets.models.tools_chat import ToolsChat
from assets.replies_store import RepliesStore
from assets.schema.sample import Part
from assets.settings_evaluation import Tools
from tests.assets.models.tools_parts import Grey, Speaker

DIALOGUES = 12
SETTINGS = Tools(
    kind="tools", policy="visualchatgpt", planner="mind", tools=("crop", "calculator"), calls=4, rounds=4, limit_s=20
)


def dialogues() -> list[Dialogue]:
    return [
        Dialogue(
            f"s{number:02}",
            (Ask((Part("image", None, str(number)), said(f"Question {number}: what is {number} * 3?"))),),
            ("one", "two"),
        )
        for number in range(DIALOGUES)
    ]


def step(text: str) -> str:
    """What the planner says: a crop, then a sum, then the answer, each once the one before was observed."""
    number = int(text.split("Question ")[1].split(":")[0])
    seen = text.count("\nObservation:")
    if seen == 0:
        box = [0, 0, 0.5, 1]
        return f"Thought: look\nAction: crop\nAction Input: {json.dumps({'picture': 'picture_1', 'box': box})}"
    if seen == 1:
        return f"Thought: count\nAction: calculator\nAction Input: {number} * 3"
    assert f"Observation: {number * 3}\n" in text
    return f"Thought: {number * 3}\nFinal Answer: The answer is ({'AB'[number % 2]})."


class Standing(Speaker):
    """Says a step at a time, notes what it was asked, and stands still when it has said enough."""

    def __init__(self, folder: Path, replies: int) -> None:
        super().__init__("mind", step)
        self.log, self.left = folder / "asked", replies

    def replies(self, dialogues: Iterable[Dialogue], pictures: Any) -> Iterator[Reply]:
        for dialogue in dialogues:
            if not self.left:
                print("standing", flush=True)
                sys.stdin.read()
            self.left -= 1
            [reply] = super().replies([dialogue], pictures)
            with self.log.open("a", encoding="utf-8") as log:
                log.write(json.dumps(self.asked[-1]) + "\n")
            yield reply


def main(folder: Path, replies: int) -> None:
    planner = Standing(folder, replies)
    chat = ToolsChat("chat", SETTINGS, build=lambda name: planner, folder=folder / "replies")
    with RepliesStore(folder / "replies") as store:
        found = ask("e", dialogues(), chat, Grey(), store, drawn=Drawn(folder / "replies" / "pictures"))
    (folder / "rows.json").write_text(json.dumps(found.rows), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
