"""Every reader of CoMT's sources: a pipe wherever it looks is a row or a sentence, and nothing waits for a writer."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[3]

READ = """
import sys
from importlib import import_module
from pathlib import Path
from assets.images import Pictures
from assets.schema.faults import Fault
name, records, folder = sys.argv[1:]
reader = import_module(f"assets.sources.{name}")
told = []
try:
    if hasattr(reader, "pictures"):
        held = Pictures.of(reader.pictures(Path(folder)))
        told += sorted(held.reasons().items())
        rows = getattr(reader, records)(Path(folder), held.ids(), held.reasons(), provenance="released")
    else:
        rows = getattr(reader, records)(Path(folder), provenance="released")
    told += [(row.quarantined[0], row.dropped) for row in rows if row.quarantined]
    if name == "scienceqa":
        told += reader.other_splits(Path(folder), {"1": "train"})
except Fault as fault:
    told += [(str(fault).partition(": ")[2], "")]
print(told)
"""

PROBLEM = '{"compact_text": "Find x.", "compact_choices": ["1", "2"], "answer": "A", "detailed_solution": "", "id": 1}'
SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'
IMGLAB = "<dataset><images><image file='1.jpg'/><image file='2.jpg'/></images></dataset>"
SCIENCE = '{"1": {"question": "q", "choices": ["1", "2"], "answer": 0, "image": "image.png", "split": "train"}}'
LEVEL = '[{"level": 1, "images": {"image1": "a.png", "image2": "b.png"}, "differences": []}]'

CASES = [
    (
        ("geometry3k", "samples"),
        {"1/data.json": PROBLEM},
        ("1/img_diagram.png", "2/data.json", "3/img_problem.png"),
        [
            ("1/img_diagram.png", "not_a_file"),
            ("1/data.json", "unreadable_picture"),
            ("2/data.json", "not_a_file"),
            ("3/data.json", "missing_file"),
        ],
    ),
    (
        ("spot_diff", "pairs"),
        {"1/boxes.json": '[{"left": 1, "top": 1, "width": 1, "height": 1}]', "1/b.png": None},
        ("1/a.png", "2/boxes.json"),
        [("1/a.png", "not_a_file"), ("1/boxes.json", "unreadable_picture"), ("2/boxes.json", "not_a_file")],
    ),
    (
        ("game_pairs", "pairs"),
        {"data.json": LEVEL.replace("[]", '[{"x": 1, "y": 1, "width": 1, "height": 1}]')},
        ("a.png", "b.png"),
        [("a.png", "not_a_file"), ("b.png", "not_a_file"), ("data.json", "unreadable_picture")],
    ),
    (("game_pairs", "pairs"), {}, ("data.json",), [("is not a file", "")]),
    (
        ("kilogram", "tangrams"),
        {"tangrams-svg/page1-0.svg": SVG},
        ("tangrams-svg/page1-1.svg", "full.json", "dense.json"),
        [("tangrams-svg/page1-0.svg", "no_view_box"), ("tangrams-svg/page1-1.svg", "unreadable_file")],
    ),
    (
        ("jhu_crowd", "crowds"),
        {"train/images/2.jpg": None},
        ("train/images/1.jpg", "train/gt/1.txt", "train/gt/2.txt", "train/image_labels.txt"),
        [
            ("train/images/1.jpg", "not_a_file"),
            ("train/images/1.jpg", "unreadable_picture"),
            ("train/gt/2.txt", "not_a_file"),
            ("train/image_labels.txt", "not_a_file"),
        ],
    ),
    (
        ("voc_faces", "crowds"),
        {"training.xml": IMGLAB, "2.jpg": None},
        ("1.jpg",),
        [("1.jpg", "not_a_file"), ("training.xml", "unreadable_picture")],
    ),
    (("voc_faces", "crowds"), {}, ("training.xml",), [("is not a file", "")]),
    (
        ("geoqa", "samples"),
        {"test.json": "[{}]"},
        ("train.pk", "dev.json", "image/1.png"),
        [
            ("image/1.png", "not_a_file"),
            ("dev.json", "not_a_file"),
            ("test.json", "no_id"),
            ("train.pk", "not_a_file"),
        ],
    ),
    (
        ("scienceqa", "samples"),
        {"problems.json": SCIENCE.replace('"split"', '"subject": "natural science", "split"')},
        ("images/train/1/image.png", "pid_splits.json"),
        [("images/train/1/image.png", "not_a_file"), ("problems.json", "unreadable_picture")],
    ),
    (("scienceqa", "samples"), {}, ("problems.json",), [("is not a file", "")]),
]


@pytest.mark.parametrize(
    ("reader", "files", "pipes", "told"), CASES, ids=[f"{each[0][0]}-{each[2][0]}" for each in CASES]
)
def test_no_reader_waits_for_a_pipe(tmp_path, reader, files, pipes, told):
    for place, text in files.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            Image.new("RGB", (5, 5)).save(tmp_path / place)
        else:
            (tmp_path / place).write_text(text, encoding="utf-8")
    for place in pipes:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(tmp_path / place)
    done = subprocess.run(
        [sys.executable, "-c", READ, *reader, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert ast.literal_eval(done.stdout) == told
