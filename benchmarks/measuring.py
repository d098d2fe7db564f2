"""What the benchmarks of construction share: tables of pictures on disk, pictures of noise, peaks of memory."""

import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from assets import images
from assets.images import Picture, Pictures
from orchestration import storage

ROOT = Path(__file__).resolve().parents[1]
MEMORY_RUNS = 3
MOST_RATIO = 1.2

Steps = Mapping[str, Callable[[Path], None]]


def store(found: Iterable[Picture], target: Path) -> Pictures:
    """The pictures on disk as an asset stores them, opened."""
    storage.write_groups(images.batches(images.once(found)), "image", target)
    return opened(target)


def opened(stored: Path) -> Pictures:
    """A table of pictures that is on disk."""
    return Pictures(storage.open_versioned(stored)[0])


def noise(folder: Path, width: int, height: int, count: int) -> None:
    """Writes so many pictures of noise, which no compression makes small, each its own, into the folder."""
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        pixels = random.Random(number).randbytes(width * height * 3)
        picture = Image.frombytes("RGB", (width, height), pixels)
        picture.save(folder / f"{number}.png", compress_level=1)


def compare(module: str, steps: Steps, kinds: Mapping[str, int], folder: Path) -> None:
    """Prints the peak of each step on `folder/<kind>/1` and on `/4`, four times the pictures, and the ratio.

    Args:
        module: what runs a step as `python -m module --step NAME FOLDER` and prints `own_peak`.
        steps: the steps by name.
        kinds: how many pictures there are of each kind, once.
        folder: where they lie.
    """
    over = []
    print(f"{'MiB at the peak of':<28}{'pictures':>10}{'1 x':>8}{'4 x':>8}{'ratio':>8}")
    for kind, count in kinds.items():
        for step in steps:
            once, more = (
                statistics.median(_peak(module, step, folder / kind / times) for _ in range(MEMORY_RUNS))
                for times in ("1", "4")
            )
            print(f"{f'{step}, {kind}':<28}{count:>10,}{once:>8.0f}{more:>8.0f}{more / once:>8.2f}")
            if more > MOST_RATIO * once:
                over.append(f"{step}, {kind}")
    print(f"bound {MOST_RATIO}: {'missed by ' + '; '.join(over) if over else 'held by all'}")


def _peak(module: str, step: str, folder: Path) -> float:
    """MiB of memory that a process needs which does this one step."""
    command = [sys.executable, "-m", module, "--step", step, str(folder)]
    ran = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return float(ran.stdout.split()[-1])


def own_peak() -> float:
    """MiB of this process at its peak; rusage would count what the process that started it had."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def main(words: Sequence[str], parts: Steps, steps: Steps) -> int:
    """Runs the named parts, all where none is named, each in a folder of its own; the exit status."""
    if words[:1] == ["--step"]:
        steps[words[1]](Path(words[2]))
        print(own_peak())
        return 0
    if unknown := [word for word in words if word not in parts]:
        print(f"{', '.join(unknown)}: there is no such part: name some of {', '.join(parts)}", file=sys.stderr)
        return 2
    for name in words or parts:
        with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
            parts[name](Path(folder))
    return 0
