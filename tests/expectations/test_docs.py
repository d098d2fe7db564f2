import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from expectations import docs, suites
from expectations.validation import Verdict, validate

SAMPLE = "sources/m3cot_released"
MARKUP = "<script src='http://elsewhere'>x</script> -- ${y} -->"


@pytest.fixture
def passed(good: Any, table_of: Any) -> Verdict:
    return validate(suites.suite_of(SAMPLE), table_of(SAMPLE, good(SAMPLE)))


@pytest.fixture
def broken(good: Any, table_of: Any) -> Verdict:
    rows = good(SAMPLE)
    rows[0] |= {"id": MARKUP, "answer": "F", "topic": MARKUP}
    return validate(suites.suite_of(SAMPLE), table_of(SAMPLE, rows).drop_columns(["split"]))


def test_a_page_lies_where_its_asset_says(tmp_path: Path, passed: Verdict) -> None:
    assert docs.write(tmp_path, SAMPLE, None, passed) == tmp_path / "sources" / "m3cot_released.html"
    page = docs.write(tmp_path, "evaluation/recorded", "gpt4v_direct", passed)
    assert page == tmp_path / "evaluation" / "recorded" / "gpt4v_direct.html"


@pytest.mark.parametrize("partition", ["..", "a/b", "", "A"])
def test_a_partition_that_is_no_name_is_refused(tmp_path: Path, passed: Verdict, partition: str) -> None:
    with pytest.raises(ValueError, match="no name"):
        docs.write(tmp_path, SAMPLE, partition, passed)


def test_pages_ask_nothing_of_a_network(tmp_path: Path, passed: Verdict, broken: Verdict) -> None:
    docs.write(tmp_path, SAMPLE, None, broken)
    docs.write(tmp_path, "evaluation/recorded", "gpt4v_direct", passed)
    pages = sorted(tmp_path.rglob("*.html"))
    assert len(pages) == 3
    for page in pages:
        text = page.read_text("utf-8")
        assert not re.search(r"<(script|link|img|iframe)\b|@import|url\(", text)
        for target in re.findall(r"""\b(?:src|href)\s*=\s*["']?([^"'\s>]+)""", re.sub(r"&lt;.*?&gt;", "", text)):
            assert "http" not in target
            assert (page.parent / target).is_file()


def test_values_of_a_table_are_shown_and_never_markup(tmp_path: Path, broken: Verdict) -> None:
    text = docs.write(tmp_path, SAMPLE, None, broken).read_text("utf-8")
    assert "<script" not in text
    assert "&lt;script src=&#x27;http://elsewhere&#x27;&gt;x&lt;/script&gt; -- ${y} --&gt;: answer F" in text


def test_a_page_shows_meaning_examples_and_exceptions_of_failed_checks_first(tmp_path: Path, broken: Verdict) -> None:
    text = docs.write(tmp_path, SAMPLE, None, broken).read_text("utf-8")
    assert "The answer of a kept sample is the capital letter of one of its choices." in text
    assert "absent: <code>split</code>" in text
    assert "The check could not be computed" in text
    assert text.index('id="answer_is_a_choice"') < text.index('id="topic_is_known"') < text.index('id="rows"')
    shown = re.findall(r'<tr id="(\w+)"', text)
    assert sorted(shown) == sorted(result.name for result in broken.results)


def test_the_index_lists_every_page_with_its_latest_verdict(tmp_path: Path, passed: Verdict, broken: Verdict) -> None:
    docs.write(tmp_path, SAMPLE, None, broken)
    docs.write(tmp_path, "evaluation/recorded", "gpt4v_direct", broken)
    docs.write(tmp_path, "evaluation/recorded", "gpt4v_direct", passed)
    text = (tmp_path / "index.html").read_text("utf-8")
    rows = re.findall(r'<tr><td><a href="([^"]+)">.*?<span class="mark (\w+)">', text)
    assert rows == [("evaluation/recorded/gpt4v_direct.html", "passed"), ("sources/m3cot_released.html", "error")]
    assert "columns" in text and "answer_is_a_choice" in text


def test_the_same_verdict_gives_the_same_page(tmp_path: Path, broken: Verdict) -> None:
    first = docs.write(tmp_path, SAMPLE, None, broken).read_bytes()
    index = (tmp_path / "index.html").read_bytes()
    assert docs.write(tmp_path, SAMPLE, None, broken).read_bytes() == first
    assert (tmp_path / "index.html").read_bytes() == index


def test_writers_at_once_leave_whole_pages_and_an_index_of_all(
    tmp_path: Path, passed: Verdict, broken: Verdict
) -> None:
    names = [f"run_{number}" for number in range(12)]

    def write(number: int) -> None:
        docs.write(tmp_path, "evaluation/recorded", names[number % 12], broken if number % 2 else passed)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(48)))
    text = (tmp_path / "index.html").read_text("utf-8")
    assert re.findall(r"recorded/(run_\d+)\.html", text) == sorted(names)
    pages = [path for path in tmp_path.rglob("*") if path.is_file() and path.name not in {".lock", "index.html"}]
    assert len(pages) == 12
    assert all(page.read_text("utf-8").endswith("</html>\n") for page in pages)
