"""ScienceQA: problems.json and the pictures of its problems -> rows of tables `sample` and `image`."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from assets.images import Picture
from assets.schema.sample import Sample, letter
from assets.sources import folders, json_files, problems

FILE = "problems.json"
SPLITS_FILE = "pid_splits.json"
PICTURES = "images"

SUBJECTS = {
    "natural science": "natural-science",
    "social science": "social-science",
    "language science": "language-science",
}
"""ScienceQA's subjects as topics of M3CoT. Source: arXiv:2405.16473, table 3."""

REASONS = tuple(
    dict.fromkeys((*folders.REASONS, *json_files.REASONS, *problems.REASONS, "answer_past_choices", "unknown_subject"))
)

_UPSTREAM = ("scienceqa", "ScienceQA", f"its {FILE}")
_FOLDERS = ("train", "val", "test")
_TEXTS = ("hint", "solution", "subject", "topic", "category", "image")


def pictures(folder: Path) -> Iterator[Picture]:
    """Every picture file below `images` as one row of table `image`, in natural order; none without that folder.

    Raises:
        SourceError: there is no such folder, or it holds too much.
    """
    folders.check(folder, *_UPSTREAM)
    return folders.pictures(folder, PICTURES)


def samples(
    folder: Path,
    ids: Mapping[str, str],
    reasons: Mapping[str, str],
    *,
    provenance: str,
) -> Iterator[Sample]:
    """Each entry of problems.json as one row of table `sample`, in the file's order, the unreadable ones included.

    The hint is the context, the solution the rationale (None where it is blank), texts are kept as they are. A
    problem that names a picture has its id in `images`. It is looked for in `images/<split>/<pid>/`, then in the
    other splits' folders; where it is not, or cannot be read, the row is quarantined (missing_picture,
    unreadable_picture: the excerpt has the picture's own reason). Pictures of options (`choice_0.png`, ...) lie beside
    it though the JSON never names them: they are `choice_images` when every option has one that can be read, else
    there are none. Other unnamed files (`image_2.png` of two problems) stay in the picture table alone.
    The problem's own split stands; `other_splits` says where pid_splits.json has another.

    Args:
        folder: the one that holds problems.json.
        ids: image ids by file, of those pictures that were read.
        reasons: why a picture was not read, by file.
        provenance: where the rows are from.

    Raises:
        SourceError: there is no such folder, or problems.json is not there, cannot be read, or holds nothing readable.
    """
    blank = Sample(None, "m3cot", "scienceqa", None, provenance)

    def read(sample: Sample, problem: problems.Problem) -> Sample | str:
        return _sample(sample, problem, ids, reasons)

    folders.check(folder, *_UPSTREAM)
    return problems.samples(folders.main_file(folder, FILE), blank, read, set(), wanted=f"ScienceQA's {FILE}")


def other_splits(folder: Path, rows: Mapping[str, str | None]) -> dict[str, str]:
    """The split that pid_splits.json gives a problem where `rows` (split by pid) has another; empty without that file.

    Only train, val and test are compared: the file's other lists are unions and cuts of these.
    """
    listed = json_files.json_file(folder / SPLITS_FILE)
    if not isinstance(listed, dict):
        return {}
    other = {}
    for name in _FOLDERS:
        pids = listed.get(name)
        for pid in pids if isinstance(pids, list) else ():
            if isinstance(pid, str) and pid in rows and rows[pid] != problems.SPLIT_NAMES[name]:
                other[pid] = problems.SPLIT_NAMES[name]
    return other


def _sample(
    sample: Sample, problem: problems.Problem, ids: Mapping[str, str], reasons: Mapping[str, str]
) -> Sample | str:
    wrong = problems.fault(problem, _TEXTS)
    if wrong is not None:
        return wrong
    choices, answer = problem["choices"], problem.get("answer")
    if type(answer) is not int:
        return "no_answer"
    if not 0 <= answer < len(choices):
        return "answer_past_choices"
    topic = SUBJECTS.get(problem.get("subject") or "")
    if topic is None:
        return "unknown_subject"
    pid, split = sample.source_id or "", problem["split"]
    sample = sample._replace(
        domain="science",
        topic=topic,
        subtopic=problem.get("topic"),
        category=problem.get("category"),
        question=problem["question"],
        context=problem.get("hint") or "",
        choices=tuple(choices),
        answer=letter(answer),
        rationale=problems.rationale(problem.get("solution")),
        choice_images=_choice_images(pid, split, len(choices), ids),
        split=problems.SPLIT_NAMES[split],
    )
    if not problem.get("image"):
        return sample
    files = _places(pid, split, problem["image"])
    if not files:
        return problems.set_aside(sample, "path_outside", f"{pid}/{problem['image']}")
    return problems.pictured(sample, files, ids, reasons)


def _choice_images(pid: str, split: str, options: int, ids: Mapping[str, str]) -> tuple[str, ...] | None:
    found = [
        next((ids[file] for file in _places(pid, split, f"choice_{option}.png") if file in ids), None)
        for option in range(options)
    ]
    whole = tuple(image_id for image_id in found if image_id is not None)
    return whole if len(whole) == options else None


def _places(pid: str, split: str, file: str) -> tuple[str, ...]:
    """Where a problem's picture may lie, its own split's folder first; empty when that would not be below images."""
    names = dict.fromkeys((split, *_FOLDERS))
    within = [folders.place(PICTURES, name, pid, file) for name in names]
    return tuple(place for place in within if place is not None)
