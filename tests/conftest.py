"""What holds for every test, however the run was started."""

import signal

import pytest

# A run in the background, or under nohup, has these ignored, and all processes of the tests would inherit that.
for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)

LONGEST = (
    "tests/orchestration/test_engines.py",
    "tests/orchestration/test_readme.py",
    "tests/orchestration/test_ui.py",
    "tests/orchestration/test_warm.py",
    "tests/orchestration/test_at_hand.py",
    "tests/assets/training/",
    "tests/orchestration/",
    "tests/real/",
)
"""Where tests take longest: they begin first, or one worker goes on with them when the others have ended."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest first; within a file the order stays."""

    def place(item: pytest.Item) -> int:
        name = item.path.relative_to(config.rootpath).as_posix()
        return next((place for place, start in enumerate(LONGEST) if name.startswith(start)), len(LONGEST))

    items.sort(key=place)
