r"""Cards: one picture of a problem, its formulas and figures spliced into its text by HTML and CSS.

The splitting rule of `parts`: `[asy]...[/asy]` is a figure; `$...$` and `\(...\)` a formula in the line; `$$...$$`,
`\[...\]` and the environments align, equation, gather, eqnarray and multline (starred or not) a displayed formula; all
else is text, in which an empty line or `\\` ends the line, `\textbf`, `\textit` and `\emph` set the face, and
`\$ \% \& \# \_ \{ \}` are themselves. A dollar sign inside the braces of a formula does not end it.
"""

import html as markup
import io
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from assets.m3cot.mathematics.formulas import Unsupported, closing, drawn

if TYPE_CHECKING:
    from PIL import Image

REASONS = ("unsupported_formula", "unsupported_text", "figure_missing", "card_too_tall")

WIDTH = 640
MARGIN = 24
SIZE = 20.0
LINE = 28.0
GAP = 12.0
MOST_CHARACTERS = 6000
MOST_HEIGHT = 3000
MOST_FIGURES = 16
MOST_FIGURE_HEIGHT = 480
FIGURE_SCALE = 0.55
"""Figures come at 200 dots an inch: at 110 a label of 12 points stands as tall as the card's text."""

_INSIDE = WIDTH - 2 * MARGIN
_FAMILY = "STIXGeneral"
_FACES = ("STIXGeneral.ttf", "STIXGeneralItalic.ttf", "STIXGeneralBol.ttf", "STIXGeneralBolIta.ttf")
_ASCENT, _DESCENT = 1.055 * SIZE, 0.455 * SIZE
_BASELINE = (LINE - _ASCENT - _DESCENT) / 2 + _ASCENT

_DISPLAYS = "align|align*|equation|equation*|gather|gather*|eqnarray|eqnarray*|multline|multline*"
_SPLIT = re.compile(
    r"\[asy\](?P<figure>.*?)\[/asy\]"
    r"|\\begin\{(?P<name>" + _DISPLAYS.replace("*", r"\*") + r")\}(?P<environment>.*?)\\end\{(?P=name)\}"
    r"|\\\[(?P<brackets>.*?)\\\]|\$\$(?P<dollars>.*?)\$\$|\\\((?P<round>.*?)\\\)"
    r"|(?P<escape>\\.)|(?P<dollar>\$)",
    re.DOTALL,
)
_DROPPED = re.compile(
    r"\\(?:begin|end)\{(?:center|flushleft|problem|enumerate|itemize)\}|\\(?:noindent|centering|par)(?![A-Za-z])"
)
_TOKEN = re.compile(
    r"(?P<face>\\(?:textbf|textit|emph|text|textrm|mbox|underline|textsc)(?![A-Za-z])\s*\{)"
    r"|(?P<space>\\(?:quad|qquad)(?![A-Za-z])|\\[ ,;:!]|~)"
    r"|(?P<line>\\\\(?:\[[^\]]*\])?|\\newline(?![A-Za-z])|\n[ \t]*\n)"
    r"|(?P<escape>\\[$%&#_{}-])|(?P<word>\\(?:dots|ldots|textbackslash)(?![A-Za-z]))"
    r"|(?P<command>\\.?[A-Za-z]*)|(?P<open>\{)|(?P<close>\})|(?P<blank>[ \t\n]+)|(?P<run>[^\\~{} \t\n]+)",
)
_WORDS = {"\\dots": "…", "\\ldots": "…", "\\textbackslash": "\\"}
_BOLD, _ITALIC = 2, 1


class Text(NamedTuple):
    """Text as the problem has it, LaTeX's own marks included."""

    text: str


class Formula(NamedTuple):
    """One formula; `display` where it stands on a line of its own."""

    latex: str
    display: bool


class Figure(NamedTuple):
    """One Asymptote figure, `place` counting from 0."""

    place: int
    code: str


