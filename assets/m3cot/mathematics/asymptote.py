"""Asymptote figures as pictures: `asy` to PDF in a folder of its own, pdfium to pixels.

Figures come from outside, and Asymptote is a programming language that `-safe` only half shuts in: it still reads
files, and so does TeX. So words that reach for files are refused before it starts; it runs in an empty folder, as
nobody where the caller is root, with limits on time, memory and written bytes; and its messages are not shown.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from PIL import Image

REASONS = ("no_renderer", "unsupported_figure", "figure_timeout", "figure_too_large")
FILES = ("asy/prelude.asy",)

BATCH = 12
WORKERS = 2
DOTS_PER_INCH = 200
MOST_CHARACTERS = 20_000
MOST_PIXELS = 12_000_000
LONGEST_SIDE = 6_000
MOST_BYTES = 8 << 20

DEFAULT_SIZE = 200
"""Points of the longer side where a figure says nothing of its size."""

MODULES = frozenset(("graph", "three", "geometry", "markers", "solids", "math", "graph3", "labelpath", "patterns"))
"""Asymptote's own modules that problems import; `olympiad`, `cse5` and `TrigMacros` are the prelude's."""

_OPTIONS = ("-safe", "-noV", "-f", "pdf", "-tex", "pdflatex", "-render", "0")
_OURS = re.compile(r"\bimport\s+(?:olympiad|cse5|TrigMacros)\s*;")
_IMPORT = re.compile(r"\bimport\s+([^;]*);")
_GRAPH = re.compile(r"\b(?:graph|Circle|Arc|[xy]axis|[xy]limits|axes|xequals|yequals|(?:No|Left|Right)?Ticks)\s*\(")
_SIZED = re.compile(r"\b(?:size|unitsize|size3|scale3)\s*\(")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"' + r"|'(?:[^'\\]|\\.)*'|//[^\n]*|/\*.*?\*/", re.DOTALL)
_REFUSED = re.compile(
    r"\b(?:[xb]?input|[xb]?output|system|asy|eval|parse|settings|outprefix|outname|outformat|shipout|cd|graphic|include"
    r"|access|from|unravel|delete|rename|convert|animate|exit|quit|abort|atexit|atupdate|file|stdin|stdout|getstring"
    r"|getreal|getpair|readline|texpreamble|texpath|usepackage|autoplain|restricted\s+import|embed|xasy)\b"
)
_REFUSED_TEX = re.compile(
    r"\^\^|\\(?:input|include\w*|openin|openout|read|write|immediate|special|catcode|csname|[egx]?def|let|loop|jobname"
    r"|usepackage|pdf\w+|lua\w*|directlua|scantokens|verbatiminput|everypar|newcommand|renewcommand|expandafter"
    r"|primitive|repeat|outer|aftergroup|uppercase|lowercase)(?![A-Za-z])"
)


class _Ran(NamedTuple):
    """What one process left: the PDF of each figure or None, and why it ended early."""

    pages: list[bytes | None]
    fault: str | None


def available() -> str | None:
    """The path of `asy` on this machine; None where Asymptote is not installed."""
    return shutil.which("asy")


def draw(
    figures: Sequence[tuple[str, str]],
    *,
    executable: str | None,
    seconds: float = 30.0,
    megabytes: int = 1024,
) -> Iterator[tuple[str, "Image.Image | None", str | None]]:
    """Each figure's id with its RGB picture at 200 dots an inch, or None and a reason of `REASONS`, in order.

    Figures are (id, code) pairs. Many go to one process; what a process leaves undrawn is tried again alone, so one
    figure cannot take others with it. `seconds` and `megabytes` bound one figure.

    Source: M3CoT A.4.1 (PNG images generated from the geometric code).
    """
    if executable is None:
        yield from ((name, None, "no_renderer") for name, _ in figures)
        return
    sources = [source(code) for _, code in figures]
    asked = [place for place, text in enumerate(sources) if text is not None]
    batches = [asked[start : start + BATCH] for start in range(0, len(asked), BATCH)]
    with ThreadPoolExecutor(WORKERS) as pool:
        futures = [
            pool.submit(_drawn, [str(sources[place]) for place in batch], executable, seconds, megabytes)
            for batch in batches
        ]
        try:
            place = 0
            for batch, future in zip(batches, futures, strict=True):
                for at, (page, reason) in zip(batch, future.result(), strict=True):
                    yield from ((name, None, "unsupported_figure") for name, _ in figures[place:at])
                    picture = None
                    if page is not None:
                        # pdfium is not made for threads: pages become pixels here, in the caller's
                        picture, reason = _pixels(page)
                    yield figures[at][0], picture, reason
                    place = at + 1
            yield from ((name, None, "unsupported_figure") for name, _ in figures[place:])
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def source(code: str) -> str | None:
    """The figure as a whole Asymptote file, the prelude imported; None where it asks for what is not its own."""
    if len(code) > MOST_CHARACTERS or "\0" in code:
        return None
    text = _OURS.sub("", code)
    bare = _STRING.sub(lambda match: '""' if match[0][0] in "\"'" else " ", text)
    names = {name.strip() for listed in _IMPORT.findall(bare) for name in listed.split(",")}
    strings = "\n".join(match[0] for match in _STRING.finditer(text) if match[0][0] in "\"'")
    if _REFUSED.search(bare) or _REFUSED_TEX.search(strings) or not names <= MODULES:
        return None
    graph = "import graph;\n" if "graph" not in names and _GRAPH.search(bare) else ""
    # a unit of no given size would be a point of the page, 200 of which make a figure that can be read
    size = "" if _SIZED.search(bare) else f"size({DEFAULT_SIZE});\n"
    return f"{graph}import prelude;\n{size}{text}\n"


def _drawn(
    sources: Sequence[str], executable: str, seconds: float, megabytes: int
) -> list[tuple[bytes | None, str | None]]:
    """The PDF of each figure, or its reason."""
    together = _run(sources, executable, seconds, megabytes)
    pages = list(together.pages)
    if together.fault is not None:
        done = [place for place, page in enumerate(pages) if page is not None]
        for place in done[-1:]:
            # the last one may have been cut off as it was written
            pages[place] = None
    found: list[tuple[bytes | None, str | None]] = []
    for text, page in zip(sources, pages, strict=True):
        fault = together.fault
        if page is None and len(sources) > 1:
            alone = _run([text], executable, seconds, megabytes)
            page, fault = (alone.pages[0], alone.fault) if alone.fault is None else (None, alone.fault)
        found.append((page, None) if page is not None else (None, fault or "unsupported_figure"))
    return found


def _run(sources: Sequence[str], executable: str, seconds: float, megabytes: int) -> _Ran:
    """Run `asy` once over the figures, shut in; never raises for what a figure does."""
    limit = seconds + 2.0 * (len(sources) - 1)
    with tempfile.TemporaryDirectory(prefix="figures-") as name, tempfile.TemporaryFile() as messages:
        folder = Path(name)
        here = Path(__file__).parent
        for file in FILES:
            (folder / Path(file).name).write_bytes((here / file).read_bytes())
        files = [f"figure{place:02d}" for place in range(len(sources))]
        for file, text in zip(files, sources, strict=True):
            (folder / f"{file}.asy").write_text(text, encoding="utf-8", errors="replace")
        person = _nobody(folder)
        command = [*_limits(limit, megabytes), executable, *_OPTIONS, *files]
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=messages,
            start_new_session=True,
            **person,
        )
        fault = None
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            fault, code = "figure_timeout", 0
        finally:
            _end(process)
        messages.seek(0)
        said = messages.read(4096)
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            fault = "figure_timeout"
        elif code == -signal.SIGXFSZ or (code != 0 and re.search(rb"memory|bad_alloc|too large", said, re.IGNORECASE)):
            fault = "figure_too_large"
        elif code < 0:
            fault = "unsupported_figure"
        return _Ran([_page(folder / f"{file}.pdf") for file in files], fault)


def _nobody(folder: Path) -> dict[str, Any]:
    """Who runs it: nobody where the caller is root and there is such a user, else the caller."""
    if os.name != "posix" or os.geteuid() != 0:
        return {}
    import pwd

    try:
        person = pwd.getpwnam("nobody")
    except KeyError:
        return {}
    for path in (folder, *folder.iterdir()):
        os.chown(path, person.pw_uid, person.pw_gid)
    return {"user": person.pw_uid, "group": person.pw_gid, "extra_groups": []}


def _limits(seconds: float, megabytes: int) -> list[str]:
    """The command that bounds what the rest of its line and its children may use.

    By the shell: a process of another user cannot be bounded from here, and code between fork and exec is not safe
    beside threads.
    """
    most = f"ulimit -t {int(seconds) + 1}; ulimit -v {megabytes << 10}; ulimit -f {MOST_BYTES // 512}; ulimit -c 0"
    return ["/bin/sh", "-c", most + '; exec "$@"', "sh"]


def _environment(folder: Path) -> dict[str, str]:
    """All it sees of the environment; TeX in its strictest mode, and no fonts made on the way."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "HOME": str(folder),
        "ASYMPTOTE_HOME": str(folder),
        "TMPDIR": str(folder),
        "TEXMFVAR": str(folder),
        "openin_any": "p",
        "openout_any": "p",
        "shell_escape": "f",
        "MKTEXPK": "0",
        "MKTEXTFM": "0",
    }


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the process and all it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _page(path: Path) -> bytes | None:
    """A PDF's bytes; None where there is none, and for a link or what is over the limit."""
    if path.is_symlink() or not path.is_file() or not 0 < path.stat().st_size < MOST_BYTES:
        return None
    return path.read_bytes()


def _pixels(page: bytes) -> tuple["Image.Image | None", str | None]:
    """The first page at 200 dots an inch, RGB on white; or None and the reason."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(page)
    except pypdfium2.PdfiumError:
        return None, "unsupported_figure"
    try:
        first = document[0]
        scale = DOTS_PER_INCH / 72
        width, height = (side * scale for side in first.get_size())
        if width * height > MOST_PIXELS or max(width, height) > LONGEST_SIDE:
            return None, "figure_too_large"
        return first.render(scale=scale, fill_color=(255, 255, 255, 255)).to_pil().convert("RGB"), None
    finally:
        document.close()
