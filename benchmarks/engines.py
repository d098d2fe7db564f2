"""What the two engines cost beside the work: run in a checkout after `make repro`.

    .venv/bin/python benchmarks/engines.py

Prints seconds, each beside the bound of the design, and the ratio of a warm stage to a cold one in the same run. The
work of an asset itself is counted in: the stage that is forced here is one of the shortest.
"""

import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DVC = str(Path(sys.executable).with_name("dvc"))
STAGE = "evaluation-quarantine"
RUNS = 5


def timed(command: list[str], **environment: str) -> tuple[float, float]:
    """Wall and CPU seconds of a command that has to succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    subprocess.run(
        command, cwd=ROOT, env={**os.environ, "COTLINE_TRACK": "0", **environment}, check=True, capture_output=True
    )
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def median(command: list[str], place: int = 0, runs: int = RUNS, **environment: str) -> float:
    return statistics.median(timed(command, **environment)[place] for _ in range(runs))


def main() -> None:
    stages = subprocess.run([DVC, "stage", "list", "--name-only"], cwd=ROOT, capture_output=True, text=True, check=True)
    count = len(stages.stdout.split())
    definitions = median([sys.executable, "-c", "import orchestration.definitions"], place=1)
    print(f"import orchestration.definitions: {definitions:.2f} s of CPU (bound 2.5)")
    timed([DVC, "repro"])
    nothing = median([DVC, "repro"])
    print(f"dvc repro with nothing to do, {count} stages: {nothing:.2f} s (bound {1.5 + 0.05 * count:.2f})")
    stage = [sys.executable, "-m", "orchestration", "materialize", STAGE.replace("-", "/")]
    timed(stage, COTLINE_WARM="1")
    warm = median(stage, COTLINE_WARM="1")
    cold = median(stage, COTLINE_WARM="0", runs=2)
    print(f"the stage {STAGE} with its checks, work included: warm {warm:.2f} s (bound 1.5 without the work)")
    print(f"                                          cold {cold:.2f} s, {cold / warm:.1f} times")


if __name__ == "__main__":
    main()