class _Piece(NamedTuple):
    """What stands on a line: HTML placed at x by `{left}` and at y by `{top}`, with its measures in pixels."""

    html: str
    width: float
    ascent: float
    descent: float


def parts(problem: str) -> list[Text | Formula | Figure]:
    """The problem's texts, formulas and figures in order, by the module's splitting rule.

    Raises:
        Unsupported: `unsupported_formula` where a dollar sign has no partner.
    """
    found: list[Text | Formula | Figure] = []
    plain: list[str] = []
    place = figures = 0

    def add(part: Formula | Figure) -> None:
        if text := "".join(plain):
            found.append(Text(text))
        plain.clear()
        found.append(part)

    while match := _SPLIT.search(problem, place):
        plain.append(problem[place : match.start()])
        place = match.end()
        if match["figure"] is not None:
            add(Figure(figures, match["figure"].strip()))
            figures += 1
        elif match["environment"] is not None:
            add(Formula(f"\\begin{{{match['name']}}}{match['environment']}\\end{{{match['name']}}}", True))
        elif match["escape"] is not None:
            plain.append(match["escape"])
        elif match["dollar"] is not None:
            end = _partner(problem, place)
            add(Formula(problem[place:end].strip(), False))
            place = end + 1
        else:
            latex = next(match[name] for name in ("brackets", "dollars", "round") if match[name] is not None)
            add(Formula(latex.strip(), match["round"] is None))
    plain.append(problem[place:])
    if text := "".join(plain):
        found.append(Text(text))
    return found


def _partner(problem: str, start: int) -> int:
    """Where the dollar sign stands that ends the formula begun at `start`."""
    place = start
    while place < len(problem):
        mark = problem[place]
        if mark == "\\":
            place += 2
        elif mark == "{" and (end := closing(problem, place)) is not None:
            place = end + 1
        elif mark == "$":
            return place
        else:
            place += 1
    raise Unsupported("unsupported_formula", "a dollar sign without a partner")


def card(problem: str, figures: Sequence["Image.Image"]) -> "Image.Image":
    """One RGB picture of a problem, 640 pixels wide: black text and formulas on white, the figures where they stood.

    Figures are pictures at 200 dots an inch, one for each `[asy]` block, in order.

    Source: M3CoT A.4.1 (PNG of formula and geometry code, combined with the text by HTML and CSS).

    Raises:
        Unsupported: `unsupported_formula`, `unsupported_text`, `figure_missing` or `card_too_tall`.
    """
    import blitz_py
    from PIL import Image

    height, body = _laid_out(problem, figures)
    wide, high, pixels = blitz_py.render_rgba(_page(height, body), width=WIDTH, height=height, fonts=list(_fonts()))
    return Image.frombytes("RGBA", (wide, high), pixels).convert("RGB")


def html(problem: str, figures: Sequence["Image.Image"]) -> str:
    """The page `card` draws: one HTML document that names no file or address, all text escaped.

    Raises:
        Unsupported: as `card`.
    """
    return _page(*_laid_out(problem, figures))


def _page(height: int, body: str) -> str:
    return (
        f"<!DOCTYPE html><html><head><meta charset='utf-8'><style>body{{margin:0;background:#fff;color:#000}}"
        f".card{{position:relative;width:{WIDTH}px;height:{height}px;font-family:{_FAMILY},serif;"
        f"font-size:{SIZE:g}px;line-height:{LINE:g}px}}"
        ".card>*{position:absolute;white-space:pre}.b{font-weight:bold}.i{font-style:italic}</style></head>"
        f"<body><div class='card'>{body}</div></body></html>"
    )


