"""The page: stored tables, their figures and the browser of samples as one HTML file that needs nothing else."""

import base64
import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from assets.analysis.report import accounts, html_table, thumbnails
from assets.analysis.report.accounts import Account
from assets.analysis.report.browser import TEXTS_IN_A_CHUNK, Browser, Chunk
from assets.analysis.report.escaping import json_text, svg, text
from assets.analysis.report.sections import SECTIONS, Section, of_evaluations
from assets.images import Pictures
from assets.schema.faults import Fault

FILES = ("page/report.html", "page/report.css", "page/report.js")

TITLE = "Cotline report"
MEGABYTE = 1_000_000
MOST_SVG = 250_000
"""Characters of a figure from which it goes in as PNG."""

SPARE = 4000
"""Bytes of sentences whose length depends on what fits, at most."""

MOST_SAID = 200
"""Characters of an error that the page repeats."""

Told = Callable[[str], None]


class Stored(NamedTuple):
    """What the page says of a stored table: how many rows and which MD5 it has, or why there is none, in a sentence."""

    rows: int | None
    md5: str | None = None
    why: str | None = None


@dataclass(frozen=True)
class Contents:
    """What the page is made from.

    rows: those of the sections' tables, by key. tables: by key, the sections' and whatever else the page is made from.
    flows: what draws the figure of each table of flow, as PNG. browser: the samples. pictures: the tables that hold
    their pictures. evaluations: those that the page is limited to, None for all. notes: sentences about what is absent.
    level: of the intervals in the tables; a difference whose adjusted p is below 1 - level is called significant.
    """

    rows: Mapping[tuple[str, str], list[dict[str, Any]]]
    tables: Mapping[tuple[str, str], Stored]
    flows: Mapping[tuple[str, str], Callable[[Sequence[Mapping[str, Any]]], bytes]]
    browser: Browser
    pictures: Sequence[Pictures]
    profile: str
    evaluations: Sequence[str] | None = None
    notes: Sequence[str] = ()
    level: float = 0.95


class Page(NamedTuple):
    """The file's bytes and what of the samples' data it holds.

    Left out is what does not fit into its bound; absent are pictures that no table has, unreadable ones those that a
    table has and that are broken or too large. accounts: of each evaluation's replies, what became of them.
    """

    html: bytes
    samples: int
    samples_left_out: int
    dialogues: int
    dialogues_left_out: int
    pictures: int
    pictures_left_out: int
    pictures_absent: int
    pictures_unreadable: int
    accounts: Sequence[Account]


class Kept(NamedTuple):
    """The chunks that the page holds, how many samples, dialogues (by evaluation) and pictures; ids of broken ones."""

    chunks: list[Chunk]
    samples: int
    dialogues: Counter[str]
    pictures: int
    unreadable: frozenset[str] = frozenset()


def build(contents: Contents, most_mb: float, told: Told = lambda said: None) -> Page:
    """The page of these tables, at most `most_mb` megabytes (of a million bytes): the same tables, the same bytes.

    Samples' texts come first, then dialogues, then pictures, until it is full.

    Raises:
        Fault: its tables and figures alone are more than that.
    """
    parts = _parts(contents, told)
    browser = contents.browser
    stored = browser.accounts()
    # as wide as it can get: all of them shown, and all of them left out
    table = accounts.table([one._replace(others={**one.others, accounts.BOUND: one.shown}) for one in stored])
    fixed = sum(len(part.encode()) for part in (*parts.values(), table)) + SPARE
    room = round(most_mb * MEGABYTE) - fixed
    if room < 0:
        least = f"{math.ceil(10 * fixed / MEGABYTE) / 10:.1f}"
        raise Fault(f"--most-mb {most_mb:g}: tables and figures alone need {least} MB: give --most-mb {least} or more")
    kept = fitting(contents, room, told)
    there = {image_id for held in contents.pictures for image_id in held.index()["image_id"].to_pylist()}
    absent, unreadable = len(browser.pictures.keys() - there), len(kept.unreadable)
    dialogues = kept.dialogues.total()
    made = Page(
        html=b"",
        samples=kept.samples,
        samples_left_out=len(browser.samples) - kept.samples,
        dialogues=dialogues,
        dialogues_left_out=browser.dialogues - dialogues,
        pictures=kept.pictures,
        pictures_left_out=len(browser.pictures) - kept.pictures - absent - unreadable,
        pictures_absent=absent,
        pictures_unreadable=unreadable,
        accounts=accounts.fitted(stored, kept.dialogues),
    )
    filled = _template("report.html").substitute(
        parts,
        browser_lead=text(_browser_lead(made)),
        accounts=accounts.table(made.accounts),
        data="".join(_element(chunk) for chunk in kept.chunks),
    )
    return made._replace(html=filled.encode())


