"""`assets.sources.geoqa`: pickles and JSON files of GeoQA+ as rows of tables `sample` and `image`."""

import io
import json
import os
import pickle

import numpy as np
import pytest
from PIL import Image

from assets.images import Pictures, decode
from assets.samples import to_table
from assets.schema.sample import Part, Sample
from assets.sources.geoqa import REASONS, pictures, samples
from assets.sources.jsonlines import SourceError

GREY = np.arange(12, dtype=np.uint8).reshape(3, 4)
RECORD = {
    "id": 12,
    "subject": "如图,AB是⊙O的直径,则∠ACB等于()",
    "choices": ["30°", "60°", "90°", "120°"],
    "label": 2,
    "answer": "解:∵AB是⊙O的直径,∴∠ACB=90°.故选:C.",
    "image": GREY,
    "formal_point": ["A", "B", "C"],
    "numbers": [],
    "choice_nums": [30.0, 60.0, 90.0, 120.0],
    "token_list": ["如图", ","],
    "manual_program": ["C_0"],
}


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def put(folder, file, records, protocol=4):
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(records, bytes):
        path.write_bytes(records)
    elif file.endswith(".json"):
        path.write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")
    else:
        path.write_bytes(pickle.dumps(records, protocol))
    return path


def read(folder):
    table = Pictures.of(pictures(folder))
    return list(samples(folder, table.ids(), table.reasons(), provenance="released"))


def without_picture(**change):
    return {key: value for key, value in (RECORD | change).items() if key != "image"}


def test_a_record_is_one_row_with_its_question_choices_answer_solution_and_picture(folder):
    put(folder, "train.pk", [RECORD])
    [picture] = pictures(folder)
    assert (picture.file, picture.width, picture.height, picture.mode) == ("train.pk/12.png", 4, 3, "L")
    assert np.asarray(decode(picture.png)).tolist() == GREY.tolist()
    assert read(folder) == [
        Sample(
            id="geoqa-train-12",
            benchmark="comt",
            source="geoqa",
            source_id="train-12",
            provenance="released",
            question=RECORD["subject"],
            choices=("30°", "60°", "90°", "120°"),
            answer="C",
            rationale=(Part("text", RECORD["answer"], None),),
            images=(picture.image_id,),
            split="train",
        )
    ]
    assert to_table(read(folder)).num_rows == 1


def test_the_splits_are_their_files_and_an_id_may_be_in_each(folder):
    for name in ("train", "dev", "test"):
        put(folder, f"{name}.pk", [RECORD])
    put(folder, "unigeo/calculation_val.pkl", [RECORD | {"English_problem": "As shown", "target_number": [3]}])
    assert [(row.source_id, row.split, row.dropped) for row in read(folder)] == [
        ("dev-12", "validation", None),
        ("test-12", "test", None),
        ("train-12", "train", None),
        ("val-12", "validation", None),
    ]


def test_other_pickles_are_not_opened(folder):
    put(folder, "train.pk", [RECORD])
    put(folder, "sub_dataset_dict.pk", {0: "angle"})
    assert len(read(folder)) == 1


@pytest.mark.parametrize(
    ("image", "mode", "pixel"),
    [
        (np.full((3, 4, 3), 200, np.uint8), "RGB", (200, 200, 200)),
        (np.full((3, 4, 1), 7, np.uint8), "L", 7),
        (np.full((3, 4, 4), 0, np.uint8), "RGB", (255, 255, 255)),
        (np.full((3, 4), 200, np.int64), "L", 200),
        (np.asfortranarray(np.full((3, 4), 9, np.uint8)), "L", 9),
    ],
)
def test_arrays_of_grey_and_colour_are_pictures(folder, image, mode, pixel):
    put(folder, "dev.pk", [RECORD | {"image": image}])
    [picture] = pictures(folder)
    assert (picture.mode, decode(picture.png).getpixel((0, 0))) == (mode, pixel)
    assert read(folder)[0].images == (picture.image_id,)


@pytest.mark.parametrize(
    ("image", "reason"),
    [
        (np.zeros((2, 2, 2, 2), np.uint8), "not_a_picture"),
        (np.zeros((0, 4), np.uint8), "not_a_picture"),
        (np.zeros((3, 4, 2), np.uint8), "not_a_picture"),
        (np.zeros(5, np.uint8), "not_a_picture"),
        ([[0, 1]], "not_a_picture"),
        (7, "not_a_picture"),
        (b"not a png", "not_a_picture"),
        (np.zeros((1, 30_001), np.uint8), "picture_bomb"),
        (np.full((3, 4), 0.5), "unknown_depth"),
        (np.full((3, 4), 256), "unknown_depth"),
        (np.full((3, 4), -1), "unknown_depth"),
    ],
)
def test_what_stands_for_a_picture_and_is_none_is_said(folder, image, reason):
    put(folder, "dev.pk", [RECORD | {"image": image}])
    [picture] = pictures(folder)
    assert (picture.file, picture.image_id, picture.dropped) == ("dev.pk/12.png", None, reason)
    [row] = read(folder)
    assert (row.dropped, row.quarantined) == ("unreadable_picture", ("dev.pk", 1, f"dev.pk/12.png: {reason}"))


def test_a_picture_file_within_a_record_is_read(folder):
    stored = io.BytesIO()
    Image.new("L", (5, 6), 3).save(stored, "PNG")
    put(folder, "dev.pk", [RECORD | {"image": stored.getvalue()}])
    assert [(picture.width, picture.height) for picture in pictures(folder)] == [(5, 6)]
    assert read(folder)[0].dropped is None


