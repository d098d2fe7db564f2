"""A fit in a process of its own, which ends itself by SIGKILL where its last argument says.

Arguments: family, the base's folder, the folder of the checkpoint, the one of the state, `never`, `after N` (epochs) or
`within N` (before the Trainer's folder of epoch N is whole); then `search` where pairs are tried.
Prints a line an epoch.
"""

import os
import signal
import sys
from pathlib import Path

from assets import images
from assets.settings_training import Search
from assets.training.adapters import families, fit
from tests.assets.training import squares
from tests.assets.training.adapters import tiny

EPOCHS = 3
SEARCH = Search(batches=(4, 8), rates=(1e-3, 1e-2))


def main(family: str, base: str, into: str, keep: str, when: str, number: int, search: Search | None) -> None:
    written = 0
    told = 0
    put = fit.put

    def watched(path: Path, content: bytes) -> None:
        nonlocal written
        if path.name == fit.WHOLE:
            written += 1
            if when == "within" and written == number:
                os.kill(os.getpid(), signal.SIGKILL)
        put(path, content)

    def tell(line: str) -> None:
        nonlocal told
        told += 1
        print(line, flush=True)
        if when == "after" and told == number:
            os.kill(os.getpid(), signal.SIGKILL)

    fit.put = watched
    samples, rows = squares.world(10, 4, 0)
    settings = tiny.settings(family, Path(base), epochs=EPOCHS, search=search)
    families.train(settings, samples, images.Pictures.of(rows), Path(into), Path(keep), tell)


if __name__ == "__main__":
    main(*sys.argv[1:6], int(sys.argv[6]), SEARCH if sys.argv[7:] else None)
