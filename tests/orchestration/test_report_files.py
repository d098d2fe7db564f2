"""`cotline report` where a stored file is spoilt, or the page's folder cannot be written."""

import errno
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from orchestration import report
from tests.orchestration.test_report import root, said  # noqa: F401 (fixture)

FILES = {
    "analysis/leaderboard": "leaderboard",
    "analysis/label_audit": "label-audit",
    "sources/m3cot_released": "made-from",
    "sources/m3cot_released_images": "made-from",
    "evaluation/answers": "made-from",
    "evaluation/recorded/first_cot": "made-from",
}


def garbage(file: Path) -> None:
    file.write_bytes(b"no parquet")


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def worn(file: Path) -> None:
    """Bad bytes where the rows are, below a footer that is whole."""
    content = bytearray(file.read_bytes())
    content[4:200] = b"\xff" * 196
    file.write_bytes(bytes(content))


def older(file: Path) -> None:
    table = pq.read_table(file)
    pq.write_table(table.select(table.column_names[1:-2]), file)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [(garbage, "not readable"), (cut, "not readable"), (worn, "not readable"), (older, "older than this code")],
)
def test_a_file_that_is_no_whole_table_of_this_code_is_a_sentence(
    root: Path,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
    spoil: Callable[[Path], None],
    why: str,
) -> None:
    files = [root / "data" / f"{name}.parquet" for name in FILES]
    whole = [file.read_bytes() for file in files]
    for file in files:
        spoil(file)
    try:
        status, _, err = said(capsys, "-o", str(root / "spoilt"))
    finally:
        for file, content in zip(files, whole, strict=True):
            file.write_bytes(content)
    page = (root / "spoilt/report.html").read_text(encoding="utf-8")
    assert (status, "Traceback" in err) == (0, False)
    for name, section in FILES.items():
        asset = name.replace("/first_cot", " --partition first_cot")
        shown = page.partition(f'<section id="{section}"')[2].partition("</section>")[0]
        assert f"{why}: cotline materialize {asset}<" in shown, name


def test_what_the_folder_refuses_is_said_before_the_page_is_built(
    root: Path,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report.page, "build", lambda *given: pytest.fail("the page was built"))
    (root / "held" / "report.html").mkdir(parents=True)
    _, _, err = said(capsys, "-o", str(root / "held"))
    assert err == (
        f"cotline report: {root / 'held/report.html'}: is a folder: name another one for report.html with -o\n"
    )
    (root / "a file").touch()
    _, _, err = said(capsys, "-o", str(root / "a file" / "x"))
    assert err == (
        f"cotline report: {root / 'a file/x'}: cannot be written (Not a directory): name another folder with -o\n"
    )


def test_a_full_disk_is_a_sentence_and_leaves_nothing_behind(
    root: Path,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        write(path, content[:1000])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    _, _, err = said(capsys, "-o", str(root / "full"))
    assert err.splitlines()[-1] == (
        f"cotline report: {root / 'full'}: cannot be written (No space left on device): name another folder with -o"
    )
    assert list((root / "full").iterdir()) == []
