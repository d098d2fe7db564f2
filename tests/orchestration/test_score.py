"""`cotline score` and `cotline compare` as a person runs them."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from orchestration import score
from orchestration.cli import main
from orchestration.printing import Column, as_table, one_line

ROOT = Path(__file__).resolve().parents[2]
ITEM = {"choices": ["a kite", "a ball"], "answer": "B", "domain": "science", "topic": "natural-science"}
KEYS = {
    "file",
    "extractor",
    "labels",
    "scope",
    "name",
    "n",
    "correct",
    "accuracy",
    "low",
    "high",
    "missing",
    "statuses",
    "policy",
    "macro_f1",
    "macro_accuracy",
    "mean_f1",
    "errors_excluded",
}


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def written(name, *records):
        lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
        Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return name

    return written


@pytest.fixture
def file(write):
    replies = ["(B)", "(A)", "a ball", "The answer is B", ""]
    records = [{"id": f"s{n}", "messages": ["q", text], **ITEM} for n, text in enumerate(replies)]
    return write("replies.jsonl", *records)


def run(capsys, *arguments):
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def rows(capsys, *arguments):
    status, out, _ = run(capsys, "score", *arguments, "--benchmark", "m3cot", "--format", "json")
    assert status == 0
    return json.loads(out)


def test_json_is_a_list_of_rows_for_both_extractors_by_total(capsys, file):
    found = rows(capsys, file)
    assert [(row["extractor"], row["policy"], row["scope"], row["name"]) for row in found] == [
        ("paper", "paper", "total", "total"),
        ("strict", "strict", "total", "total"),
    ]
    for row in found:
        assert set(row) == KEYS
        assert (row["file"], row["labels"], row["n"], row["correct"]) == (file, "released", 5, 3)
        assert row["accuracy"] == row["macro_accuracy"] == 0.6
        assert (row["missing"], row["statuses"]) == (0, {"empty": 1, "ok": 4})
        assert row["low"] < 0.6 < row["high"]


def test_a_scope_gives_its_rows_alone_and_absent_domains_are_null(capsys, file):
    found = rows(capsys, file, "--by", "domain", "--extractor", "strict")
    assert [(row["name"], row["n"], row["accuracy"]) for row in found] == [
        ("science", 5, 0.6),
        ("commonsense", 0, None),
        ("mathematics", 0, None),
    ]
    status, out, _ = run(capsys, "score", file, "--benchmark", "m3cot", "--by", "domain")
    assert status == 0
    assert "n/a" in out


def test_three_of_a_hundred_replies_by_each_policy(capsys, write):
    samples = write("samples.jsonl", *({"id": f"s{n}", **ITEM} for n in range(100)))
    file = write("three.jsonl", *({"id": f"s{n}", "messages": ["q", "(B)"]} for n in range(3)))
    status, out, err = run(capsys, "score", file, "--benchmark", "m3cot", "--samples", samples, "--format", "json")
    assert status == 0
    assert [(row["policy"], row["n"], row["correct"], row["missing"]) for row in json.loads(out)] == [
        ("paper", 3, 3, 97),
        ("strict", 100, 3, 97),
    ]
    assert "97 of 100 samples have no reply (s3, s4, s5, " in err
    found = rows(capsys, file, "--samples", samples, "--extractor", "strict", "--policy", "paper")
    assert (found[0]["policy"], found[0]["n"]) == ("paper", 3)


def test_quarantined_lines_are_counted_and_the_rest_is_scored(capsys, write):
    file = write("replies.jsonl", {"id": "a", "messages": ["q", "(B)"], **ITEM}, "", "[", {"id": "b", "messages": []})
    status, out, err = run(capsys, "score", file, "--benchmark", "m3cot", "--format", "json")
    assert status == 0
    assert json.loads(out)[0]["n"] == 1
    assert "3 of 4 lines quarantined: blank_line 1, invalid_json 1, no_choices 1" in err
    assert "replies.jsonl:3: invalid_json" in err


def test_replies_made_with_other_options_are_listed(capsys, write):
    samples = write("samples.jsonl", {"id": "a", **ITEM})
    file = write("replies.jsonl", {"id": "a", "messages": ["q", "(B)"], "choices": ["a kite", "a doll"]})
    status, _, err = run(capsys, "score", file, "--benchmark", "m3cot", "--samples", samples)
    assert status == 0
    assert "1 replies were made with other options than the samples have (a)" in err


def test_csv_has_a_header_and_the_rows_with_empty_cells_for_nothing(capsys, file):
    status, out, _ = run(capsys, "score", file, "--benchmark", "m3cot", "--by", "domain", "--format", "csv")
    found = list(csv.DictReader(io.StringIO(out)))
    assert status == 0
    assert set(found[0]) == KEYS
    assert (found[0]["accuracy"], found[0]["statuses"]) == ("0.6", "empty=1;ok=4")
    assert (found[1]["n"], found[1]["accuracy"], found[1]["low"]) == ("0", "", "")


@pytest.mark.parametrize("scope", ["total", "domain", "topic"])
def test_a_table_fits_100_columns_and_names_micro_and_macro(capsys, write, scope):
    records = [{"id": str(n), "messages": ["q", "(B)"], **ITEM} for n in range(3)]
    records.append({"id": "e", "messages": ["q", *"REJECT"], **ITEM})
    names = [write(f"{'long-' * 20}{letter}.jsonl", *records) for letter in "ab"]
    status, out, _ = run(capsys, "score", *names, "--benchmark", "m3cot", "--by", scope)
    assert status == 0
    table = [line for line in out.splitlines() if ".jsonl" not in line or scope == "total"]
    assert max(len(line) for line in table if not line.startswith("long-")) <= 100
    for word in ("micro", "macro", "95% interval", "F1", "75.00"):
        assert word in out


def test_a_wide_column_gives_way_from_its_start():
    columns = [Column("name", lambda row: row["name"], right=False), Column("n", lambda row: "1")]
    line = as_table([{"name": "x" * 150 + "end"}], columns).splitlines()[1]
    assert len(line) == 100
    assert line.startswith("…x")
    assert line.endswith("end  1")


def test_what_moves_the_cursor_is_written_out():
    assert one_line("a\x1b[2J\nb") == "a\\x1b[2J\\x0ab"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("none.jsonl", "--benchmark", "m3cot"), "none.jsonl: there is no such file"),
        ((".", "--benchmark", "m3cot"), "is a folder"),
        (("empty.jsonl", "--benchmark", "m3cot"), "is empty"),
        (("replies.jsonl", "--benchmark", "comt"), "score it with --benchmark m3cot"),
        (("plain.gz", "--benchmark", "m3cot"), "holds no gzip data"),
        (("replies.jsonl", "--benchmark", "m3cot", "--samples", "gold.jsonl"), "they lack answer"),
        (("replies.jsonl", "--benchmark", "m3cot", "--samples", "other.jsonl"), "none of its ids"),
        (("replies.jsonl", "--benchmark", "m3cot", "--by", "category"), "--by category needs --samples"),
        (("replies.jsonl", "--benchmark", "m3cot", "--by", "task"), "--by task needs"),
    ],
)
def test_a_users_mistake_is_one_sentence_and_status_1(capsys, write, file, arguments, sentence):
    write("empty.jsonl")
    write("plain.gz", {"id": "a"})
    write("gold.jsonl", {"id": "s0", "choices": ["x", "y"], "gold": "A"})
    write("other.jsonl", {"id": "t0", **ITEM})
    status, out, err = run(capsys, "score", *arguments)
    assert (status, out) == (1, "")
    assert err.count("\n") == 1
    assert sentence in err


def test_a_file_that_cannot_be_scored_does_not_hide_the_others(capsys, file):
    status, out, err = run(capsys, "score", "none.jsonl", file, "--benchmark", "m3cot", "--format", "json")
    assert status == 1
    assert {row["file"] for row in json.loads(out)} == {file}
    assert "none.jsonl: there is no such file" in err


@pytest.mark.parametrize("arguments", [(), ("x",), ("x", "--benchmark", "mmmu"), ("x", "--labels", "papre")])
def test_a_wrong_flag_is_a_usage_message_and_status_2(capsys, arguments):
    with pytest.raises(SystemExit) as raised:
        main(["score", *arguments])
    assert raised.value.code == 2
    assert "usage: cotline score" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["score", "compare"])
def test_help_teaches_by_example(capsys, command):
    with pytest.raises(SystemExit) as raised:
        main([command, "--help"])
    assert raised.value.code == 0
    assert f"cotline {command} " in capsys.readouterr().out.split("examples:")[1]


def test_compare_gives_the_paired_difference(capsys, write):
    a = write("a.jsonl", *({"id": str(n), "messages": ["q", "(B)"], **ITEM} for n in range(8)))
    b = write("b.jsonl", *({"id": str(n), "messages": ["q", "(B)" if n < 2 else "(A)"], **ITEM} for n in range(9)))
    status, out, err = run(capsys, "compare", a, b, "--benchmark", "m3cot", "--format", "json", "--extractor", "paper")
    assert status == 0
    [row] = json.loads(out)
    assert (row["a"], row["b"], row["n"], row["both"], row["only_a"], row["only_b"]) == (a, b, 8, 2, 6, 0)
    assert (row["accuracy_a"], row["accuracy_b"], row["difference"], row["p"]) == (1.0, 0.25, 0.75, 2 / 64)
    assert 0 < row["low"] < 0.75 < row["high"]
    assert "8 samples are in both files, of 8 and 9" in err
    status, out, _ = run(capsys, "compare", a, b, "--benchmark", "m3cot", "--by", "domain")
    assert status == 0
    assert "McNemar" in out
    assert "n/a" in out


def test_compare_of_files_without_a_common_sample_is_one_sentence(capsys, write):
    a = write("a.jsonl", {"id": "a", "messages": ["q", "(B)"], **ITEM})
    b = write("b.jsonl", {"id": "b", "messages": ["q", "(B)"], **ITEM})
    status, out, err = run(capsys, "compare", a, b, "--benchmark", "m3cot")
    assert (status, out) == (1, "")
    assert err == "cotline compare: a.jsonl and b.jsonl: no sample is in both\n"


def process(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})}
    command = [sys.executable, "-m", "orchestration", *arguments]
    return subprocess.run(command, env=environment, check=False, text=True, stderr=subprocess.PIPE, **options)


def test_an_unwritable_stdout_is_one_sentence(file):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    with open("/dev/full", "w") as full:
        done = process("score", file, "--benchmark", "m3cot", stdout=full)
    assert done.returncode == 1
    assert "cannot be written to stdout" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_traceback(file):
    read, write = os.pipe()
    os.close(read)
    done = process("score", file, "--benchmark", "m3cot", stdout=write)
    os.close(write)
    assert done.returncode == 141
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_a_locale_without_unicode_still_gets_the_result(write):
    file = write("ünï.jsonl", {"id": "ä", "messages": ["q", "(B)"], **ITEM, "topic": "Küche"})
    for form in ("json", "table"):
        done = process(
            "score",
            file,
            *("--benchmark", "m3cot", "--by", "topic", "--format", form),
            env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"},
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        assert done.returncode == 0
        assert "Küche" in done.stdout


@pytest.mark.parametrize("verbose", ["0", "1"])
def test_the_environment_does_not_change_scores(file, verbose):
    arguments = ("score", file, "--benchmark", "m3cot", "--format", "json")
    done = process(*arguments, env={"VERBOSE": verbose}, stdout=subprocess.PIPE)
    assert [row["correct"] for row in json.loads(done.stdout)] == [3, 3]


def test_scoring_imports_neither_the_graph_nor_the_science(file):
    code = (
        "import sys; from orchestration.cli import main; "
        f"main(['score', {file!r}, '--benchmark', 'm3cot']); "
        "print(sorted({'dagster', 'mlflow', 'dvc', 'pyarrow', 'pandas', 'numpy', 'yaml', 'pydantic', "
        "'great_expectations', 'torch'} & set(sys.modules)), file=sys.stderr)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == "[]"


def test_an_interrupted_run_ends_with_130(write):
    fifo = f"{write('replies.jsonl')}.fifo"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "orchestration", "score", fifo, "--benchmark", "m3cot"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    started = subprocess.Popen(command, env=environment, text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    # opening for writing waits for the reader, so the run has begun; it then waits for the first byte
    with open(fifo, "w"):
        started.send_signal(signal.SIGINT)
        _, err = started.communicate(timeout=30)
    assert started.returncode == 130
    assert "Traceback" not in err


def test_long_work_shows_its_progress_to_a_person(capsys, write, monkeypatch):
    files = [write(name, *({"id": str(n), "messages": ["(B)"], **ITEM} for n in range(5))) for name in ("a", "b")]
    monkeypatch.setattr(score, "_PROGRESS", 2)
    monkeypatch.setattr(score, "_is_watched", lambda: True)
    status, _, err = run(capsys, "score", *files, "--benchmark", "m3cot", "--extractor", "paper")
    assert status == 0
    assert err.splitlines()[:3] == ["1 of 2: a", "a: 2 of 5 replies read", "a: 4 of 5 replies read"]
