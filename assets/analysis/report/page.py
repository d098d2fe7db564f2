"""The page: stored tables, their figures and the browser of samples as one HTML file that needs nothing else."""

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from assets.analysis.report import html_table, thumbnails
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
    flows: the figure of each table of flow, as PNG. browser: the samples. pictures: the tables that hold
    their pictures. evaluations: those that the page is limited to, None for all. notes: sentences about what is absent.
    """

    rows: Mapping[tuple[str, str], list[dict[str, Any]]]
    tables: Mapping[tuple[str, str], Stored]
    flows: Mapping[tuple[str, str], bytes]
    browser: Browser
    pictures: Sequence[Pictures]
    profile: str
    evaluations: Sequence[str] | None = None
    notes: Sequence[str] = ()


class Page(NamedTuple):
    """The file's bytes and what of the samples' data it holds.

    Left out is what does not fit into its bound; absent are pictures that no table has.
    """

    html: bytes
    samples: int
    samples_left_out: int
    dialogues: int
    dialogues_left_out: int
    pictures: int
    pictures_left_out: int
    pictures_absent: int


class Kept(NamedTuple):
    """The chunks that the page holds, and how many samples, dialogues and pictures."""

    chunks: list[Chunk]
    samples: int
    dialogues: int
    pictures: int


def build(contents: Contents, most_mb: float, told: Told = lambda said: None) -> Page:
    """The page of these tables, at most `most_mb` megabytes (of a million bytes): the same tables, the same bytes.

    Samples' texts come first, then dialogues, then pictures, until it is full.

    Raises:
        Fault: its tables and figures alone are more than that.
    """
    parts = _parts(contents, told)
    room = int(most_mb * MEGABYTE) - sum(len(part.encode()) for part in parts.values()) - 4000
    if room < 0:
        least = (int(most_mb * MEGABYTE) - room) / MEGABYTE
        raise Fault(f"--most-mb {most_mb:g}: tables and figures alone are {least:.1f} MB: allow more than that")
    kept = fitting(contents, room, told)
    browser = contents.browser
    there = {image_id for table in contents.pictures for image_id in table.index()["image_id"].to_pylist()}
    absent = len(browser.pictures.keys() - there)
    made = Page(
        html=b"",
        samples=kept.samples,
        samples_left_out=len(browser.samples) - kept.samples,
        dialogues=kept.dialogues,
        dialogues_left_out=browser.dialogues - kept.dialogues,
        pictures=kept.pictures,
        pictures_left_out=len(browser.pictures) - kept.pictures - absent,
        pictures_absent=absent,
    )
    filled = _template("report.html").substitute(
        parts,
        browser_lead=text(_browser_lead(made, most_mb)),
        data="".join(_element(chunk) for chunk in kept.chunks),
    )
    return made._replace(html=filled.encode())


def left_out(made: Page) -> str:
    """What does not fit into the page's bound, and what no table has; nothing where all is there."""
    counts = (
        (made.samples_left_out, "samples' texts for its bound"),
        (made.dialogues_left_out, "replies for its bound"),
        (made.pictures_left_out, "pictures for its bound"),
        (made.pictures_absent, "pictures that no table has"),
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
    head = (
        f'<section id="{section.name}" aria-labelledby="{section.name}-title">'
        f'<h2 id="{section.name}-title">{text(section.title)}</h2>\n<p>{text(section.about)}</p>\n'
    )
    name = "/".join(section.key)
    if section.key not in contents.rows:
        why = _of(contents, section.key).why
        return f'{head}<p class="unmade">{text(name)}: {text(why)}</p></section>'
    rows = of_evaluations(contents.rows[section.key], contents.evaluations)
    shown = sorted(rows, key=section.first) if section.first else rows
    columns = html_table.columns(
        section.kind, section.columns, percent=section.percent, known=contents.browser.known, asked=asked
    )
    table = html_table.table(shown, columns, name)
    opened = " open" if section.open else ""
    return (
        f"{head}{_figure(section, rows, contents)}{section.beside(rows) if section.beside else ''}"
        f"<details{opened}><summary>Table {text(name)}, {html_table.counted(rows)}</summary>{table}</details></section>"
    )


def _figure(section: Section, rows: Sequence[Mapping[str, Any]], contents: Contents) -> str:
    caption = f"<figcaption>{text(section.title)}, from {text('/'.join(section.key))}: {len(rows):,} rows</figcaption>"
    if section.key in contents.flows:
        return f"<figure>{_png(contents.flows[section.key], section.title)}{caption}</figure>\n"
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
    samples = dialogues = 0
    for chunk in browser.texts():
        room -= len(_element(chunk))
        if room < 0:
            return Kept(chunks, samples, 0, 0)
        chunks.append(chunk)
        samples = min(samples + TEXTS_IN_A_CHUNK, len(browser.samples))
    every = max(browser.dialogues // 10, 1)
    for chunk, count in browser.chunks():
        room -= len(_element(chunk))
        if room < 0:
            return Kept(chunks, samples, dialogues, 0)
        chunks.append(chunk)
        if dialogues // every < (dialogues + count) // every:
            told(f"{dialogues + count:,} of {browser.dialogues:,} replies")
        dialogues += count
    small = list(_thumbnails(contents, room, told))
    return Kept([*chunks, *small], samples, dialogues, len(small))


def _thumbnails(contents: Contents, room: int, told: Told) -> Iterator[Chunk]:
    total = len(contents.browser.pictures)

    def count(done: int) -> None:
        if done % 500 == 0:
            told(f"{done:,} of {total:,} pictures")

    return thumbnails.thumbnails(contents.browser.pictures, contents.pictures, room, count)


def _browser_lead(made: Page, most_mb: float) -> str:
    said = (
        f"{made.samples:,} samples, {made.dialogues:,} replies and {made.pictures:,} pictures "
        f"(longest side at most {thumbnails.SIDE} pixels)."
    )
    left = left_out(made)
    return f"{said} Not on the page, which is at most {most_mb:g} MB: {left}." if left else said


def _element(chunk: Chunk) -> str:
    return f'<script type="text/plain" id="{chunk.name}">{chunk.content}</script>\n'


def _of(contents: Contents, key: tuple[str, str]) -> Stored:
    return contents.tables.get(key, Stored(None, None, f"not made yet: cotline materialize {'/'.join(key)}"))


def _template(name: str) -> Template:
    return Template(_file(name))


def _file(name: str) -> str:
    return (Path(__file__).parent / "page" / name).read_text(encoding="utf-8")
