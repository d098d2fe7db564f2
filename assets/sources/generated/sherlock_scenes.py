"""Things that stand in the pictures of the generated Sherlock: how each is drawn, and what it says."""

import random
from collections.abc import Callable
from typing import NamedTuple

from assets.sources.generated.drawing import COLOURS, INK, Sheet

# Each thing is drawn within this width and height from its upper left corner.
WIDE, HIGH = 62, 76
SKIN, WOOD, SNOW, GREY = "#e8b98f", "#9a6a3c", "#f4f8fc", "#9aa0a8"

Pen = Callable[[Sheet, float, float, str], None]


class Thing(NamedTuple):
    """One thing: how to draw it in a colour, what is seen in some wordings (`{}`: the colour), and what follows."""

    draw: Pen
    seen: tuple[str, ...]
    inferred: str


class Theme(NamedTuple):
    """A kind of scene: the colours of its upper and lower half, and the things that may stand in it."""

    name: str
    above: str
    below: str
    things: tuple[Thing, ...]


def person(page: Sheet, x: float, y: float, colour: str) -> None:
    """A person of the height of a thing."""
    page.ball(x + 31, y + 22, 8, SKIN)
    page.shape([(x + 31, y + 28), (x + 45, y + 60), (x + 17, y + 60)], colour)
    page.line([(x + 26, y + 60), (x + 25, y + 75)], INK, 3)
    page.line([(x + 36, y + 60), (x + 37, y + 75)], INK, 3)


def _umbrella(page: Sheet, x: float, y: float, colour: str) -> None:
    person(page, x, y, "#5a6b8c")
    page.line([(x + 42, y + 12), (x + 42, y + 44)], INK, 2)
    page.slice(x + 38, y + 14, 22, 180, 360, colour)


def _puddle(page: Sheet, x: float, y: float, _colour: str) -> None:
    page.ball(x + 26, y + 66, 22, "#6f9fd0", "#4a78a8", 0.3)
    page.ball(x + 46, y + 58, 12, "#6f9fd0", "#4a78a8", 0.3)


def _cloud(page: Sheet, x: float, y: float, _colour: str) -> None:
    for dx, dy, r in ((16, 24, 13), (32, 17, 16), (47, 25, 12)):
        page.ball(x + dx, y + dy, r, "#5d6672", None)
    for place in range(5):
        page.line([(x + 12 + place * 10, y + 42), (x + 8 + place * 10, y + 56)], "#3b6fd0", 2)


def _snowman(page: Sheet, x: float, y: float, _colour: str) -> None:
    for dy, r in ((60, 15), (38, 11), (20, 8)):
        page.ball(x + 31, y + dy, r, SNOW)
    page.shape([(x + 31, y + 19), (x + 43, y + 22), (x + 31, y + 23)], COLOURS["orange"], None)
    page.box(x + 23, y + 4, x + 39, y + 13, INK)


def _bare_tree(page: Sheet, x: float, y: float, _colour: str) -> None:
    page.line([(x + 31, y + 75), (x + 31, y + 10)], WOOD, 5)
    for dy, dx in ((30, 20), (40, -20), (18, -14), (22, 15)):
        page.line([(x + 31, y + dy + 12), (x + 31 + dx, y + dy - 8)], WOOD, 3)


def _sledge(page: Sheet, x: float, y: float, colour: str) -> None:
    page.box(x + 6, y + 54, x + 54, y + 60, colour)
    page.line([(x + 2, y + 72), (x + 50, y + 72), (x + 60, y + 60)], INK, 3)
    for dx in (14, 44):
        page.line([(x + dx, y + 60), (x + dx, y + 72)], INK, 2)


def _cake(page: Sheet, x: float, y: float, colour: str) -> None:
    page.box(x + 8, y + 48, x + 54, y + 74, colour)
    page.box(x + 8, y + 42, x + 54, y + 50, "#ffffff")
    for dx in (16, 26, 36, 46):
        page.line([(x + dx, y + 42), (x + dx, y + 28)], "#d0453b", 2)
        page.ball(x + dx, y + 25, 3, COLOURS["yellow"], None)