def test_the_json_form_names_its_pictures(folder):
    Image.new("L", (5, 6)).save(folder / "12.png")
    (folder / "images").mkdir()
    Image.new("L", (7, 8)).save(folder / "images" / "13.png")
    records = [RECORD | {"image": "12.png"}, RECORD | {"id": 13, "image": "13.png"}, without_picture(id="12x")]
    put(folder, "train.json", records)
    rows = read(folder)
    assert [(row.source_id, row.split, row.dropped) for row in rows] == [
        ("train-12", "train", None),
        ("train-13", "train", None),
        ("train-12x", "train", "missing_picture"),
    ]
    assert rows[0].images != rows[1].images
    assert rows[2].quarantined == ("train.json", 1, "12x.png")


def test_the_json_form_may_be_a_file_an_item_with_its_label_from_1(folder):
    (folder / "image").mkdir()
    Image.new("L", (5, 6)).save(folder / "image" / "12.png")
    record = without_picture(lable=3)
    del record["label"]
    put(folder, "json/12.json", record)
    put(folder, "json/13.json", b"{")
    rows = read(folder)
    assert [(row.id, row.answer, row.split, row.dropped) for row in rows] == [
        ("geoqa-12", "C", None, None),
        (None, None, None, "truncated_json"),
    ]


def test_a_picture_outside_the_folder_is_not_looked_for(folder):
    Image.new("L", (5, 6)).save(folder.parent / "out.png")
    put(folder, "train.json", [RECORD | {"image": "../out.png"}, RECORD | {"id": 2, "image": "/out.png"}])
    assert [row.dropped for row in read(folder)] == ["missing_picture"] * 2


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"id": None}, "no_id"),
        ({"id": True}, "no_id"),
        ({"id": "../12"}, "no_id"),
        ({"id": " "}, "no_id"),
        ({"subject": None}, "no_question"),
        ({"subject": "  "}, "no_question"),
        ({"choices": None}, "no_choices"),
        ({"choices": ["30°"]}, "no_choices"),
        ({"choices": "30°"}, "no_choices"),
        ({"choices": list("1234567")}, "too_many_choices"),
        ({"choices": [30, 60, 90, 120]}, "not_text"),
        ({"answer": ["故选C"]}, "not_text"),
        ({"subject": "\ud800"}, "lone_surrogate"),
        ({"label": None}, "no_answer"),
        ({"label": "2"}, "no_answer"),
        ({"label": True}, "no_answer"),
        ({"label": 4}, "answer_past_choices"),
        ({"label": -1}, "answer_past_choices"),
        ({"image": None}, "missing_picture"),
    ],
)
def test_a_record_that_is_no_question_is_set_aside_with_its_place(folder, change, reason):
    put(folder, "train.pk", [RECORD | {"id": 1}, RECORD | change])
    first, row = read(folder)
    assert first.dropped is None
    assert row.dropped == reason
    assert row.quarantined[:2] == ("train.pk", 2)
    assert reason in REASONS
    to_table([row])


def test_a_blank_solution_is_no_rationale(folder):
    put(folder, "train.pk", [RECORD | {"answer": " "}, RECORD | {"id": 2, "answer": None}])
    assert [(row.rationale, row.dropped) for row in read(folder)] == [(None, None)] * 2


def test_two_to_six_choices_are_kept_as_they_are(folder):
    put(folder, "train.pk", [RECORD | {"id": n, "choices": [" 1", "\n2", "3", "4", "5", "6"][:n]} for n in (3, 6)])
    assert [row.choices for row in read(folder)] == [(" 1", "\n2", "3"), (" 1", "\n2", "3", "4", "5", "6")]


def test_the_second_record_of_an_id_is_set_aside_with_no_second_picture(folder):
    put(folder, "train.pk", [RECORD, RECORD | {"image": GREY + 1}])
    assert len(list(pictures(folder))) == 1
    rows = read(folder)
    assert [(row.dropped, row.id) for row in rows] == [(None, "geoqa-train-12"), ("duplicate_id", None)]
    assert rows[1].quarantined == ("train.pk", 2, f"train-12: {RECORD['subject']}")


def test_a_refused_pickle_is_one_row_that_names_what_was_met_and_what_came_before_stays(folder):
    put(folder, "dev.pk", b"\x80\x04](cos\nsystem\n(S'true'\ntRe.")
    put(folder, "test.pk", pickle.dumps([RECORD, RECORD | {"id": 13}, RECORD | {"id": 14}])[:-30])
    put(folder, "train.pk", [RECORD, 5])
    rows = read(folder)
    assert [(row.source_id, row.dropped) for row in rows] == [
        (None, "forbidden_global"),
        ("test-12", None),
        ("test-13", None),
        (None, "truncated_pickle"),
        ("train-12", None),
        (None, "not_an_object"),
    ]
    assert rows[0].quarantined == ("dev.pk", None, "os.system at byte 4, after 0 records")
    assert rows[-1].quarantined == ("train.pk", 2, "int")


def test_files_that_lead_elsewhere_are_rows_and_are_not_opened(folder, tmp_path_factory):
    outside = put(tmp_path_factory.mktemp("out"), "train.pk", [RECORD])
    os.symlink(outside, folder / "train.pk")
    put(folder, "test.pk", [RECORD])
    assert [row.dropped for row in read(folder)] == [None, "path_outside"]


def test_a_folder_of_which_nothing_is_left_says_so_in_a_sentence(folder):
    with pytest.raises(SourceError, match=r"holds no train\.pk, dev\.pk, test\.pk and no \.json"):
        read(folder)
    put(folder, "train.pk", b"cos\nsystem\n(S'true'\ntR.")
    with pytest.raises(SourceError, match=r"holds no readable record \(train\.pk: not_a_list\)"):
        read(folder)
    with pytest.raises(SourceError, match=r"there is no such folder: set sources\.geoqa\.folder"):
        list(samples(folder / "none", {}, {}, provenance="released"))
