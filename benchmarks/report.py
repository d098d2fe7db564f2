"""What the page of `cotline report` weighs and how fast it is, with 2,318 samples and 24 evaluations (55,632 replies).

    python -m benchmarks.report [FOLDER] [--keep FILE]

FOLDER holds the released predictions of M3CoT (default: shared/data/m3cot_released beside the checkout); where it is
not there, samples and replies are generated. Each second sample gets a picture of noise, which no compression makes
small, so that the page is as large as its bound lets it be. The numbers are of Chromium, without a display.
The exit status is 1 where a bound is missed.
"""

import random
import shutil
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from assets import samples
from assets.analysis.report import page
from assets.analysis.report.browser import Browser, Edition, Evaluated
from assets.analysis.report.page import Contents
from assets.evaluation import stored
from assets.evaluation.answers import answers
from assets.images import Picture, Pictures, of_pixels
from assets.models import replay
from assets.samples import Sample
from assets.schema.tables import as_table
from assets.schema.vocabulary import TOPICS
from assets.sources import jsonlines, m3cot_released

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "m3cot_released"
SAMPLES, EVALUATIONS = 2_318, 24
PICTURED = 2
MOST_MB, MOST_OPEN_S, MOST_FILTER_MS = 40.0, 2.0, 200.0
RUNS = 3
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
FILTERS = (
    ("topic", {"topic": "3"}),
    ("wrong in any evaluation", {"right": "wrong"}),
    ("no majority", {"models": "split"}),
    ("against the label", {"models": "against"}),
    ("one evaluation's refusals", {"evaluation": "5", "status": "1"}),
    ("extractors disagree", {"apart": True}),
    ("a word of the samples", {"words": "picture"}),
    ("two words of the replies", {"where": "replies", "words": "the answer"}),
    ("a word of one evaluation's replies", {"where": "replies", "words": "because", "evaluation": "2"}),
)
SET = """
async (wanted) => {
  const form = document.getElementById("filters"), began = performance.now(), answers = window.cotline.answers || 0;
  for (const field of form.elements) {
    if (field.type === "checkbox") field.checked = false; else if (field.name) field.value = "";
  }
  for (const [name, value] of Object.entries(wanted)) {
    const field = form.elements[name];
    if (field.type === "checkbox") field.checked = value; else field.value = value;
  }
  form.elements.topic.dispatchEvent(new Event("input", { bubbles: true }));
  while ((window.cotline.answers || 0) === answers) await new Promise((done) => setTimeout(done));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return [performance.now() - began, document.getElementById("found").textContent];
}
"""


def released(folder: Path) -> tuple[list[Sample], dict[str, pa.Table]]:
    """The released items of M3CoT, and each replies file as table `prediction`, by model and strategy."""
    items = list(m3cot_released.samples(jsonlines.read(folder / "test_items.jsonl.gz"), file="items"))
    predictions = {}
    for path in sorted(folder.glob("predictions/*/*.jsonl.gz")):
        name = f"{path.parent.name}/{path.name.removesuffix('.jsonl.gz')}"
        read = replay.replies(jsonlines.read(path))
        predictions[name] = as_table("prediction", replay.rows(name, path.name, read, "m3cot"))
    return items, predictions


def generated() -> tuple[list[Sample], dict[str, pa.Table]]:
    """As many samples and replies of words by chance."""
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(4000)]

    def said(count: int) -> str:
        return " ".join(rng.choices(words, k=count))

    items = [
        Sample(
            id=f"generated-{number}",
            benchmark="m3cot",
            topic=rng.choice(TOPICS),
            question=said(15),
            context=said(20),
            choices=(said(3), said(3), said(3), said(3)),
            answer=rng.choice("ABCD"),
            source="generated",
            source_id=str(number),
            provenance="generated",
            split="test",
        )
        for number in range(SAMPLES)
    ]
    predictions = {}
    for number in range(EVALUATIONS):
        name = f"model-{number // 3}/strategy-{number % 3}"
        records = [
            (
                line,
                {
                    "id": row.id,
                    "messages": [f"{row.question} {row.choices}", f"{said(90)} It is ({rng.choice('ABCD')})."],
                },
            )
            for line, row in enumerate(items, start=1)
        ]
        rows = replay.rows(name, "generated", replay.replies(records), "m3cot")
        predictions[name] = as_table("prediction", rows)
    return items, predictions