def _balloons(page: Sheet, x: float, y: float, colour: str) -> None:
    for dx, dy, tint in ((16, 18, colour), (33, 12, COLOURS["yellow"]), (48, 22, COLOURS["blue"])):
        page.line([(x + dx, y + dy + 10), (x + 32, y + 74)], INK, 1)
        page.ball(x + dx, y + dy, 10, tint, INK, 1.2)


def _presents(page: Sheet, x: float, y: float, colour: str) -> None:
    for x0, y0, x1, tint in ((4, 46, 32, colour), (34, 54, 58, COLOURS["turquoise"])):
        page.box(x + x0, y + y0, x + x1, y + 74, tint)
        page.line([(x + (x0 + x1) / 2, y + y0), (x + (x0 + x1) / 2, y + 74)], "#ffffff", 4)
        page.line([(x + x0, y + (y0 + 74) / 2), (x + x1, y + (y0 + 74) / 2)], "#ffffff", 4)


def _clock(page: Sheet, x: float, y: float, _colour: str) -> None:
    page.ball(x + 31, y + 26, 22, "#ffffff", INK, width=2)
    page.line([(x + 31, y + 26), (x + 31, y + 9)], INK, 2)
    page.line([(x + 31, y + 26), (x + 24, y + 38)], COLOURS["red"], 3)


def _cup(page: Sheet, x: float, y: float, colour: str) -> None:
    page.box(x + 14, y + 50, x + 42, y + 74, colour)
    page.ball(x + 46, y + 62, 8, None, INK, width=3)
    for dx in (20, 28, 36):
        page.line([(x + dx, y + 46), (x + dx + 4, y + 40), (x + dx, y + 34), (x + dx + 4, y + 28)], "#8a8a8a", 2)


def _egg(page: Sheet, x: float, y: float, _colour: str) -> None:
    page.ball(x + 31, y + 64, 28, "#ffffff", INK, 0.36)
    page.ball(x + 31, y + 62, 14, "#fdfdf2", GREY, 0.5)
    page.ball(x + 31, y + 62, 6, COLOURS["yellow"], None, 0.7)


def _sun(page: Sheet, x: float, y: float, _colour: str) -> None:
    page.ball(x + 31, y + 24, 15, COLOURS["yellow"], COLOURS["orange"], width=2)
    for dx, dy in ((0, -22), (0, 22), (-22, 0), (22, 0), (-16, -16), (16, 16), (-16, 16), (16, -16)):
        page.line([(x + 31 + dx * 0.8, y + 24 + dy * 0.8), (x + 31 + dx, y + 24 + dy)], COLOURS["orange"], 3)


def _parasol(page: Sheet, x: float, y: float, colour: str) -> None:
    page.line([(x + 31, y + 30), (x + 31, y + 75)], WOOD, 3)
    for part in range(6):
        page.slice(x + 31, y + 34, 29, 180 + part * 30, 210 + part * 30, "#ffffff" if part % 2 else colour)


def _bucket(page: Sheet, x: float, y: float, colour: str) -> None:
    page.shape([(x + 8, y + 46), (x + 38, y + 46), (x + 33, y + 74), (x + 13, y + 74)], colour)
    page.line([(x + 50, y + 36), (x + 50, y + 60)], WOOD, 3)
    page.shape([(x + 44, y + 58), (x + 56, y + 58), (x + 50, y + 75)], GREY)


def _moon(page: Sheet, x: float, y: float, _colour: str) -> None:
    page.ball(x + 28, y + 24, 15, "#f5f0c0", None)
    page.ball(x + 35, y + 20, 13, "#26305a", None)
    for dx, dy in ((8, 8), (54, 12), (50, 40), (14, 46)):
        page.ball(x + dx, y + dy, 2, "#ffffff", None)


def _tent(page: Sheet, x: float, y: float, colour: str) -> None:
    page.shape([(x + 31, y + 24), (x + 60, y + 74), (x + 2, y + 74)], colour)
    page.shape([(x + 31, y + 40), (x + 42, y + 74), (x + 20, y + 74)], INK)