def left_out(made: Page) -> str:
    """What of the stored tables is not on the page and why, in words; nothing where all is there."""
    others = accounts.others(made.accounts)
    of = sum(one.stored or 0 for one in made.accounts)
    counts = (
        (made.samples_left_out, "samples' texts past its bound (--most-mb)"),
        (others.total(), f"of {of:,} stored replies ({accounts.listed(others)})"),
        (sum(one.stored is None for one in made.accounts), "evaluations whose replies cannot be had"),
        (made.pictures_left_out, "pictures past its bound (--most-mb)"),
        (made.pictures_absent, "pictures that no table has"),
        (made.pictures_unreadable, "pictures that could not be read"),
    )
    return ", ".join(f"{n:,} {what}" for n, what in counts if n)


def _parts(contents: Contents, told: Told) -> dict[str, str]:
    """What the page's template is filled with, but for the samples' data."""
    script, style = _file("report.js"), _file("report.css")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    asked = {one.name: (one.benchmark, one.edition) for one in contents.browser.evaluations}
    sections = []
    for section in SECTIONS:
        told(section.title)
        sections.append(_section(section, contents, asked))
    links = [(section.name, section.title, section.key in contents.rows) for section in SECTIONS]
    return {
        "title": TITLE,
        "policy": f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'",
        "style": style,
        "script": script,
        "lead": _lead(contents),
        "contents": "".join(_link(*link) for link in (*links, ("samples", "Samples", True))),
        "sections": "\n".join(sections),
        "sources": _sources(contents),
        "index": json_text(contents.browser.index()),
    }


def _lead(contents: Contents) -> str:
    browser = contents.browser
    said = (
        f"Profile {text(contents.profile)}: {len(browser.evaluations)} evaluations with {browser.dialogues:,} replies, "
        f"{len(browser.samples):,} samples. Figures are of this profile's data; published ones are of the papers'. "
        "The page stands by itself: it asks nothing of the network."
    )
    limited = (
        ""
        if contents.evaluations is None
        else f"<p>Limited to the evaluations {text(', '.join(contents.evaluations))}.</p>"
    )
    notes = "".join(f"<li>{text(note)}</li>" for note in contents.notes)
    return f"<p>{said}</p>{limited}" + (f"<ul>{notes}</ul>" if notes else "")


def _link(name: str, title: str, made: bool) -> str:
    return f'<li><a href="#{name}"{"" if made else " class=unmade"}>{text(title)}</a></li>\n'


def _section(section: Section, contents: Contents, asked: Mapping[str, tuple[str, str]]) -> str:
    about = section.about.replace("{level}", f"{100 * contents.level:g}")
    head = (
        f'<section id="{section.name}" aria-labelledby="{section.name}-title">'
        f'<h2 id="{section.name}-title">{text(section.title)}</h2>\n<p>{text(about)}</p>\n'
    )
    name = "/".join(section.key)
    if section.key not in contents.rows:
        why = _of(contents, section.key).why
        return f'{head}<p class="unmade">{text(name)}: {text(why)}</p></section>'
    rows = of_evaluations(contents.rows[section.key], contents.evaluations)
    figure = _or_why(lambda: _figure(section, rows, contents), "figure could not be drawn")
    shown = _or_why(lambda: _shown(section, rows, contents, asked), f"{name}: table could not be shown")
    return f"{head}{figure}{shown}</section>"


def _or_why(made: Callable[[], str], otherwise: str) -> str:
    """A part of the page, or the sentence of why it could not be made: one bad row does not cost the page."""
    try:
        return made()
    except Exception as error:  # of a figure's library, or of rows that are not what their table says
        said = " ".join(str(error).split())[:MOST_SAID]
        return f'<p class="unmade">{text(otherwise)}: {text(type(error).__name__)} {text(said)}</p>\n'