def _laid_out(problem: str, figures: Sequence["Image.Image"]) -> tuple[int, str]:
    """The card's height in pixels, and the HTML of all that stands on it."""
    if len(problem) > MOST_CHARACTERS:
        raise Unsupported("unsupported_text", f"{len(problem)} characters")
    found = parts(problem)
    asked = sum(isinstance(part, Figure) for part in found)
    if asked != len(figures) or asked > MOST_FIGURES:
        raise Unsupported("figure_missing", f"{len(figures)} pictures for {asked} figures")
    top = float(MARGIN)
    body: list[str] = []
    for line, centred in _lines(found, figures):
        ascent = max([_BASELINE, *(piece.ascent + 2 for piece in line)])
        descent = max([LINE - _BASELINE, *(piece.descent + 2 for piece in line)])
        gap = GAP if centred else 0.0
        left = MARGIN + (max(0.0, (_INSIDE - sum(piece.width for piece in line)) / 2) if centred else 0.0)
        for piece in line:
            up = top + gap / 2 + ascent - piece.ascent
            body.append(piece.html.replace("{left}", f"{left:.2f}px", 1).replace("{top}", f"{up:.2f}px", 1))
            left += piece.width
        top += gap + ascent + descent if line else GAP
    height = int(top) + MARGIN
    if height > MOST_HEIGHT:
        raise Unsupported("card_too_tall", f"{height} pixels")
    return height, "".join(body)


def _lines(
    found: Sequence[Text | Formula | Figure], figures: Sequence["Image.Image"]
) -> Iterator[tuple[list[_Piece], bool]]:
    """The card's lines, each with whether it is centred; an empty line parts two paragraphs."""
    words: list[list[_Piece]] = [[]]
    row: list[_Piece] = []
    for part in found:
        if isinstance(part, Figure) or (isinstance(part, Formula) and part.display):
            yield from ((line, False) for line in _filled(words))
            words = [[]]
            if isinstance(part, Figure):
                row.append(_figure(figures[part.place]))
                continue
            yield from _rows(row)
            row = []
            yield [_formula(part)], True
        elif isinstance(part, Formula):
            yield from _rows(row)
            row = []
            words[-1].append(_formula(part))
        else:
            for kind, text, face in _runs(part.text):
                if kind == "run":
                    yield from _rows(row)
                    row = []
                if kind == "run":
                    words[-1].append(_run(text, face))
                elif kind == "blank":
                    words.append([])
                else:
                    filled = list(_filled(words))
                    yield from ((line, False) for line in filled)
                    if filled and text == "paragraph":
                        yield [], False
                    words = [[]]
    yield from ((line, False) for line in _filled(words))
    yield from _rows(row)


def _rows(row: Sequence[_Piece]) -> Iterator[tuple[list[_Piece], bool]]:
    """Figures side by side, as many to a row as fit."""
    space = _Piece("", GAP * 2, 0, 0)
    line: list[_Piece] = []
    for piece in row:
        if line and sum(other.width for other in line) + space.width + piece.width > _INSIDE:
            yield line, True
            line = []
        line = [*line, space, piece] if line else [piece]
    if line:
        yield line, True


def _filled(words: Sequence[Sequence[_Piece]]) -> Iterator[list[_Piece]]:
    """Lines as full as they go; what stands without a space between stays on one line."""
    space = _Piece("", _measured(" ", 0), 0, 0)
    line: list[_Piece] = []
    used = 0.0
    for word in words:
        wide = sum(piece.width for piece in word)
        if not word:
            continue
        if line and used + space.width + wide > _INSIDE:
            yield line
            line, used = [], 0.0
        if line:
            line.append(space)
            used += space.width
        line.extend(word)
        used += wide
    if line:
        yield line


def _runs(text: str) -> Iterator[tuple[str, str, int]]:
    """Runs of text in one face, the spaces between them and the ends of lines."""
    faces = [0]
    for token in _TOKEN.finditer(_DROPPED.sub(" ", text)):
        kind, value = str(token.lastgroup), token[0]
        if kind == "command":
            raise Unsupported("unsupported_text", value)
        if kind == "face":
            name = value.rstrip("{ \n").removeprefix("\\")
            faces.append(faces[-1] | {"textbf": _BOLD, "textit": _ITALIC, "emph": _ITALIC}.get(name, 0))
        elif kind == "open":
            faces.append(faces[-1])
        elif kind == "close":
            if len(faces) > 1:
                faces.pop()
        elif kind == "line":
            yield "line", "line" if value.startswith("\\") else "paragraph", faces[-1]
        elif kind in ("blank", "space"):
            if value not in ("\\!", "\\,"):
                yield "blank", " ", faces[-1]
        elif kind == "escape":
            yield "run", value[1:].replace("-", ""), faces[-1]
        elif kind == "word":
            yield "run", _WORDS[value], faces[-1]
        else:
            if "&" in value:
                raise Unsupported("unsupported_text", "a table")
            yield "run", _quoted(value), faces[-1]