def _fire(page: Sheet, x: float, y: float, _colour: str) -> None:
    page.line([(x + 10, y + 74), (x + 52, y + 66)], WOOD, 6)
    page.line([(x + 10, y + 66), (x + 52, y + 74)], WOOD, 6)
    page.shape([(x + 31, y + 24), (x + 45, y + 66), (x + 17, y + 66)], COLOURS["orange"], None)
    page.shape([(x + 31, y + 42), (x + 38, y + 66), (x + 24, y + 66)], COLOURS["yellow"], None)


def _goal(page: Sheet, x: float, y: float, _colour: str) -> None:
    for step in range(1, 6):
        page.line([(x + step * 10, y + 30), (x + step * 10, y + 74)], GREY, 1)
        page.line([(x + 2, y + 30 + step * 8), (x + 60, y + 30 + step * 8)], GREY, 1)
    page.line([(x + 2, y + 75), (x + 2, y + 30), (x + 60, y + 30), (x + 60, y + 75)], "#ffffff", 4)


def _players(page: Sheet, x: float, y: float, _colour: str) -> None:
    person(page, x - 14, y, COLOURS["red"])
    person(page, x + 14, y, COLOURS["blue"])


def _score(page: Sheet, x: float, y: float, _colour: str) -> None:
    page.box(x + 4, y + 8, x + 58, y + 40, INK)
    page.text(x + 31, y + 24, "2 : 1", 18, COLOURS["yellow"])
    page.line([(x + 31, y + 40), (x + 31, y + 75)], GREY, 4)


def _light(page: Sheet, x: float, y: float, _colour: str) -> None:
    page.line([(x + 31, y + 44), (x + 31, y + 75)], GREY, 4)
    page.box(x + 20, y + 2, x + 42, y + 48, INK)
    for place, tint in enumerate((COLOURS["red"], "#5a5a3a", "#3a5a3a")):
        page.ball(x + 31, y + 11 + place * 14, 6, tint, None)


def _cars(page: Sheet, x: float, y: float, colour: str) -> None:
    for dx, tint in ((0, colour), (22, COLOURS["grey"]), (44, COLOURS["turquoise"])):
        page.box(x + dx, y + 58, x + dx + 18, y + 70, tint)
        page.box(x + dx + 4, y + 50, x + dx + 14, y + 58, "#dcebf7")
        for wheel in (4, 14):
            page.ball(x + dx + wheel, y + 71, 3, INK)


def _cones(page: Sheet, x: float, y: float, _colour: str) -> None:
    for dx in (4, 34):
        page.shape([(x + dx + 12, y + 38), (x + dx + 24, y + 74), (x + dx, y + 74)], COLOURS["orange"])
        page.box(x + dx + 7, y + 54, x + dx + 17, y + 60, "#ffffff", None)


def _table(page: Sheet, x: float, y: float, colour: str) -> None:
    page.box(x + 2, y + 50, x + 60, y + 56, "#ffffff")
    page.line([(x + 31, y + 56), (x + 31, y + 75)], WOOD, 5)
    page.line([(x + 31, y + 50), (x + 31, y + 32)], colour, 4)
    page.ball(x + 31, y + 28, 3, COLOURS["orange"], None, 1.4)
    for dx in (12, 50):
        page.shape([(x + dx - 6, y + 34), (x + dx + 6, y + 34), (x + dx, y + 44)], COLOURS["purple"])
        page.line([(x + dx, y + 44), (x + dx, y + 50)], INK, 2)


def _waiter(page: Sheet, x: float, y: float, _colour: str) -> None:
    person(page, x, y, INK)
    page.line([(x + 36, y + 36), (x + 54, y + 32)], INK, 3)
    page.ball(x + 52, y + 30, 10, "#dfe3e8", INK, 0.25)
    page.box(x + 48, y + 20, x + 56, y + 28, COLOURS["red"])


def _menu(page: Sheet, x: float, y: float, _colour: str) -> None:
    page.box(x + 8, y + 6, x + 54, y + 56, "#2f4538", WOOD, 2)
    for place, text in enumerate(("soup 4", "fish 9", "tea 2")):
        page.text(x + 31, y + 16 + place * 14, text, 11, "#ffffff")


