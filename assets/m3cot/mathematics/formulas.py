"""Formulas in LaTeX, as SVG, drawn without TeX or a browser."""

import re
from functools import lru_cache
from typing import NamedTuple

REASONS = ("unsupported_formula",)

MOST_CHARACTERS = 1500
MOST_DEPTH = 25
MOST_PIXELS = 4000

_FUNCTIONS = "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp gcd max min lim det deg dim"
_GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
)
_SIGNS = (
    "circ bullet cdot cdots ldots dots vdots ddots times div pm mp le leq ge geq lt gt ne neq approx equiv cong sim "
    "angle measuredangle triangle perp parallel prime star infty ell to rightarrow leftarrow Rightarrow Leftrightarrow "
    "implies iff mapsto in notin subset subseteq cup cap emptyset forall exists mid nmid lfloor rfloor lceil rceil "
    "langle rangle sum prod int partial nabla square degree oplus otimes therefore because wedge vee neg setminus "
    "spadesuit heartsuit clubsuit diamondsuit diamond vert Vert lvert rvert"
)
_SHAPES = (
    "frac dfrac tfrac over binom dbinom tbinom sqrt overline underline overrightarrow vec hat widehat bar tilde "
    "left right text textbf textit textrm mathbf mathrm mathbb mathcal mathit operatorname pmod bmod begin end "
    "quad qquad hspace displaystyle textstyle"
)
KNOWN = frozenset(f"\\{name}" for text in (_FUNCTIONS, _GREEK, _SIGNS, _SHAPES) for name in text.split()) | frozenset(
    ("\\ ", "\\,", "\\:", "\\;", "\\!", "\\%", "\\$", "\\{", "\\}", "\\|", "\\\\", "\\#")
)
"""Commands whose drawing was looked at and is right; any other is refused by name."""

_ENVIRONMENTS = frozenset(
    ("pmatrix", "bmatrix", "vmatrix", "Vmatrix", "matrix", "cases", "align*", "array", "aligned", "split")
)
_ALIGNED = {"align": "align*", "aligned": "align*", "split": "align*", "eqnarray": "align*", "eqnarray*": "align*"}
_GATHERED = {"gather": "array", "gather*": "array", "gathered": "array", "multline*": "array"}
_BARE = frozenset(("equation", "equation*", "displaymath", "math"))

_WRONG = (
    ("\\mathop", re.compile(r"\\mathop(?![A-Za-z])"), "its limits and spacing are lost"),
    ("\\not", re.compile(r"\\not(?![A-Za-z])"), "the stroke is drawn beside the sign"),
    ("\\overarc", re.compile(r"\\(?:overarc|wideparen|overparen|arc)(?![A-Za-z])"), "the name is drawn as text"),
    ("\\hline", re.compile(r"\\(?:hline|cline|hdashline)(?![A-Za-z])"), "every row gets a rule"),
    ("array rules", re.compile(r"\\begin\{(?:array|tabular)\}\s*(?:\[\w\])?\{[^}]*\|"), "every column gets a rule"),
    ("\\multicolumn", re.compile(r"\\multicolumn(?![A-Za-z])"), "the cell is not widened"),
)
_SAME = (
    (re.compile(r"\\(?:mbox|hbox|textnormal|textup|textsf|texttt)(?=\s*\{)"), r"\\text"),
    (re.compile(r"\\emph(?=\s*\{)"), r"\\textit"),
    (re.compile(r"\\(?:bold|boldsymbol|bm|pmb)(?![A-Za-z])"), r"\\mathbf"),
    (re.compile(r"\{\s*\\bf\s+([^{}\\]*)\}"), r"\\mathbf{\1}"),
    (re.compile(r"\{\s*\\cal\s+([A-Za-z])\s*\}|\{\s*\\cal\s*\{([A-Za-z])\}\s*\}"), r"\\mathcal{\1\2}"),
    (re.compile(r"^\s*\\cal\s+([A-Za-z])\s*$"), r"\\mathcal{\1}"),
    (re.compile(r"\\cfrac(?![A-Za-z])"), r"\\dfrac"),
    (re.compile(r"\\(?:bigtriangleup|vartriangle)(?![A-Za-z])"), r"\\triangle"),
    (re.compile(r"\\dots[cbmoi](?![A-Za-z])"), r"\\dots"),
    (re.compile(r"\\(?:big|Big|bigg|Bigg)[lrm]?(?![A-Za-z])"), ""),
    (re.compile(r"\\(?:allowbreak|nonumber|notag|limits|nolimits|noindent|nobreak|strut)(?![A-Za-z])\s*"), ""),
    (re.compile(r"\\(?:label|tag\*?|phantom|hphantom|vphantom)\s*\{[^{}]*\}"), ""),
    (re.compile(r"\\(?:thinspace|enspace)(?![A-Za-z])"), r"\\,"),
    (re.compile(r"\\[dt]binom(?![A-Za-z])"), r"\\binom"),
    (re.compile(r"\\text\s*\{\s*\}"), ""),
    (re.compile(r"~"), r"\\ "),
    (re.compile(r"\\!"), ""),
    (re.compile(r"\\\\\s*\[\s*-?[\d.]+\s*[a-z]{2}\s*\]"), r"\\\\"),
    (re.compile(r"(?<=\d),(?=\d{3}(?!\d))"), "{,}"),
)
_SPACED = re.compile(r"\\(?:times|div|perp|sim|cup|cap|subset|wedge|vee|setminus|implies|iff)(?![A-Za-z])")
_MODULO = re.compile(r"\\bmod(?![A-Za-z])")
_SIGN = re.compile(
    r"((?:^|(?<!\\)[(,=<>&]|(?<!\\)\[|\\(?:leq?|geq?|lt|gt|neq?|approx|equiv|cdot|times|left\(|left\[|in)(?![A-Za-z]))\s*)"
    r"(-|\\pm(?![A-Za-z])|\\mp(?![A-Za-z]))"
)
_WORDS = re.compile(r"(\\(?:text(?:bf|it|rm)?|begin|end|operatorname|hspace)\s*\{[^{}]*\})")
_COMMAND = re.compile(r"\\(?:[A-Za-z]+|.)", re.DOTALL)
_COMMENT = re.compile(r"(?<!\\)%[^\n]*\n?")
_ENTITY = re.compile(r"&\s*(?:#|[A-Za-z][A-Za-z0-9]*;)")
_BEGIN_END = re.compile(r"\\(begin|end)\{([A-Za-z]+\*?)\}")
_VIEW_BOX = re.compile(r'viewBox="(-?[\d.]+) (-?[\d.]+) (-?[\d.]+) (-?[\d.]+)"')


