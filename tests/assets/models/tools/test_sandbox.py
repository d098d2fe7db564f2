"""What a tool's process may do, what becomes of one that may not, hangs or dies."""

import io
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image

from assets.models.model import ModelError
from assets.models.tools import sandbox_kernel
from assets.models.tools.calculator import Calculator
from assets.models.tools.regions import Crop
from assets.models.tools.sandbox import TEXT_SIGNS, Sandbox, ToolTimeout, fault_of
from assets.models.tools.tool import Computing, Given, ToolFault
from assets.models.tools.unit_conversion import UnitConversion
from tests.assets.models.tools.hostile_tools import ATTACKS, Hostile, Painter, Unfit

ROOT = Path(__file__).resolve().parents[4]
PROGRAM = "tests.assets.models.tools.hostile_tools"
CALCULATOR = Calculator(30.0)
SECRET = "COTLINE_TEST_API_KEY"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    os.environ[SECRET] = "secret"
    with Sandbox(PROGRAM) as sandbox:
        yield sandbox
    del os.environ[SECRET]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A file outside of every tool's folder."""
    (tmp_path / "kept").write_text("mine", encoding="utf-8")
    return tmp_path / "kept"


def hostile(sandbox: Sandbox, what: str, place: Path, limit_s: float = 30.0) -> Given:
    return sandbox.use(Hostile(limit_s, what, str(place)), {}, {})


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # One that has ended and has no parent any more to say so to may stay on the list for a while.
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("what", ATTACKS)
def test_what_no_tool_may_is_refused_and_leaves_no_trace(what: str, sandbox: Sandbox, place: Path) -> None:
    before = place.stat().st_mode
    with pytest.raises(ToolFault, match=r"hostile tried what no tool may \(.*\), and was refused"):
        hostile(sandbox, what, place)
    assert [path.name for path in place.parent.iterdir()] == ["kept"]
    assert place.read_text(encoding="utf-8") == "mine" and place.stat().st_mode == before
    assert sandbox.use(CALCULATOR, {"expression": "1 + 1"}, {}).text == "2"


def test_a_tool_may_read_and_write_in_its_own_folder_until_it_is_ended(place: Path) -> None:
    with Sandbox(PROGRAM) as own:
        assert hostile(own, "keep", place).text == "mine"
        assert hostile(own, "read", place).text == "mine"
        process = own.process(CALCULATOR)
        assert process is not None
        assert [path.suffix for path in process.folder.iterdir()] == [".kept"]
    assert not process.folder.exists() and not is_running(process.pid)


def test_what_holds_tools_back_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_kernel, "_version", lambda: 4)
    assert sandbox_kernel.said() == "audit hook and Landlock 4"
    monkeypatch.setattr(sandbox_kernel, "_version", lambda: 0)
    assert sandbox_kernel.said() == "audit hook alone: this system has no Landlock"


@pytest.mark.skipif(sandbox_kernel._version() < 3, reason="this kernel has no Landlock that knows truncation")
def test_native_code_cannot_write_outside_either(sandbox: Sandbox, place: Path) -> None:
    assert hostile(sandbox, "natively", place).text == "False"
    assert [path.name for path in place.parent.iterdir()] == ["kept"]