def _shown(
    section: Section,
    rows: Sequence[Mapping[str, Any]],
    contents: Contents,
    asked: Mapping[str, tuple[str, str]],
) -> str:
    """What the section says of its rows, and their table."""
    name = "/".join(section.key)
    shown = sorted(rows, key=section.first) if section.first else rows
    columns = html_table.columns(
        section.kind, section.columns, percent=section.percent, known=contents.browser.known, asked=asked
    )
    table = html_table.table(shown, columns, name)
    opened = " open" if section.open else ""
    beside = section.beside(rows, contents.level) if section.beside else ""
    return (
        f"{beside}<details{opened}><summary>Table {text(name)}, {html_table.counted(rows)}</summary>{table}</details>"
    )


def _figure(section: Section, rows: Sequence[Mapping[str, Any]], contents: Contents) -> str:
    caption = f"<figcaption>{text(section.title)}, from {text('/'.join(section.key))}: {len(rows):,} rows</figcaption>"
    if section.key in contents.flows:
        return f"<figure>{_png(contents.flows[section.key](rows), section.title)}{caption}</figure>\n"
    if section.draw is None:
        return ""
    from assets.analysis import figures

    drawn = svg(figures.svg(section.draw(rows)), f"{section.name}-", section.title)
    if len(drawn) > MOST_SVG:
        drawn = _png(figures.png(section.draw(rows)), section.title)
    return f"<figure>{drawn}{caption}</figure>\n"


def _png(content: bytes, title: str) -> str:
    return f'<img src="data:image/png;base64,{base64.b64encode(content).decode()}" alt="{text(title)}">'


def _sources(contents: Contents) -> str:
    """The tables with their rows and MD5s: what the page's bytes depend on."""
    lines = "".join(
        f"<tr><td>{text('/'.join(key))}</td><td class=number>{'' if one.rows is None else f'{one.rows:,}'}</td>"
        f"<td><code>{text(one.md5 or one.why)}</code></td></tr>"
        for key, one in sorted(contents.tables.items())
    )
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("table", "rows", "md5"))
    return (
        f'<p>Profile {text(contents.profile)}. The same tables give the same file.</p><div class="scroll" tabindex="0" '
        f'role="region" aria-label="Tables"><table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>'
    )


def fitting(contents: Contents, room: int, told: Told = lambda said: None) -> Kept:
    """The chunks that fit into `room` bytes: samples' texts, then dialogues, then pictures."""
    browser = contents.browser
    chunks: list[Chunk] = []
    samples, dialogues = 0, Counter[str]()
    for chunk in browser.texts():
        room -= len(_element(chunk))
        if room < 0:
            return Kept(chunks, samples, dialogues, 0)
        chunks.append(chunk)
        samples = min(samples + TEXTS_IN_A_CHUNK, len(browser.samples))
    every = max(browser.dialogues // 10, 1)
    for chunk, count in browser.chunks():
        room -= len(_element(chunk))
        if room < 0:
            return Kept(chunks, samples, dialogues, 0)
        chunks.append(chunk)
        before = dialogues.total()
        dialogues += count
        if before // every < dialogues.total() // every:
            told(f"{dialogues.total():,} of {browser.dialogues:,} replies")
    unreadable: set[str] = set()
    small = list(_thumbnails(contents, room, told, unreadable))
    return Kept([*chunks, *small], samples, dialogues, len(small), frozenset(unreadable))


def _thumbnails(contents: Contents, room: int, told: Told, unreadable: set[str]) -> Iterator[Chunk]:
    total = len(contents.browser.pictures)

    def count(done: int) -> None:
        if done % 500 == 0:
            told(f"{done:,} of {total:,} pictures")

    return thumbnails.thumbnails(contents.browser.pictures, contents.pictures, room, count, unreadable)


def _browser_lead(made: Page) -> str:
    said = (
        f"{made.samples:,} samples, {made.dialogues:,} replies and {made.pictures:,} pictures "
        f"(longest side at most {thumbnails.SIDE} pixels)."
    )
    left = left_out(made)
    return f"{said} Not on the page: {left}." if left else said


def _element(chunk: Chunk) -> str:
    return f'<script type="text/plain" id="{chunk.name}">{chunk.content}</script>\n'


def _of(contents: Contents, key: tuple[str, str]) -> Stored:
    return contents.tables.get(key, Stored(None, None, f"not made yet: cotline materialize {'/'.join(key)}"))


def _template(name: str) -> Template:
    return Template(_file(name))


def _file(name: str) -> str:
    return (Path(__file__).parent / "page" / name).read_text(encoding="utf-8")
