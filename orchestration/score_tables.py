"""How `cotline score` and `cotline compare` lay their rows out for people."""

import os
from collections.abc import Sequence

from orchestration.printing import Column, Row, as_table, counts, interval, one_line, percent


def score_table(rows: Sequence[Row]) -> str:
    """The scores as text: one table of all files by total, a table a file by any other scope, and what they mean."""
    folder = _folder([row["file"] for row in rows])
    heading = f"in {one_line(folder)}\n\n" if folder else ""
    scope = rows[0]["scope"]
    if scope == "total":
        first = Column("file", lambda row: _within(folder, row["file"]), right=False)
        return heading + as_table(rows, _score_columns(rows, first)) + "\n" + _statuses(rows, folder) + _meaning(rows)
    first = Column(scope, _name, right=False)
    columns = _score_columns(rows, first)
    blocks = []
    for file in dict.fromkeys(row["file"] for row in rows):
        of_file = [row for row in rows if row["file"] == file]
        blocks.append(f"{_within(folder, file)}\n{as_table(of_file, columns)}")
    return heading + "\n".join(blocks) + _meaning(rows)


def compare_table(rows: Sequence[Row]) -> str:
    """The differences as text: which file is a and which b, one table, and what its columns mean."""
    first = rows[0]
    columns = [Column("extractor", lambda row: str(row["extractor"]), right=False)]
    if first["scope"] != "total":
        columns.insert(0, Column(first["scope"], _name, right=False))
    columns += [
        Column("n", lambda row: str(row["n"])),
        Column("a", lambda row: percent(row["accuracy_a"])),
        Column("b", lambda row: percent(row["accuracy_b"])),
        Column("a - b", lambda row: percent(row["difference"])),
        Column("95% interval", lambda row: interval(row["low"], row["high"])),
        Column("only a", lambda row: str(row["only_a"])),
        Column("only b", lambda row: str(row["only_b"])),
        Column("p", lambda row: "n/a" if row["p"] is None else f"{row['p']:.2g}"),
    ]
    return (
        f"a = {one_line(first['a'])}\nb = {one_line(first['b'])}\n\n{as_table(rows, columns)}\n"
        f"labels {first['labels']}; accuracies in per cent, their difference in points with its paired interval;\n"
        "only a, only b = samples only one has right; p = two-sided exact McNemar\n"
    )


def _score_columns(rows: Sequence[Row], first: Column) -> list[Column]:
    columns = [first, Column("extractor", lambda row: str(row["extractor"]), right=False)]
    if any(row["policy"] != row["extractor"] for row in rows):
        columns.append(Column("policy", lambda row: str(row["policy"]), right=False))
    columns += [
        Column("n", lambda row: str(row["n"])),
        Column("right", lambda row: str(row["correct"])),
        Column("micro", lambda row: percent(row["accuracy"])),
        Column("95% interval", lambda row: interval(row["low"], row["high"])),
        Column("macro", lambda row: percent(row["macro_accuracy"])),
        Column("F1", lambda row: percent(row["macro_f1"])),
    ]
    if _has_mean(rows):
        columns.append(Column("mF1", lambda row: percent(row["mean_f1"])))
    if any(row["errors_excluded"] != row["accuracy"] for row in rows):
        columns.append(Column("no errors", lambda row: percent(row["errors_excluded"])))
    if any(row["missing"] for row in rows):
        columns.append(Column("missing", lambda row: str(row["missing"])))
    return columns


def _statuses(rows: Sequence[Row], folder: str) -> str:
    several = len({row["file"] for row in rows}) > 1
    return "".join(
        f"{_within(folder, row['file']) + ', ' if several else ''}{row['extractor']}: {counts(row['statuses'])}\n"
        for row in rows
    )


def _meaning(rows: Sequence[Row]) -> str:
    groups = "tasks" if any(row["scope"] == "task" for row in rows) else "topics (CoMT: tasks)"
    without = any(row["errors_excluded"] != row["accuracy"] for row in rows)
    mean = f";\nmF1 = mean over {groups} of their own F1" if _has_mean(rows) else ""
    return (
        f"\nlabels {rows[0]['labels']}; in per cent: micro = right / n, with its Wilson interval;\n"
        f"macro = mean over {groups}; F1 = Macro-F1 over the label letters{mean}"
        + (";\nno errors = micro without replies that are errors or missing\n" if without else "\n")
    )


def _has_mean(rows: Sequence[Row]) -> bool:
    """Whether the mean of Macro-F1 over topics or tasks says more than a row's own."""
    return any(row["scope"] in {"total", "domain"} for row in rows)


def _name(row: Row) -> str:
    return one_line(row["name"]) or "(none given)"


def _folder(files: Sequence[str]) -> str:
    """The folder that all files lie in, "" when there is none to name."""
    folders = [os.path.dirname(file) for file in files]
    try:
        return os.path.commonpath(folders)
    except ValueError:
        return ""


def _within(folder: str, file: str) -> str:
    return one_line(os.path.relpath(file, folder) if folder else file)
