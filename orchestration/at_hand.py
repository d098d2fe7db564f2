"""The project's definitions in the warm process, imported once for as long as none of its files changes."""

import contextlib
import gc
import importlib
import os
import sys
import threading
from collections.abc import Collection

Files = tuple[tuple[str, int, int, int], ...]
"""Path, time, length and inode of some files."""


class AtHand:
    """What is imported of the project in the current folder, and the files that it was made from."""

    def __init__(self, rooms: Collection[str]) -> None:
        """Nothing yet of these packages."""
        self._rooms = frozenset(rooms)
        self._files: Files = ()

    def renew(self) -> None:
        """Import the definitions anew if a file of the project has changed.

        Where that fails nothing of the project stays: the stage will import it, and say what is wrong.
        """
        folder = os.getcwd()
        now = self.files(folder)
        if now == self._files:
            return
        self._files = now
        self._forget()
        # An editable install would find those of its own checkout in place of what is not here.
        if not os.path.exists(os.path.join(folder, "orchestration", "definitions.py")):
            return
        sys.path.insert(0, folder)
        try:
            definitions = importlib.import_module("orchestration.definitions")
            definitions.ready()
            ours = str(definitions.__file__).startswith(os.path.join(folder, ""))
            if not ours or threading.active_count() != 1 or self.files(folder) != now:
                self._forget()
        except BaseException as error:
            print(f"the project is not at hand: {error!r}", flush=True)
            self._forget()
        finally:
            sys.path.remove(folder)
        gc.collect()
        gc.freeze()

    def files(self, folder: str) -> Files:
        """The files that the definitions are made from, with what changes when one of them is written."""
        paths = [os.path.join(folder, "params.yaml")]
        for room in sorted(self._rooms):
            for place, folders, names in os.walk(os.path.join(folder, room)):
                folders[:] = sorted(name for name in folders if name != "__pycache__")
                paths += [os.path.join(place, name) for name in sorted(names)]
        found = []
        for path in paths:
            with contextlib.suppress(OSError):
                facts = os.stat(path)
                found.append((path, facts.st_mtime_ns, facts.st_size, facts.st_ino))
        return tuple(found)

    def _forget(self) -> None:
        for name in [name for name in sys.modules if name.partition(".")[0] in self._rooms]:
            del sys.modules[name]
