"""DVC, which is called and never imported: it lives in an environment of its own, with a wrapper on this one's path."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from assets.params import ROOT
from assets.schema.faults import Fault

# A link would not do: stages call `python`, which has to be the project's also where no environment is active.
WRAPPER = """\
#!/bin/sh
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
export PATH="$here:$PATH"
exec "$here/python" -PSE "$here/../../orchestration/dvc_program.py" "$here/../../.venv-dvc/bin/dvc" "$@"
"""


class NotInstalled(Fault):
    """There is no dvc to call."""


def run(*arguments: str, wait_s: float = 60.0) -> subprocess.CompletedProcess[str]:
    """What `dvc` with these arguments did in the checkout; its status is the caller's to judge.

    `wait_s` bounds how long it waits for another command that writes there.

    Raises:
        NotInstalled: no dvc lies beside this interpreter or on the path, or this is a stage of DVC, which holds
            its locks for the stage and would wait for itself.
    """
    if "DVC_STAGE" in os.environ:
        raise NotInstalled(f"dvc {arguments[0]}: not within the DVC stage {os.environ['DVC_STAGE']}")
    beside = Path(sys.executable).with_name("dvc")
    program = str(beside) if beside.exists() else shutil.which("dvc")
    if program is None:
        raise NotInstalled("dvc: is not beside this Python nor on the path: `make setup` puts it there")
    environment = {**os.environ, "COTLINE_DVC_WAIT_S": f"{wait_s:g}"}
    return subprocess.run([program, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def install(root: Path = ROOT) -> Path:
    """Write the wrapper to .venv/bin/dvc, and tell DVC where the checkout is not under git; its path comes out."""
    target = root / ".venv" / "bin" / "dvc"
    target.write_text(WRAPPER, encoding="utf-8")
    target.chmod(0o755)
    if not (root / ".git").exists():
        subprocess.run([str(target), "config", "--local", "core.no_scm", "true"], cwd=root, check=True)
    return target


if __name__ == "__main__":
    install()