def noise(rng: random.Random) -> Picture:
    """A picture of noise."""
    from PIL import Image

    return of_pixels(Image.frombytes("RGB", (240, 180), rng.randbytes(240 * 180 * 3)), "noise")


def contents(items: list[Sample], predictions: dict[str, pa.Table]) -> Contents:
    """What the page is made from: the samples with pictures, each evaluation with its answers."""
    rng = random.Random(2)
    pictures = [noise(rng) for _ in items[::PICTURED]]
    shown = [
        row if place % PICTURED else row._replace(images=(str(pictures[place // PICTURED].image_id),))
        for place, row in enumerate(items)
    ]
    known = m3cot_released.items(shown)
    return Contents(
        rows={},
        tables={},
        flows={},
        browser=Browser(
            [Edition("m3cot", "released", samples.to_table(shown))],
            list(evaluated(known, predictions)),
            "benchmark",
        ),
        pictures=[Pictures.of(pictures)],
        profile="benchmark",
    )


def evaluated(known: dict[str, Any], predictions: dict[str, pa.Table]) -> Iterator[Evaluated]:
    for name, table in predictions.items():
        model, _, strategy = name.partition("/")
        rows = stored.answer_rows({name: answers(known, stored.replies(table), evaluation=name)})
        yield Evaluated(name, model, strategy, 0, "m3cot", "released", "test", table, as_table("answer", rows))


def measured(file: Path) -> dict[str, float]:
    """Seconds until the page answers and shows a sample, and milliseconds of each filter: the worst of some runs."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    found: dict[str, float] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for _ in range(RUNS):
            opened = browser.new_page(viewport={"width": 1280, "height": 900})
            opened.goto(file.as_uri(), wait_until="commit")
            opened.locator("#sample[data-sample]").wait_for()
            shown = opened.evaluate("performance.now()") / 1000
            ready = opened.evaluate("window.cotline.ready") / 1000
            opened.wait_for_function("document.readyState === 'complete'")
            whole = opened.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd") / 1000
            times = {"s until it answers": ready, "s until a sample is shown": shown, "s until all is read": whole}
            for name, wanted in FILTERS:
                took, said = opened.evaluate(SET, wanted)
                if "replies" in wanted.values() and name not in found:
                    print(f"  {name}: {said}; the first time {took:.0f} ms")
                    took, said = opened.evaluate(SET, wanted)
                times[f"ms, {name}"] = took
            found = {name: max(found.get(name, 0.0), value) for name, value in times.items()}
            opened.close()
        browser.close()
    return found


def main(words: list[str]) -> int:
    parser = ArgumentParser(prog="python -m benchmarks.report")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--keep", type=Path, help="where the page is left")
    said = parser.parse_args(words)
    there = said.folder.is_dir()
    items, predictions = released(said.folder) if there else generated()
    print(f"{len(items):,} samples, {len(predictions)} evaluations, {'released' if there else 'generated'}")
    of = contents(items, predictions)
    began = time.perf_counter()
    made = page.build(of, MOST_MB)
    print(f"built in {time.perf_counter() - began:.1f} s: {len(made.html) / 1e6:.1f} MB")
    print(f"  {made.dialogues:,} replies and {made.pictures:,} pictures")
    print(f"  left out: {made.dialogues_left_out:,} replies and {made.pictures_left_out:,} pictures")
    parts = {"texts": "t", "dialogues": "d", "pictures": "p"}
    text = made.html.decode()
    for name, letter in parts.items():
        pieces = [piece for piece in text.split('<script type="text/plain" id="') if piece.startswith(letter)]
        print(f"  {name}: {sum(map(len, pieces)) / 1e6:.1f} MB in {len(pieces)} chunks")
    with tempfile.TemporaryDirectory() as folder:
        file = said.keep or Path(folder) / "report.html"
        file.write_bytes(made.html)
        found = measured(file)
    for name, value in found.items():
        print(f"{value:10.2f} {name}")
    missed = [
        name for name, value in found.items() if value > (MOST_FILTER_MS if name.startswith("ms") else MOST_OPEN_S)
    ]
    missed += ["size"] if len(made.html) > MOST_MB * 1e6 else []
    print(f"bounds {MOST_OPEN_S:g} s, {MOST_FILTER_MS:g} ms, {MOST_MB:g} MB: {', '.join(missed) or 'held by all'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
