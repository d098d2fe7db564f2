"""`assets.sources.plain_pickle`: a pickle from outside is read and never run."""

import pickle
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from assets.schema.faults import Fault
from assets.sources.plain_pickle import REASONS, Array, PickleRefused, Stretch, items, value

ROOT = Path(__file__).resolve().parents[3]
PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


@pytest.fixture
def put(tmp_path):
    def write(content):
        path = tmp_path / "train.pk"
        path.write_bytes(content)
        return path

    return write


def refusal(path, read=items):
    """What was read before the refusal, and the refusal."""
    got = []
    with pytest.raises(PickleRefused) as caught:
        for each in read(path):
            got.append(each)
    assert caught.value.reason in REASONS
    return got, caught.value


def plain(read):
    """What was read with numpy arrays and whole texts in it, as `pickle.loads` would give it."""
    if isinstance(read, Array):
        return read.pixels()
    if isinstance(read, Stretch):
        return read.read()
    if isinstance(read, list | tuple):
        return type(read)(plain(each) for each in read)
    return {key: plain(each) for key, each in read.items()} if isinstance(read, dict) else read


def same(one, other):
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return (
            type(one) is type(other) and one.shape == other.shape and one.dtype == other.dtype and (one == other).all()
        )
    if isinstance(one, dict):
        return type(other) is dict and list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


ARRAYS = [
    np.arange(20, dtype=np.uint8).reshape(5, 4),
    np.arange(9000, dtype=np.uint64).astype(np.uint8).reshape(60, 50, 3),
    np.arange(12).reshape(3, 4),
    np.linspace(-1, 1, 6).reshape(2, 3),
    np.asfortranarray(np.arange(20, dtype=np.uint8).reshape(5, 4)),
    np.asfortranarray(np.arange(6000, dtype=np.int64).reshape(60, 100)),
    np.arange(100, dtype=np.uint8).reshape(10, 10)[::2, ::3],
    np.arange(6, dtype=">i4"),
    np.array([[True, False]]),
    np.zeros((0, 5), np.uint8),
    np.array(7.5),
]