@pytest.mark.skipif(sandbox_kernel._version() < 4, reason="this kernel has no Landlock that knows networks")
def test_the_kernel_alone_refuses_writing_calling_and_starting(place: Path) -> None:
    script = f"""
import os, pathlib, socket, subprocess, tempfile
from assets.models.tools import sandbox_kernel
own = pathlib.Path(tempfile.mkdtemp(dir={str(place.parent)!r}))
assert sandbox_kernel.close(own) >= 4
(own / "mine").write_text("a")
open(os.devnull, "w").close()
def refused(attempt):
    try:
        attempt()
    except PermissionError:
        return True
    return False
listener = socket.socket()
print([refused(attempt) for attempt in (
    lambda: open({str(place)!r}, "w"),
    lambda: os.truncate({str(place)!r}, 0),
    lambda: os.remove({str(place)!r}),
    lambda: os.rename(own / "mine", {str(place)!r}),
    lambda: os.mkdir({str(place)!r} + ".d"),
    lambda: listener.bind(("127.0.0.1", 0)),
    lambda: socket.create_connection(("127.0.0.1", 9)),
    lambda: subprocess.run(["/bin/true"]),
)])
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.split() == str([True] * 8).split(), done.stderr
    assert place.read_text(encoding="utf-8") == "mine"


def test_no_key_of_the_environment_is_passed_on(sandbox: Sandbox, place: Path) -> None:
    names = hostile(sandbox, "environment", place).text.split()
    assert SECRET not in names and "PATH" in names


def test_a_process_is_started_when_needed_and_used_again() -> None:
    with Sandbox() as own:
        assert own.process(CALCULATOR) is None
        assert own.use(CALCULATOR, {"expression": "6 * 7"}, {}) == Given("42")
        process = own.process(CALCULATOR)
        converted = own.use(UnitConversion(30.0), {"value": 5, "from": "km", "to": "m"}, {})
        assert converted.text == "5 km = 5000 m"
        assert process is not None and own.process(CALCULATOR) is process


def test_a_picture_goes_in_and_its_part_comes_out(sandbox: Sandbox) -> None:
    stored = io.BytesIO()
    Image.new("RGB", (3000, 1000), "blue").save(stored, "PNG", compress_level=0)
    given = sandbox.use(
        Crop(30.0), {"picture": "picture_1", "box": (0.0, 0.0, 0.5, 0.5)}, {"picture_1": stored.getvalue()}
    )
    (picture,) = given.pictures
    assert (picture.file, picture.width, picture.height, picture.mode) == ("crop.png", 1500, 500, "RGB")
    assert given == Crop(30.0).compute(
        {"picture": "picture_1", "box": (0.0, 0.0, 0.5, 0.5)}, {"picture_1": stored.getvalue()}
    )


def test_a_use_over_its_time_is_ended_and_the_next_one_starts_anew(sandbox: Sandbox, place: Path) -> None:
    sandbox.use(CALCULATOR, {"expression": "1"}, {})
    before = sandbox.process(CALCULATOR)
    with pytest.raises(ToolTimeout, match=r"hostile took longer than 0\.3 seconds: try something smaller") as caught:
        hostile(sandbox, "sleep", place, 0.3)
    assert fault_of(caught.value) == "timeout"
    assert before is not None and not is_running(before.pid) and not before.folder.exists()
    assert sandbox.use(CALCULATOR, {"expression": "1 + 1"}, {}).text == "2"


@pytest.mark.parametrize("what", ["end", "garbage"])
def test_a_process_that_dies_or_babbles_is_a_fault_and_the_next_use_starts_anew(
    what: str, sandbox: Sandbox, place: Path
) -> None:
    with pytest.raises(ToolFault, match="hostile broke down") as caught:
        hostile(sandbox, what, place)
    assert fault_of(caught.value) == "tool_failed"
    assert sandbox.use(CALCULATOR, {"expression": "1 + 1"}, {}).text == "2"


def test_what_a_tool_prints_is_no_answer(sandbox: Sandbox, place: Path) -> None:
    assert hostile(sandbox, "chatter", place).text == "said"


def test_a_tool_that_fails_says_so_without_places_of_this_machine(sandbox: Sandbox, place: Path) -> None:
    for what, sentence in (
        ("fault", "it cannot"),
        ("error", "hostile could not do it (ValueError): try other arguments"),
        ("memory", "hostile could not do it (MemoryError): try other arguments"),
    ):
        with pytest.raises(ToolFault) as caught:
            hostile(sandbox, what, place)
        assert str(caught.value) == sentence and fault_of(caught.value) == "tool_failed"


def test_a_text_is_one_that_a_table_can_hold(sandbox: Sandbox, place: Path) -> None:
    assert hostile(sandbox, "half a character", place).text == "a?b c [31m"
    text = hostile(sandbox, "long", place).text
    assert text == "a" * TEXT_SIGNS + "\n[cut after 4000 characters]"


def test_pictures_that_are_none_or_too_many_are_a_fault(sandbox: Sandbox) -> None:
    assert len(sandbox.use(Painter(30.0, 2), {}, {}).pictures) == 2
    with pytest.raises(ToolFault, match="painter gave a picture that cannot be read"):
        sandbox.use(Painter(30.0, 0), {}, {})
    with pytest.raises(ToolFault, match="painter gave what cannot be read"):
        sandbox.use(Painter(30.0, 17), {}, {})


def test_a_picture_too_large_for_a_message_is_a_fault_of_the_use_alone(sandbox: Sandbox) -> None:
    with pytest.raises(ToolFault, match="was given more than it can take"):
        sandbox.use(Crop(30.0), {"picture": "p", "box": (0.0, 0.0, 1.0, 1.0)}, {"p": bytes(65 << 20)})
    assert sandbox.use(CALCULATOR, {"expression": "1 + 1"}, {}).text == "2"


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("fault", "detects: there are no weights: name others"),
        ("end", "tools: unfit could not be made ready and its process ended"),
        ("sleep", "tools: unfit could not be made ready within 2 seconds"),
    ],
)
def test_a_tool_that_cannot_be_made_ready_ends_the_run(how: str, message: str) -> None:
    tool: Computing = Unfit(30.0, how)
    with Sandbox(PROGRAM, start_s=2.0) as own, pytest.raises(ModelError, match=message):
        own.use(tool, {}, {})
    assert own.process(tool) is None


@pytest.mark.parametrize("busy", [False, True])
def test_no_process_outlives_a_run_that_was_killed(busy: bool) -> None:
    script = f"""
from assets.models.tools.sandbox import Sandbox
from tests.assets.models.tools.hostile_tools import Hostile
with Sandbox({PROGRAM!r}) as sandbox:
    tool = Hostile(2.0, "sleep", "")
    process = sandbox._started("", tool.name, tool.settings)
    print(process.pid, process.folder, flush=True)
    sandbox.use(tool, {{}}, {{}}) if {busy} else input()
"""
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        pid, folder = run.stdout.readline().split()
        assert is_running(int(pid))
        if busy:
            wait(lambda: (Path(folder) / "asleep").exists())
        run.send_signal(signal.SIGKILL)
    assert wait(lambda: not is_running(int(pid)))
    shutil.rmtree(folder)


def wait(come: Callable[[], bool]) -> bool:
    """Whether it came true within 20 seconds."""
    until = time.monotonic() + 20
    while not come() and time.monotonic() < until:
        time.sleep(0.02)
    return come()