def _board(page: Sheet, x: float, y: float, _colour: str) -> None:
    page.box(x + 1, y + 8, x + 61, y + 48, "#2f5a45", WOOD, 3)
    page.text(x + 31, y + 28, "3 + 4 = ?", 12, "#ffffff")


def _desks(page: Sheet, x: float, y: float, colour: str) -> None:
    for dx in (2, 34):
        page.box(x + dx, y + 52, x + dx + 26, y + 57, WOOD)
        page.line([(x + dx + 3, y + 57), (x + dx + 3, y + 75)], INK, 2)
        page.line([(x + dx + 23, y + 57), (x + dx + 23, y + 75)], INK, 2)
        page.box(x + dx + 8, y + 46, x + dx + 20, y + 52, colour)


def _hands(page: Sheet, x: float, y: float, colour: str) -> None:
    person(page, x, y, colour)
    page.line([(x + 38, y + 40), (x + 50, y + 10)], SKIN, 4)


def _train(page: Sheet, x: float, y: float, colour: str) -> None:
    page.box(x + 2, y + 40, x + 60, y + 68, colour)
    for dx in (8, 24, 40):
        page.box(x + dx, y + 46, x + dx + 12, y + 56, "#dcebf7")
    for dx in (12, 30, 50):
        page.ball(x + dx, y + 70, 5, INK)
    page.ball(x + 10, y + 28, 8, "#c8ccd2", None)
    page.ball(x + 22, y + 18, 6, "#c8ccd2", None)


def _suitcase(page: Sheet, x: float, y: float, colour: str) -> None:
    person(page, x - 8, y, colour)
    page.box(x + 36, y + 54, x + 60, y + 75, WOOD)
    page.box(x + 44, y + 49, x + 52, y + 54, None, INK, 2)


def _waving(page: Sheet, x: float, y: float, colour: str) -> None:
    person(page, x, y, colour)
    page.line([(x + 24, y + 40), (x + 12, y + 14)], SKIN, 4)
    page.shape([(x + 12, y + 14), (x + 2, y + 8), (x + 6, y + 20)], "#ffffff")


def _flowers(page: Sheet, x: float, y: float, colour: str) -> None:
    for dx in (10, 24, 38, 52):
        page.line([(x + dx, y + 75), (x + dx, y + 54)], COLOURS["green"], 3)
        page.ball(x + dx, y + 50, 6, colour)


def _can(page: Sheet, x: float, y: float, colour: str) -> None:
    page.box(x + 20, y + 48, x + 48, y + 74, colour)
    page.line([(x + 22, y + 66), (x + 4, y + 46)], colour, 5)
    page.ball(x + 50, y + 58, 9, None, INK, width=3)


def _basket(page: Sheet, x: float, y: float, _colour: str) -> None:
    for dx in (16, 28, 40):
        page.ball(x + dx, y + 50, 8, COLOURS["red"])
    page.shape([(x + 4, y + 54), (x + 54, y + 54), (x + 46, y + 75), (x + 12, y + 75)], WOOD)


def drawn_colour(rng: random.Random) -> tuple[str, str]:
    """A colour of things, by name and as drawn."""
    return rng.choice([(name, COLOURS[name]) for name in ("red", "blue", "green", "purple", "orange", "turquoise")])