def _quoted(text: str) -> str:
    """TeX's quotes and dashes as the characters they stand for."""
    for marks, character in (("``", "“"), ("''", "”"), ("`", "‘"), ("'", "’"), ("---", "—"), ("--", "–")):
        text = text.replace(marks, character)
    return text


def _run(text: str, face: int) -> _Piece:
    strange = sorted(set(map(ord, text)) - _characters())
    if strange:
        raise Unsupported("unsupported_text", f"the font has no U+{strange[0]:04X}")
    names = " ".join(name for name, bit in (("b", _BOLD), ("i", _ITALIC)) if face & bit)
    shown = markup.escape(text)
    width = _measured(text, face)
    if width > _INSIDE:
        raise Unsupported("unsupported_text", f"a word of {len(text)} characters")
    style = "left:{left};top:{top}"
    return _Piece(f"<span class='{names}' style='{style}'>{shown}</span>", width, _BASELINE, LINE - _BASELINE)


def _formula(part: Formula) -> _Piece:
    shape = drawn(part.latex, SIZE, part.display)
    picture, factor = shape.svg, 1.0
    if shape.width > _INSIDE:
        factor = _INSIDE / shape.width
        if factor < 0.6:
            raise Unsupported("unsupported_formula", f"{shape.width:.0f} pixels wide")
    width, high = shape.width * factor, (shape.ascent + shape.descent) * factor
    start = picture.index(' viewBox="')
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" style="left:{{left}};top:{{top}}" '
        f'width="{width:.3f}" height="{high:.3f}"{picture[start:]}'
    )
    return _Piece(picture, width, shape.ascent * factor, shape.descent * factor)


def _figure(picture: "Image.Image") -> _Piece:
    import base64

    from PIL import Image

    factor = min(FIGURE_SCALE, _INSIDE / picture.width, MOST_FIGURE_HEIGHT / picture.height)
    size = (max(1, round(picture.width * factor)), max(1, round(picture.height * factor)))
    file = io.BytesIO()
    picture.convert("RGB").resize(size, Image.Resampling.LANCZOS).save(file, "PNG")
    data = base64.b64encode(file.getvalue()).decode("ascii")
    place = f'style="left:{{left}};top:{{top}}" width="{size[0]}" height="{size[1]}"'
    return _Piece(f'<img {place} src="data:image/png;base64,{data}">', size[0], size[1], 0)


@cache
def _fonts() -> tuple[bytes, ...]:
    """The four faces of STIX that Matplotlib brings: the same bytes on every machine."""
    from pathlib import Path

    import matplotlib

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return tuple((folder / name).read_bytes() for name in _FACES)


@cache
def _characters() -> frozenset[int]:
    from pathlib import Path

    import matplotlib
    from matplotlib.ft2font import FT2Font

    return frozenset(FT2Font(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / _FACES[0])).get_charmap())


@lru_cache(maxsize=8192)
def _measured(text: str, face: int) -> float:
    """The width of a run in pixels, by the engine that draws it."""
    import blitz_py

    if text == " ":
        return _measured("a a", face) - 2 * _measured("a", face)
    weight = 700.0 if face & _BOLD else 400.0
    font = _fonts()[face]
    return float(blitz_py.measure_text(text, font_size=SIZE, font_family=_FAMILY, font_weight=weight, fonts=[font])[0])
