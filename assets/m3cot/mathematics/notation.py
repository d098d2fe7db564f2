"""How an option of a mathematics problem stands beside its letter: one notation for all of them."""

import re

_WORDS = re.compile(r"[A-Za-z][A-Za-z' -]+")
_PLAIN = re.compile(r"-?\d[\d,.]*|\\text\{([^{}$\\]*)\}")


def shown(option: str) -> str:
    """An option as it stands beside its letter: a number or a word plainly, a formula between dollars.

    Notation is made one, so that braces and blanks as the solution has them do not give the right option away.
    """
    option = _one_notation(option)
    plain = _PLAIN.fullmatch(option)
    if plain:
        return plain[1].strip() if plain[1] else option
    return option if _WORDS.fullmatch(option) else f"${option}$"


def _one_notation(option: str) -> str:
    text = re.sub(r"(?<=\d)(?:,\\!|\{,\})(?=\d)", ",", option.strip())
    if _WORDS.fullmatch(text):
        return text
    text = re.sub(r"\\(?:left|right)(?![A-Za-z])", "", re.sub(r"\\[dt]frac(?![A-Za-z])", r"\\frac", text))
    pieces = re.split(r"(\\(?:text|mbox|mathrm|textbf|textrm)\s*\{[^{}]*\})", text)
    # a blank in a formula is drawn only after a backslash, and needed only where it ends a command's name
    for place, piece in enumerate(pieces[::2]):
        kept = re.sub(r"(\\[A-Za-z]+)\s+(?=[A-Za-z])|(\\)\s", lambda m: f"{m[1] or m[2]}\0", piece)
        pieces[2 * place] = re.sub(r"\s+", "", kept).replace("\0", " ")
    text = re.sub(r"\\frac(\d)(?=[\d{\\])", r"\\frac{\1}", "".join(pieces))
    text = re.sub(r"(\\frac\{(?:[^{}]|\{[^{}]*\})*\})(\d)", r"\1{\2}", text)
    return re.sub(r"\\sqrt(\d)", r"\\sqrt{\1}", text)
