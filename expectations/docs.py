"""Data Docs: a page an asset (or partition) with its latest verdict, and an index, readable without a network."""

import fcntl
import json
import os
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

from expectations import validation
from expectations.validation import Result, Verdict

NAME = re.compile(r"[a-z0-9_]+")
_SUMMARY = re.compile(r"<!-- verdict (\{.*\}) -->")
_MARKS = {"passed": "&#10003; passed", "warning": "! warning", "error": "&#10007; failed"}

_STYLE = """
:root { color-scheme: light dark; --text: #1d2630; --quiet: #5b6875; --page: #f6f7f9; --card: #fff; --line: #d9dee4;
  --passed: #1a7f4b; --warning: #9a6700; --error: #c5221f; --chip: #e9edf2; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e8ed; --quiet: #9aa6b2; --page: #14181d; --card: #1c2229;
  --line: #333c46; --passed: #56c48a; --warning: #e0b040; --error: #ff7b72; --chip: #2c353f; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 72rem; margin: 0 auto; }
h1 { font-size: 1.5rem; margin: .3rem 0; overflow-wrap: anywhere; }
a { color: inherit; }
p { margin: .2rem 0; }
.quiet { color: var(--quiet); font-size: .9rem; }
.passed { color: var(--passed); } .warning { color: var(--warning); } .error { color: var(--error); }
.mark { font-weight: 600; white-space: nowrap; }
table { width: 100%; margin-top: 1.2rem; border-collapse: collapse; background: var(--card);
  border: 1px solid var(--line); }
th, td { text-align: left; vertical-align: top; padding: .55rem .8rem; border-top: 1px solid var(--line);
  overflow-wrap: anywhere; }
th { font-size: .8rem; color: var(--quiet); font-weight: 600; white-space: nowrap; }
td.seen { width: 38%; }
td.check { white-space: nowrap; }
td.number, th.number { text-align: right; white-space: nowrap; }
code, .badge { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .85em; }
.badge { background: var(--chip); border-radius: .25rem; padding: 0 .3rem; }
ul { margin: .3rem 0; padding-left: 1.1rem; }
pre { margin: .3rem 0; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; }
details summary { cursor: pointer; }
"""


@dataclass(frozen=True)
class _Entry:
    """What the index says of a page; it stands in the page itself, so that the two cannot be apart."""

    asset: str
    partition: str | None
    rows: int
    checks: int
    errors: list[str]
    warnings: list[str]
    at: str

    @property
    def mark(self) -> str:
        return "error" if self.errors else "warning" if self.warnings else "passed"


def page_of(folder: Path, asset: str, partition: str | None = None) -> Path:
    """Where the page of an asset or partition lies: `<folder>/<group>/<name>[/<partition>].html`.

    Raises:
        ValueError: a part of the names is not made of a-z, 0-9 and underscores.
    """
    parts = [*asset.split("/"), *([] if partition is None else [partition])]
    for part in parts:
        if not NAME.fullmatch(part):
            raise ValueError(f"{asset}: {part!r} is no name of an asset or partition: use a-z, 0-9 and _")
    return folder.joinpath(*parts[:-1], f"{parts[-1]}.html")


def write(folder: Path, asset: str, partition: str | None, verdict: Verdict) -> Path:
    """The page just written for the verdict; the index of the folder names it when this returns.

    Pages and index are put in place whole, so a reader never sees half of one; of two that write the same page
    the later stays.

    Raises:
        ValueError: a part of the names is not made of a-z, 0-9 and underscores.
    """
    page = page_of(folder, asset, partition)
    entry = _Entry(
        asset=asset,
        partition=partition,
        rows=verdict.rows,
        checks=len(verdict.results),
        errors=[result.name for result in verdict.failed if result.severity == "error"],
        warnings=[result.name for result in verdict.failed if result.severity == "warning"],
        at=f"{verdict.at:%Y-%m-%d %H:%M:%S} UTC",
    )
    up = "../" * len(page.relative_to(folder).parent.parts)
    _put(page, _page(entry, verdict, up))
    with _alone(folder):
        _put(folder / "index.html", _index(folder))
    return page


def _page(entry: _Entry, verdict: Verdict, up: str) -> str:
    order = {"error": 0, "warning": 1, "passed": 2}
    rows = "\n".join(_row(result) for result in sorted(verdict.results, key=lambda result: order[_mark(result)]))
    name = _named(entry)
    body = f"""<p class="quiet"><a href="{up}index.html">All tables</a></p>
<h1>{escape(name)}</h1>
<p><span class="mark {entry.mark}">{_MARKS[entry.mark]}</span> {escape(_tally(entry))}</p>
<p class="quiet">{entry.rows:,} rows, checked {escape(entry.at)} by Great Expectations.
One row: {escape(verdict.suite.declared.row)}</p>
<table><thead><tr><th>Check</th><th>What must hold</th><th>What was found</th></tr></thead>
<tbody>
{rows}
</tbody></table>"""
    return _document(name, body, entry)