class Unsupported(ValueError):
    """What cannot be drawn rightly.

    Attributes:
        reason: one of the drawing module's `REASONS`
        detail: the command or the part that stands in the way
    """

    def __init__(self, reason: str, detail: str) -> None:
        """Hold the reason, and the detail up to 120 characters."""
        super().__init__(f"{reason}: {detail[:120]}")
        self.reason = reason
        self.detail = detail[:120]


class Drawn(NamedTuple):
    """One formula as SVG; width, ascent above and descent below the baseline in CSS pixels."""

    svg: str
    width: float
    ascent: float
    descent: float


def svg(latex: str, size: float, display: bool = False) -> str:
    """SVG of a formula, glyphs as outlines: one `svg` element that names no font, file or address.

    Source: M3CoT A.4.1 (pictures generated from the mathematical code).

    Raises:
        Unsupported: `unsupported_formula`, for what ziamath cannot parse or is known to draw wrong without saying so.
    """
    return drawn(latex, size, display).svg


@lru_cache(maxsize=1024)
def drawn(latex: str, size: float, display: bool = False) -> Drawn:
    """A formula's SVG with the measures that set it on a line of text.

    Raises:
        Unsupported: as `svg`.
    """
    text = normalised(latex)
    _refuse(text)
    from ziamath.zmath import Latex

    try:
        formula = Latex(text, size=size, inline=not display)
        picture = formula.svg()
    except Exception as error:
        # the errors of latex2mathml share no base class, and hostile text meets ziamath's own by KeyError and the like
        raise Unsupported("unsupported_formula", f"{type(error).__name__} in {latex}") from error
    if "\\" in formula.mathmlstr():
        raise Unsupported("unsupported_formula", f"a command is drawn as text in {latex}")
    box = _VIEW_BOX.search(picture)
    if box is None or float(box[3]) <= 2.5:
        raise Unsupported("unsupported_formula", f"nothing is drawn of {latex!r}")
    top, width, height = float(box[2]), float(box[3]), float(box[4])
    if width > MOST_PIXELS or height > MOST_PIXELS:
        raise Unsupported("unsupported_formula", f"{width:.0f} x {height:.0f} pixels")
    return Drawn(picture, width, -top, top + height)


