"""A formula in LaTeX as a tree of its operations."""

import re
from fractions import Fraction
from typing import Any

DEEPEST = 24

Node = tuple[Any, ...]
"""A tree: ("num", Fraction), ("var", name), or an operation's name and its operands."""

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\.\d+|[A-Za-z]|\S", re.DOTALL)
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_FUNCTIONS = ("sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "ln", "log", "exp")
_APPLIED = frozenset("fgh")
_TIMES = frozenset({r"\cdot", r"\times", "*", "×", "·"})
_OVER = frozenset({"/", r"\div", "÷"})
_OPENING = {"(": ")", "[": "]", "{": "}", r"\{": r"\}"}


class NoFormula(ValueError):
    """A text that is no formula of the kind read here."""


def tree(text: str) -> Node:
    """The tree of a formula.

    Raises:
        NoFormula: the text is none, or nested deeper than `DEEPEST`.
    """
    try:
        return _Reader(text).whole()
    except RecursionError:
        raise NoFormula("too deep") from None


class _Reader:
    """Recursive descent over the tokens of one formula."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKEN.findall(text)
        self.at = 0
        self.depth = 0

    def whole(self) -> Node:
        tree = self.sum()
        if self.at != len(self.tokens):
            raise NoFormula(self.peek())
        return tree

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def sum(self) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise NoFormula("too deep")
        tree = self.product()
        while self.peek() in ("+", "-"):
            sign = self.take()
            right = self.product()
            tree = ("add", tree, right if sign == "+" else ("neg", right))
        self.depth -= 1
        return tree

    def product(self) -> Node:
        negative = False
        while self.peek() in ("+", "-"):
            negative ^= self.take() == "-"
        tree = self.power()
        while True:
            token = self.peek()
            if token in _TIMES or token in _OVER:
                self.take()
                sign = self.peek() == "-"
                if sign:
                    self.take()
                right = self.power()
                right = ("neg", right) if sign else right
                tree = ("div", tree, right) if token in _OVER else ("mul", tree, right)
            elif token and (token[0].isalnum() or token in ("(", "[", "{", ".") or self.command(token)):
                right = self.power()
                mixed = _whole(tree) and right[0] == "div" and _whole(right[1]) and _whole(right[2])
                tree = ("add" if mixed and token == r"\frac" else "mul", tree, right)
            else:
                return ("neg", tree) if negative else tree

    def command(self, token: str) -> bool:
        return token[0] == "\\" and token[1:].isalpha()

    def power(self) -> Node:
        tree = self.base()
        while True:
            token = self.peek()
            if token == "!":
                self.take()
                tree = ("factorial", tree)
            elif token == "°":
                self.take()
                tree = ("degree", tree)
            elif token == "^":
                self.take()
                tree = ("degree", tree) if self.circle() else ("pow", tree, self.argument())
            else:
                return tree

    def circle(self) -> bool:
        for form in ([r"\circ"], ["{", r"\circ", "}"]):
            if self.tokens[self.at : self.at + len(form)] == form:
                self.at += len(form)
                return True
        return False

    def argument(self, digits: bool = False) -> Node:
        """What a command takes: a group or one token; of a number its first digit where `digits` says so."""
        token = self.peek()
        if digits and len(token) > 1 and token.isdigit():
            self.tokens[self.at] = token[1:]
            return ("num", Fraction(int(token[0])))
        if token == "-":
            self.take()
            return ("neg", self.base())
        return self.base()

    def base(self) -> Node:
        token = self.take()
        if _NUMBER.fullmatch(token) and token.isascii():
            return ("num", Fraction(token))
        if token in _OPENING:
            tree = self.sum()
            if self.take() != _OPENING[token]:
                raise NoFormula(token)
            return tree
        if token == "|":
            tree = self.sum()
            if self.take() != "|":
                raise NoFormula(token)
            return ("fn", "abs", tree)
        if len(token) == 1 and token.isalpha() and token.isascii():
            if token in _APPLIED and self.peek() == "(":
                return ("fn", token, self.base())
            return ("var", token + self.index())
        return self.named(token)

    def named(self, token: str) -> Node:
        name = token[1:] if token[:1] == "\\" else ("pi" if token == "π" else "")
        if name == "frac":
            over = self.argument(digits=True)
            return ("div", over, self.argument(digits=True))
        if name == "binom":
            over = self.argument(digits=True)
            return ("binom", over, self.argument(digits=True))
        if name == "sqrt":
            degree: Node = ("num", Fraction(2))
            if self.peek() == "[":
                degree = self.base()
            return ("root", degree, self.argument())
        if name in _FUNCTIONS:
            raised = None
            if self.peek() == "^":
                self.take()
                raised = self.argument()
            applied: Node = ("fn", name, self.power())
            return applied if raised is None else ("pow", applied, raised)
        if name == "overline" or not name.isalpha():
            raise NoFormula(token)
        if name in ("text", "mbox", "cup", "cap", "pm", "begin", "end", "mathrm", "circ", "le", "ge", "leq", "geq"):
            raise NoFormula(token)
        return ("var", name + self.index())

    def index(self) -> str:
        if self.peek() != "_":
            return ""
        self.take()
        start = self.at
        self.argument()
        return "_" + "".join(self.tokens[start : self.at]).strip("{}")


def _whole(tree: Node) -> bool:
    return tree[0] == "num" and bool(tree[1].denominator == 1)
