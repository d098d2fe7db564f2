"""Tables out of words with places and out of texts, without a reader of pictures."""

from assets.models.tools.ocr import Word, lines
from assets.models.tools.table_reading import TableReading, of_text, of_words


def word(text: str, left: float, top: float, width: float = 40, height: float = 20) -> Word:
    return Word(text, left, top, left + width, top + height)


GRID = [
    word("Price", 220, 12),
    word("Fruit", 10, 10),
    word("Apple", 12, 62),
    word("3.50", 222, 60),
    word("Pear", 9, 110),
    word("4.20", 225, 113),
]


def test_lines_are_read_from_top_to_bottom_and_left_to_right() -> None:
    assert [[one.text for one in line] for line in lines(GRID)] == [
        ["Fruit", "Price"],
        ["Apple", "3.50"],
        ["Pear", "4.20"],
    ]


def test_a_word_half_a_line_lower_begins_a_new_line() -> None:
    assert len(lines([word("a", 0, 0), word("b", 50, 9)])) == 1
    assert len(lines([word("a", 0, 0), word("b", 50, 11)])) == 2


def test_words_in_rows_and_columns_are_a_table() -> None:
    assert of_words(GRID) == [["Fruit", "Price"], ["Apple", "3.50"], ["Pear", "4.20"]]


def test_a_missing_cell_is_empty_and_a_title_stands_in_one_cell() -> None:
    read = [word("Fruit of the year", 60, 0, 150), *(one for one in GRID if one.text != "3.50")]
    shifted = [one._replace(top=one.top + 40, bottom=one.bottom + 40) if i else one for i, one in enumerate(read)]
    assert of_words(shifted) == [["Fruit of the year", ""], ["Fruit", "Price"], ["Apple", ""], ["Pear", "4.20"]]


def test_one_column_or_one_row_is_no_table() -> None:
    assert of_words([word("a", 0, 0), word("b", 0, 50)]) == []
    assert of_words([word("a", 0, 0), word("b", 100, 0)]) == []
    assert of_words([]) == []


def test_a_text_with_bars_is_a_table_without_its_rule() -> None:
    text = "Read the table.\n| Day | Cups |\n|-----|:----:|\n| Mon | 3 |\n| Tue | 5 |\nHow many cups, in all?"
    assert of_text(text) == [["Day", "Cups"], ["Mon", "3"], ["Tue", "5"]]


def test_other_separators_are_found_and_a_comma_in_a_number_is_none() -> None:
    assert of_text("a\tb\n1\t2") == [["a", "b"], ["1", "2"]]
    assert of_text("name,count\nx,1,250\ny,7") == [["name", "count"], ["x", "1,250"], ["y", "7"]]
    assert of_text("name   count\nx      12\ny      7") == [["name", "count"], ["x", "12"], ["y", "7"]]


def test_of_two_tables_the_longer_one_is_read() -> None:
    assert of_text("a|b\n1|2\n\nx|y|z\n1|2|3\n4|5|6") == [["x", "y", "z"], ["1", "2", "3"], ["4", "5", "6"]]


def test_a_text_without_a_table_says_so() -> None:
    tool = TableReading(1.0)
    assert of_text("No table here.\nNone at all.") == []
    assert tool.compute({"text": "No table here."}, {}).text == "no table"
    assert tool.compute({"text": "a | b\n1 | 2"}, {}).text == "a | b\n1 | 2"


def test_either_a_picture_or_a_text_is_taken() -> None:
    tool = TableReading(1.0)
    assert tool.objection({"text": "a"}) is None
    assert tool.objection({}) == "table_reading: nothing given: give picture or text"
    assert (
        tool.objection({"text": "a", "picture": "p"}) == "table_reading: picture and text given: give picture or text"
    )
