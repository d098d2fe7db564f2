"""The UI in a real browser: what a person sees on an asset."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.orchestration.conftest import Project, environment, needs_dvc

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    needs_dvc,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path: Debian's package is `chromium`"),
]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
UP_S = 120


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def ui(project: Project) -> Iterator[str]:
    """The address of a UI over a checkout where everything has been made."""
    port = free_port()
    project.edit("params.yaml", "docs_port: 3001", f"docs_port: {free_port()}")
    project.good(project.cotline("materialize", "--all"))
    process = subprocess.Popen(
        [sys.executable, "-m", "orchestration", "ui", "--port", str(port)],
        cwd=project.root,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(f"{address}/server_info", process)
        yield address
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)


def wait_for(url: str, process: subprocess.Popen[Any]) -> None:
    end = time.monotonic() + UP_S
    while time.monotonic() < end:
        assert process.poll() is None, "the UI ended"
        try:
            urllib.request.urlopen(url, timeout=5).read()
            return
        except OSError:
            time.sleep(0.5)
    raise AssertionError(f"{url} did not answer within {UP_S} s")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    opened = browser.new_page(viewport={"width": 1500, "height": 1000})
    opened.set_default_timeout(60_000)
    yield opened
    opened.close()


def test_an_asset_says_what_one_row_is_its_columns_and_its_row_count(ui: str, page: Any) -> None:
    page.goto(f"{ui}/assets/analysis/leaderboard")
    page.get_by_text("One evaluation under one extractor and label set, best first").wait_for()
    page.get_by_text("Lower end of the Wilson interval of accuracy, in [0, 1].").wait_for()
    page.get_by_text("Row count").wait_for()
    # Four evaluations, two extractors, two label sets.
    page.get_by_text("16", exact=True).first.wait_for()


@pytest.mark.parametrize("asset", ["analysis/leaderboard", "analysis/paper_comparison"])
def test_the_leaderboard_and_the_comparison_have_a_figure_and_a_preview(
    ui: str, page: Any, tmp_path: Path, asset: str
) -> None:
    page.goto(f"{ui}/assets/{asset}?view=events")
    page.get_by_text("preview", exact=True).wait_for()
    # Dagster shows short Markdown at once; a picture is always behind its link, and the figure comes first.
    page.get_by_text("[Show Markdown]").first.click()
    picture = page.locator("img[src^='data:image/png;base64']")
    picture.wait_for()
    width, height = picture.evaluate("image => [image.naturalWidth, image.naturalHeight]")
    assert width > 300
    assert height > 150
    folder = Path(os.environ.get("COTLINE_SCREENSHOTS", tmp_path))
    page.screenshot(path=folder / f"{asset.replace('/', '-')}.png")


def test_a_check_links_to_data_docs_that_open(ui: str, page: Any) -> None:
    page.goto(f"{ui}/assets/evaluation/scores?view=checks")
    link = page.locator("a[href*='/evaluation/scores.html']").first
    link.wait_for()
    page.goto(link.get_attribute("href"))
    page.get_by_text("evaluation/scores").first.wait_for()
    assert "statuses" in page.content()