THEMES = (
    Theme("rain", "#aab4c0", "#8c8f94", (
        Thing(_umbrella, ("a {} umbrella open over a person", "a person under a {} umbrella"),
              "it is raining on people outside"),
        Thing(_puddle, ("puddles on the ground", "water standing on the road"), "it has been wet for hours"),
        Thing(_cloud, ("a dark cloud with drops", "drops falling from a grey cloud"), "the storm is not over yet"),
        Thing(_light, ("a red traffic light", "a traffic light that shows red"), "the drivers have to stop"))),
    Theme("winter", "#d3e2ee", "#f2f6fa", (
        Thing(_snowman, ("a snowman with a hat", "a man of snow with a carrot nose"),
              "children have played in the snow"),
        Thing(_bare_tree, ("a tree without leaves", "a bare tree"), "it is the winter season"),
        Thing(_sledge, ("a {} sledge on the ground", "an empty {} sledge"), "someone will go down the hill soon"))),
    Theme("birthday", "#f5e3ee", "#c9a27a", (
        Thing(_cake, ("a {} cake with four candles", "four candles burning on a {} cake"), "it is a birthday party"),
        Thing(_balloons, ("three balloons on strings", "a bunch of balloons"), "a child celebrates today"),
        Thing(_presents, ("two wrapped boxes", "boxes with white ribbons"), "friends have brought gifts"))),
    Theme("breakfast", "#f7efdc", "#b98d5e", (
        Thing(_clock, ("a clock that shows seven", "a round clock on the wall"), "it is early in the morning"),
        Thing(_cup, ("a steaming {} cup", "a {} cup with steam above it"), "the tea was made just before"),
        Thing(_egg, ("a fried egg on a plate", "a plate with an egg"), "they eat in the kitchen"))),
    Theme("beach", "#9fd3f0", "#ecd9a4", (
        Thing(_sun, ("a bright sun in the sky", "the sun without any cloud"), "it is a hot summer day"),
        Thing(_parasol, ("a striped {} parasol", "a parasol with {} stripes"), "people want shade on the beach"),
        Thing(_bucket, ("a {} bucket and a spade", "a spade beside a {} bucket"), "a child wants to dig in the sand"))),
    Theme("camp", "#26305a", "#3d5a40", (
        Thing(_moon, ("a moon and stars", "a thin moon among stars"), "it is late at night"),
        Thing(_tent, ("a {} tent", "a small {} tent with a dark entrance"), "the family will sleep outdoors"),
        Thing(_fire, ("a fire of logs", "flames over two logs"), "they want to keep warm"))),
    Theme("match", "#bfe0f2", "#6fae5c", (
        Thing(_goal, ("a goal with a net", "white posts with a net between them"), "a football game is played here"),
        Thing(_players, ("a player in red beside one in blue", "two players in different shirts"),
              "the two belong to two teams"),
        Thing(_score, ("a board that shows 2 : 1", "a score board with 2 and 1"), "one side is ahead so far"))),
    Theme("road", "#d9dde2", "#6b6f75", (
        Thing(_light, ("a red traffic light", "a traffic light that shows red"), "the drivers have to stop"),
        Thing(_cars, ("three cars one behind the other", "a row of three cars"), "the traffic in the city is slow"),
        Thing(_cones, ("two orange cones", "orange cones with white bands"), "workers repair the road this month"))),
    Theme("restaurant", "#5b4a52", "#8a5f4a", (
        Thing(_table, ("a candle between two glasses on a table", "a table for two with a candle"),
              "a couple will have dinner"),
        Thing(_waiter, ("a person in black with a tray", "somebody who carries a tray"), "the man works as a waiter"),
        Thing(_menu, ("a list of dishes on the wall", "a board with soup, fish and tea"),
              "one can order food at this restaurant"))),
    Theme("school", "#efe6cf", "#b9956a", (
        Thing(_board, ("a green board with a sum on it", "a sum written on a board"),
              "arithmetic is taught in this school"),
        Thing(_desks, ("two desks with {} books", "{} books on two desks"), "several children learn here"),
        Thing(_hands, ("a person in {} with a raised arm", "somebody in {} who raises an arm"),
              "she knows the answer"))),
    Theme("station", "#cfd8e0", "#a79c8c", (
        Thing(_train, ("a {} train with smoke", "smoke over a {} train"), "the train leaves soon"),
        Thing(_suitcase, ("a person in {} beside a suitcase", "somebody in {} with a suitcase"),
              "he goes away for a long time"),
        Thing(_waving, ("a person in {} who waves a cloth", "somebody in {} waving"), "she says goodbye to a friend"))),
    Theme("garden", "#c4e4f4", "#8fbf6f", (
        Thing(_flowers, ("a row of {} flowers", "four {} flowers in a row"), "it is the spring season"),
        Thing(_can, ("a {} watering can", "a can with a long spout, in {}"), "the plants were watered recently"),
        Thing(_basket, ("a basket of red apples", "apples in a basket"), "somebody has picked fruit"))),
)  # fmt: skip