@pytest.mark.parametrize("dump", [pickle.dumps, pickle._dumps], ids=["C", "Python"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_pickle_wrote_is_read_as_it_was(put, protocol, dump):
    shared = ["A", "B"]
    written = [
        {
            "id": 1,
            "subject": "如图\U0001d6fc\ud800",
            "shared": shared,
            "real": -1.5e300,
            "large": -(10**40),
            "none": None,
        },
        *({"id": place, "image": picture, "again": (shared, shared)} for place, picture in enumerate(ARRAYS)),
        [],
        {},
        (),
        "text",
        b"bytes \xff",
        b"",
        (True, (False, [1, 255, 65536, -1])),
        {number: str(number) for number in range(2500)},
        list(range(2500)),
        "字" * 70_000,
        bytes(range(256)) * 40,
    ]
    for elements in (written, written[:1], [], [{"id": place} for place in range(2100)]):
        path = put(dump(elements, protocol))
        assert same([plain(each) for each in items(path)], elements)
        assert same(plain(value(path)), elements)


def test_an_array_is_named_by_shape_and_type_and_gives_its_pixels(put):
    [picture] = items(put(pickle.dumps([np.asfortranarray([[1, 2, 3], [4, 5, 6]], dtype=np.uint8)])))
    assert (picture.shape, picture.dtype, picture.fortran) == ((2, 3), "|u1", True)
    assert picture.pixels().tolist() == [[1, 2, 3], [4, 5, 6]]
    with pytest.raises(AttributeError):
        picture.shape = (6,)


def test_the_whole_value_of_a_small_pickle_may_be_anything_plain(put):
    assert value(put(pickle.dumps({3: "angle", 5: "length"}, 3))) == {3: "angle", 5: "length"}
    assert value(put(pickle.dumps(None))) is None
    with pytest.raises(PickleRefused, match="file_too_long"):
        value(put(pickle.dumps([0] * 100)), most_bytes=50)


def test_an_old_pickle_of_python_2_is_read(put):
    # what Python 2.7 wrote for [{'id': 1, 'name': 'A', 'raw': '\xff'}]
    old = b"\x80\x02]q\x01}q\x02(U\x02idq\x03K\x01U\x04nameq\x04U\x01AU\x03rawq\x05U\x01\xffua."
    assert list(items(put(old))) == [{"id": 1, "name": "A", "raw": b"\xff"}]


class Calls:
    """Pickles as a call of something."""

    def __init__(self, *reduced):
        self.reduced = reduced

    def __reduce__(self):
        return self.reduced


def touch(path):
    path.write_text("run")


HOSTILE = {
    "global": b"cos\nsystem\n(S'touch MARK'\ntR.",
    "stack_global": b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x0atouch MARK\x85R.",
    "instance": b"(S'touch MARK'\nios\nsystem\n.",
    "object": b"(cos\nsystem\nS'touch MARK'\no.",
    "new": b"\x80\x02cos\nsystem\n)\x81.",
    "new_ex": b"\x80\x04cos\nsystem\n)}\x92.",
    "extension": b"\x80\x02\x82\x01.",
    "persistent": b"Pname\n.",
    "persistent_2": b"\x80\x01N\x51.",
    "buffer": b"\x80\x05\x97.",
    "readonly_buffer": b"\x80\x05N\x98.",
    "duplicate": b"N2.",
    "reduce_of_text": b"S'os.system'\n(tR.",
    "build": b"]}b.",
    "getattr": b"cbuiltins\ngetattr\n(tR.",
    "eval": b"c__builtin__\neval\n(S'1'\ntR.",
    "numpy_scalar": pickle.dumps(np.float64(1.5)),
    "numpy_load": b"cnumpy\nload\n(S'x'\ntR.",
    "codec": b"c_codecs\nencode\n(Vx\nVbz2_codec\ntR.",
    "dtype_of_objects": pickle.dumps(np.array([1, "a"], dtype=object), 4),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pickles_are_refused_and_nothing_runs(put, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    element = re.sub(rb"^\x80.(\x95.{8})?|\.$", b"", HOSTILE[name], flags=re.DOTALL)
    got, refused = refusal(put(b"\x80\x04](}(U\x02idK\x05ue(" + element + b"e."))
    assert got == [{"id": 5}]
    assert refused.reason in ("forbidden_global", "forbidden_call", "forbidden_opcode", "odd_array")
    refusal(put(HOSTILE[name]), lambda path: iter([value(path)]))
    assert not (tmp_path / "MARK").exists()


def test_a_refusal_names_what_was_met_and_the_way_out(put):
    path = put(pickle.dumps([{"id": 1}, Calls(touch, (Path("mark"),))]))
    got, refused = refusal(path)
    assert got == [{"id": 1}]
    assert refused.reason == "forbidden_global"
    assert "test_plain_pickle.touch" in refused.what
    assert isinstance(refused, Fault)
    assert str(refused).startswith(f"{path}: is not read (forbidden_global: ")
    _, refused = refusal(put(b"](cos\nsystem\n(S'true'\ntRe."))
    assert refused.what.startswith("os.system at byte 2")


def test_what_calls_admitted_globals_in_another_way_is_refused(put):
    def array(
        shape=b"K\x02\x85",
        kind=b"u1",
        state=b"(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb",
        raw=b"U\x02ab",
    ):
        shell = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\nK\x00\x85U\x01btR"
        kind = b"cnumpy\ndtype\n(U" + bytes([len(kind)]) + kind + b"K\x00K\x01tR" + state
        return b"\x80\x02](" + shell + b"(K\x01" + shape + kind + b"\x89" + raw + b"tbe."

    [good] = items(put(array()))
    assert good.pixels().tolist() == [97, 98]
    for bad in (
        array(shape=b"K\x03\x85"),
        array(shape=b"J\xff\xff\xff\xff\x85"),
        array(shape=b"G?\xf0\x00\x00\x00\x00\x00\x00\x85"),
        array(shape=b"(" + b"K\x02" + b"K\x01" * 9 + b"t"),
        array(shape=b"J\xff\xff\xff\x7fK\x00\x86", raw=b"U\x00"),
        array(kind=b"O8"),
        array(kind=b"V2"),
        array(kind=b"S2"),
        array(raw=b"]"),
        array(raw=b"K\x02"),
        array(state=b"(K\x03U\x01|U\x01aNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"),
        array().replace(b"U\x01bt", b"U\x01it"),
        b"\x80\x02](cnumpy\nndarray\n(K\x02\x85tRe.",
        b"\x80\x02](cnumpy\nndarray\ne.",
        b"\x80\x02](cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\nK\x00\x85U\x01btRe.",
        b"\x80\x04](cnumpy.core.numeric\n_frombuffer\n(C\x02abcnumpy\nndarray\nK\x02\x85U\x01CtRe.",
    ):
        _, refused = refusal(put(bad))
        assert refused.reason in ("odd_array", "forbidden_call", "odd_value"), bad


def test_a_value_that_holds_itself_is_refused_and_does_not_hang(put):
    itself: list = []
    itself.append(itself)
    turns: dict = {"id": 1}
    turns["turns"] = [turns]
    around: list = []
    tuple_around = (around,)
    around.append(tuple_around)
    for protocol in PROTOCOLS:
        for element in (itself, turns, tuple_around):
            got, refused = refusal(put(pickle.dumps([{"id": 0}, element, 1], protocol)))
            assert (got, refused.reason) == ([{"id": 0}], "self_reference")
        assert refusal(put(pickle.dumps(itself, protocol)))[1].reason == "self_reference"
        with pytest.raises(PickleRefused, match="self_reference"):
            value(put(pickle.dumps(itself, protocol)))


def test_lists_of_lists_of_one_list_are_counted_as_often_as_they_are_reached(put):
    nest = ["ha"]
    for _ in range(30):
        nest = [nest] * 10
    _, refused = refusal(put(pickle.dumps([nest])))
    assert refused.reason == "pickle_too_large"
    deep: list = []
    for _ in range(100):
        deep = [deep]
    assert refusal(put(pickle.dumps([deep])))[1].reason == "too_deep"
    shared = [["ha"] * 10] * 10
    assert list(items(put(pickle.dumps([shared, shared])))) == [shared, shared]


def test_keys_that_would_take_forever_to_hash_are_refused(put):
    # ((((), ()), ((), ())), ...): a tuple of a tuple twice, forty times, as a key
    nest = b")" + b"q\x00h\x00\x86" * 40
    assert refusal(put(b"\x80\x02](}" + nest + b"Nse."))[1].reason == "damaged_pickle"
    assert refusal(put(b"\x80\x04](\x8f(" + nest + b"\x90e."))[1].reason == "damaged_pickle"
    assert refusal(put(b"](L" + b"9" * 4000 + b"L\ne."))[1].reason == "pickle_too_large"


def test_what_was_handed_out_is_never_changed_afterwards(put):
    # [[1]], then a reference to its first element, to which 2 is appended
    assert refusal(put(b"](]q\x01K\x01ah\x01K\x02ae."))[1].reason == "forbidden_opcode"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_elements_before_a_cut_stay_usable(put, protocol):
    written = [{"id": place, "image": ARRAYS[0] + place, "choices": ["1", "2"]} for place in range(5)]
    whole = pickle.dumps(written, protocol)
    for cut in range(1, len(whole)):
        got, refused = refusal(put(whole[:cut]))
        assert refused.reason == "truncated_pickle" or (not got and refused.reason == "damaged_pickle")
        assert same(plain(got), written[: len(got)])
    assert len(got) >= 4
    assert refused.reason == "truncated_pickle"


def test_other_files_are_refused_for_what_they_are(put, tmp_path):
    def reason(content):
        return refusal(put(content))[1].reason

    assert reason(b"") == "empty_file"
    assert reason(pickle.dumps({"id": 1})) == "not_a_list"
    assert reason(pickle.dumps("text")) == "not_a_list"
    assert reason(b"\x89PNG\r\n\x1a\n") == "not_a_list"
    assert reason(b'[{"id": 1}]') == "damaged_pickle"
    assert refusal(tmp_path / "none.pk")[1].reason == "missing_file"
    assert refusal(tmp_path)[1].reason == "unreadable_file"
    got, refused = refusal(put(pickle.dumps([1, 2]) + b"cos\nsystem\n"))
    assert (got, refused.reason) == ([1, 2], "trailing_bytes")
    with pytest.raises(PickleRefused, match="file_too_long"):
        list(items(put(pickle.dumps([0] * 100)), most_bytes=50))
    # a length of 2 to the 62nd bytes is not believed
    assert reason(b"\x80\x04](B\xff\xff\xff\xffabc") in ("pickle_too_large", "truncated_pickle")
    assert reason(b"\x80\x04](\x8e" + (1 << 62).to_bytes(8, "little") + b"abc") == "pickle_too_large"


@pytest.mark.parametrize("seed", range(4))
def test_a_good_file_with_bytes_changed_gives_elements_or_a_refusal(put, seed):
    rng = random.Random(seed)
    written = [{"id": place, "image": ARRAYS[0] + place, "c": ["a", "b"], "f": place / 3} for place in range(4)]
    good = [pickle.dumps(written, protocol) for protocol in PROTOCOLS]
    opcodes = b"()[]{}lsaubtq\x85\x86\x87\x93\x94Rhj.e0129GNKJ\x81\x8f\x90\x91o"
    for _ in range(400):
        broken = bytearray(rng.choice(good))
        for _ in range(rng.choice((1, 1, 2, 5, 30))):
            place = rng.randrange(len(broken))
            if rng.random() < 0.6:
                broken[place] = rng.randrange(256)
            elif rng.random() < 0.5:
                broken[place:place] = bytes(rng.choices(opcodes, k=3))
            else:
                del broken[place : place + rng.randrange(1, 6)]
        path = put(bytes(broken) or b"x")
        for read in (lambda path: list(items(path)), value):
            try:
                repr(plain(read(path)))
            except PickleRefused as refused:
                assert refused.reason in REASONS


PEAK = """
import resource, sys
from pathlib import Path
from assets.sources.plain_pickle import items
print(sum(int(item["image"].pixels()[0, 0]) for item in items(Path(sys.argv[1]))))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_four_times_the_pictures_take_hardly_more_memory(put, protocol):
    def peak(count):
        pictures = np.random.default_rng(count).integers(0, 256, (count, 200, 400), dtype=np.uint8)
        written = [
            {"id": place, "image": picture.copy(), "token_list": [f"{place}-{word}" for word in range(50)]}
            for place, picture in enumerate(pictures)
        ]
        path = put(pickle.dumps(written, protocol))
        run = subprocess.run(
            [sys.executable, "-c", PEAK, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
        )
        total, memory = map(int, run.stdout.split())
        assert total == int(pictures[:, 0, 0].sum(dtype=int))
        return memory

    assert peak(400) <= 1.2 * peak(100)


def test_an_array_in_a_file_that_changed_since_is_refused(put):
    path = put(pickle.dumps([ARRAYS[1]]))
    [picture] = items(path)
    path.write_bytes(b"x")
    with pytest.raises(PickleRefused, match="changed"):
        picture.pixels()


def test_the_reader_never_calls_the_unpickler(put, monkeypatch):
    path = put(pickle.dumps([ARRAYS[0]]))
    monkeypatch.setattr(pickle, "loads", None)
    monkeypatch.setattr(pickle, "Unpickler", None)
    assert [each.shape for each in items(path)] == [(5, 4)]