def _row(result: Result) -> str:
    mark = _mark(result)
    check = result.check
    sentence = validation.sentence(result)
    if check.kind == "expect_column_values_to_be_null" and check.name in check.derived:
        sentence += "It has a text for each row at fault."
    return f"""<tr id="{escape(check.name)}"><td class="check"><span class="mark {mark}">{_MARKS[mark]}</span><br>
<code>{escape(check.name)}</code></td>
<td><p>{escape(check.meaning)}</p><div class="quiet">{sentence}</div></td>
<td class="seen">{_seen(result)}</td></tr>"""


def _seen(result: Result) -> str:
    observed = result.observed
    if "exception" in observed:
        return f'<p class="error">The check could not be computed:</p><pre>{escape(str(observed["exception"]))}</pre>'
    found = []
    if "unexpected_count" in observed:
        found.append(f"<p>{observed['unexpected_count']:,} of {observed['element_count']:,} rows</p>")
    if examples := observed.get("examples"):
        places = [f"row {row:,}: " for row in observed.get("rows", ())]
        places += [""] * (len(examples) - len(places))
        shown = "".join(
            f"<li>{place}<code>{_text(value)}</code></li>" for place, value in zip(places, examples, strict=False)
        )
        found.append(f"<ul>{shown}</ul>")
    for what in ("absent", "undeclared"):
        if names := observed.get(what):
            found.append(f"<p>{what}: {', '.join(f'<code>{_text(name)}</code>' for name in names)}</p>")
    if "observed_value" in observed:
        found.append(_value(observed["observed_value"]))
    return "\n".join(found)


def _value(value: Any) -> str:
    if isinstance(value, list):
        shown = ", ".join(f"<code>{_text(part)}</code>" for part in value)
        return f"<details><summary>{len(value)} values</summary>{shown}</details>"
    return f"<p><code>{_text(value)}</code></p>"


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return escape(", ".join(f"{key} {part}" for key, part in value.items()))
    return escape("nothing" if value is None else str(value))


def _index(folder: Path) -> str:
    entries = sorted(_entries(folder), key=lambda found: (found[1].asset, found[1].partition or ""))
    rows = "\n".join(
        f'<tr><td><a href="{escape(path)}">{escape(_named(entry))}</a></td>'
        f'<td><span class="mark {entry.mark}">{_MARKS[entry.mark]}</span></td>'
        f"<td>{escape(', '.join([*entry.errors, *entry.warnings]))}</td>"
        f'<td class="number">{entry.checks}</td><td class="number">{entry.rows:,}</td>'
        f'<td class="quiet">{escape(entry.at)}</td></tr>'
        for path, entry in entries
    )
    failed = sum(1 for _, entry in entries if entry.errors)
    body = f"""<h1>What holds of the tables</h1>
<p>{len(entries)} tables, <span class="{"error" if failed else "passed"}">{failed} with a failed check that blocks
what comes after</span>.</p>
<table><thead><tr><th>Table</th><th>Latest verdict</th><th>Failed checks</th><th class="number">Checks</th>
<th class="number">Rows</th><th>Checked</th></tr></thead>
<tbody>
{rows}
</tbody></table>"""
    return _document("What holds of the tables", body)


def _entries(folder: Path) -> Iterator[tuple[str, _Entry]]:
    for page in folder.glob("*/**/*.html"):
        with page.open(encoding="utf-8") as file:
            found = _SUMMARY.search(file.readline())
        if found:
            yield page.relative_to(folder).as_posix(), _Entry(**json.loads(found[1]))


def _document(title: str, body: str, entry: _Entry | None = None) -> str:
    # Within a comment no two hyphens may follow each other; JSON writes one as an escape just as well.
    summary = json.dumps(asdict(entry)).replace("--", "-\\u002d") if entry else ""
    mark = f"<!-- verdict {summary} -->" if entry else ""
    return f"""<!doctype html>{mark}
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title><style>{_STYLE}</style></head>
<body><main>
{body}
</main></body></html>
"""


def _mark(result: Result) -> str:
    return "passed" if result.passed else result.severity


def _named(entry: _Entry) -> str:
    return entry.asset if entry.partition is None else f"{entry.asset} {entry.partition}"


def _tally(entry: _Entry) -> str:
    held = entry.checks - len(entry.errors) - len(entry.warnings)
    return f"{held} of {entry.checks} checks hold; failed: {len(entry.errors)} error, {len(entry.warnings)} warning."


def _put(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder's lock: who lists the pages last must also be who writes the index last."""
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