def normalised(latex: str) -> str:
    r"""The formula in the commands ziamath draws rightly: `\mbox` as `\text`, `{\cal A}` as `\mathcal{A}` and so on."""
    if len(latex) > MOST_CHARACTERS:
        raise Unsupported("unsupported_formula", f"{len(latex)} characters")
    text = _COMMENT.sub("", latex)
    for pattern, other in _SAME:
        text = pattern.sub(other, text)
    text = _BEGIN_END.sub(_environment, text)
    text = re.sub(r"\\begin\{array\}\{gathered\}", r"\\begin{array}{c}", text)
    text = _text_without_mathematics(text)
    text = _binomials(text)
    text = "".join(piece if place % 2 else _spaced(piece) for place, piece in enumerate(_WORDS.split(text)))
    # two bars become one double bar in ziamath, which is another sign
    return text.replace("||", "| |").strip()


def _spaced(text: str) -> str:
    """Signs with the space TeX gives them: none after a sign that has nothing before it, some about a relation."""
    text = _SIGN.sub(lambda match: f"{match[1]}{{{match[2]}}}", text)
    text = _SPACED.sub(lambda match: f"\\:{match[0]}\\:", text)
    return _MODULO.sub(r"\\;\\mathrm{mod}\\;", text)


def _environment(match: re.Match[str]) -> str:
    end, name = match[1], match[2]
    if name in _BARE:
        return ""
    if name in _GATHERED:
        return r"\begin{array}{gathered}" if end == "begin" else r"\end{array}"
    return f"\\{end}{{{_ALIGNED.get(name, name)}}}"


def _text_without_mathematics(text: str) -> str:
    r"""`\text{if $x$}` as `\text{if }x`: ziamath draws the dollar signs."""

    def split(match: re.Match[str]) -> str:
        pieces = re.split(r"(?<!\\)\$", match[2])
        if len(pieces) % 2 == 0:
            raise Unsupported("unsupported_formula", "a dollar sign alone")
        return "".join(
            piece if place % 2 else f"{match[1]}{{{piece}}}" for place, piece in enumerate(pieces) if piece or place % 2
        )

    return re.sub(r"(\\text(?:bf|it|rm)?)\s*\{([^{}]*\$(?:[^{}]|\{[^{}]*\})*)\}", split, text)


def _binomials(text: str) -> str:
    r"""`\binom` by balanced braces: ziamath's own rewriting ends at the first closing brace."""
    while (start := text.find("\\binom")) >= 0:
        above, after = _argument(text, start + len("\\binom"))
        below, after = _argument(text, after)
        text = f"{text[:start]}\\left( {{{above}}} \\atop {{{below}}} \\right){text[after:]}"
    return text


def _argument(text: str, start: int) -> tuple[str, int]:
    """The macro argument that begins at `start`, and where it ends."""
    while start < len(text) and text[start].isspace():
        start += 1
    if start >= len(text) or text[start] == "\\":
        raise Unsupported("unsupported_formula", "a binomial without its two arguments")
    if text[start] != "{":
        return text[start], start + 1
    end = closing(text, start)
    if end is None:
        raise Unsupported("unsupported_formula", "braces that do not close")
    return text[start + 1 : end], end + 1


def closing(text: str, start: int) -> int | None:
    """Where the brace opened at `start` closes; None where it does not."""
    depth = 0
    place = start
    while place < len(text):
        if text[place] == "\\":
            place += 2
            continue
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
        place += 1
    return None


def _refuse(text: str) -> None:
    """Raise `Unsupported` for what would be drawn wrong, by name."""
    for name, pattern, fault in _WRONG:
        if pattern.search(text):
            raise Unsupported("unsupported_formula", f"{name}: {fault}")
    for command in _COMMAND.findall(text):
        if command not in KNOWN and command != "\\atop":
            raise Unsupported("unsupported_formula", command)
    for match in _BEGIN_END.finditer(text):
        if match[2] not in _ENVIRONMENTS:
            raise Unsupported("unsupported_formula", match[0])
    if "$" in text.replace("\\$", ""):
        raise Unsupported("unsupported_formula", "a dollar sign inside a formula")
    if _ENTITY.search(text) or ("&" in text and "\\begin" not in text):
        raise Unsupported("unsupported_formula", "& outside a table")
    if re.search(r"\\text\w*\s*\{[^}]*[<>&]", text):
        raise Unsupported("unsupported_formula", "<, > or & in text of a formula")
    depth = deepest = 0
    for mark in re.findall(r"(?<!\\)[{}]", text):
        depth += 1 if mark == "{" else -1
        deepest = max(deepest, depth)
        if depth < 0:
            break
    if depth or deepest > MOST_DEPTH:
        raise Unsupported("unsupported_formula", "braces that do not close" if depth else f"{deepest} levels of braces")
