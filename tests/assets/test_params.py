import re

import pytest

from assets import params

NOWHERE = {"folder": None, "provenance": "generated"}
GOOD = {
    "profile": "default",
    "sources": {
        "generated_upstreams": {
            "seed": 1,
            "scienceqa": 0,
            "math": 0,
            "tabmwp": 0,
            "kilogram": 0,
            "sherlock": 0,
            "geoqa": 0,
            "jhu_crowd": 0,
            "spot_diff": 0,
            "judged_chains": 0,
            "annotators": {"simulated-a": 0.1},
        },
        "scienceqa": NOWHERE,
        "math": NOWHERE,
        "tabmwp": NOWHERE,
        "kilogram": NOWHERE,
        "sherlock": NOWHERE,
        "judged_chains": NOWHERE,
        **dict.fromkeys(("geoqa", "geometry3k", "jhu_crowd", "voc_faces", "spot_diff", "game_pairs"), NOWHERE),
        "m3cot_annotations": {"recorded": None, "own": "data/annotations/m3cot"},
        "comt_annotations": {"recorded": None, "own": "data/annotations/comt"},
        "picture_judgements": {"recorded": None, "own": "data/annotations/pictures"},
        "generated_released": {"seed": 1, "items": 60, "replies": {}, "comt_items": 0},
        "m3cot_released": {"items": "items.jsonl", "provenance": "generated"},
        "comt_released": {"items": None, "provenance": "released"},
    },
    "m3cot": {
        "steps": "roscoe",
        "votes": {"needed": 2, "pending": "accept"},
        "filter": {"least_steps": 2},
        "writer": {"kind": "rules"},
        "mathematics": {"most_per_topic": None, "figures": "none", "figure_s": 10.0},
        "commonsense": {"seed": 1, "least_clues": 3, "most_clues": 5},
        "science": {"seed": 1, "maps": 0, "sparse": 0, "most_new": 0},
        "duplicates": {"measure": "pearson", "similarity": 0.99, "question_alone": False},
        "letters_seed": 1,
        "split": {"seed": 1, "train": 7, "validation": 1, "test": 2},
        "audit": {"seed": 1, "share": 0.2},
    },
    "comt": {
        "steps": "roscoe",
        "votes": {"needed": 2, "pending": "accept"},
        "creation": {"least_relations": 3},
        "deletion": {"seed": 1, "fewest": 8, "most": 60, "at_once": 10},
        "update": {
            "seed": 1,
            "palette": ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"],
            "longest_label": 40,
            "most_overlap": 0.1,
            "most_per_tangram": None,
        },
        "selection": {"seed": 1, "pairs": 4, "gap": 20},
        "development": {"seed": 1, "per_task": 10},
    },
    "models": {"calm": {"kind": "replay"}},
    "evaluations": {
        "calm_direct": {
            "benchmark": "m3cot",
            "split": "test",
            "model": "calm",
            "strategy": "direct",
            "shots": 0,
            "replies": "calm.jsonl",
        }
    },
    "scoring": {"labels": ["released"], "level": 0.95},
    "analysis": {
        "rationales": {"seed": 1, "sample": 5},
        "alignment": {},
        "coverage": {"seed": 1, "sample": 5},
        "picture_quality": {"seed": 1, "per_task": 5, "agree": 3},
    },
    "running": {"lock_wait_s": 1, "docs_port": 3001},
    "tracking": {"uri": None, "experiment": "cotline"},
}


def test_good_settings_are_typed() -> None:
    assert params.validate(GOOD).evaluations["calm_direct"].strategy == "direct"


@pytest.mark.parametrize("key", ["size", "nfiles"])
def test_keys_that_dvc_overlooks_are_refused_at_any_depth(key: str) -> None:
    with pytest.raises(params.ParamsError, match=rf"world\.inner\.{key}.*another name"):
        params.parse(f"world: {{inner: {{{key}: 3}}}}")


def test_keys_that_dvc_overlooks_are_refused_within_lists() -> None:
    with pytest.raises(params.ParamsError, match="size"):
        params.parse("world: [{size: 3}]")


def test_a_hundred_evaluations_are_too_many_for_dagster() -> None:
    one = GOOD["evaluations"]["calm_direct"]
    many = {**GOOD, "evaluations": {f"e{number}": one for number in range(100)}}
    with pytest.raises(params.ParamsError, match="100 evaluations are more than 99"):
        params.validate(many)
    assert params.validate({**many, "evaluations": {f"e{number}": one for number in range(99)}})


def test_a_model_that_is_not_there_is_named_with_those_that_are() -> None:
    wrong = {"calm_direct": {**GOOD["evaluations"]["calm_direct"], "model": "clam"}}
    with pytest.raises(
        params.ParamsError, match=r"evaluations\.calm_direct\.model: 'clam' is not among models \(calm\)"
    ):
        params.validate({**GOOD, "evaluations": wrong})


def test_a_benchmark_without_samples_is_named_with_the_way_out() -> None:
    sources = {**GOOD["sources"], "m3cot_released": {"items": None, "provenance": "generated"}}
    with pytest.raises(params.ParamsError, match=r"m3cot has no samples .*: set sources\.m3cot_released\.items"):
        params.validate({**GOOD, "sources": sources})


def asked(evaluation: dict[str, object] | None = None, **models: dict[str, object]) -> dict[str, object]:
    """The settings with more models, and one evaluation that asks `mine` of them."""
    one = {"benchmark": "m3cot", "edition": "built", "split": "test", "model": "mine", "strategy": "cot"}
    return {
        **GOOD,
        "trainings": {"small": {"family": "mm-cot"}},
        "models": {**GOOD["models"], **models},
        "evaluations": {**GOOD["evaluations"], "mine_cot": one | (evaluation or {})},
    }


@pytest.mark.parametrize(
    "model",
    [
        {"kind": "baseline", "answers": "majority"},
        {"kind": "trained", "training": "small", "pictures": "shuffled"},
        {"kind": "transformers", "model": "some/checkpoint", "dtype": "bfloat16", "answer": "loglikelihood"},
        {"kind": "text", "model": "packaged"},
        {"kind": "openai", "model": "m", "base_url": "http://127.0.0.1:8000/v1", "key_variables": []},
    ],
    ids=lambda model: model["kind"],
)
def test_a_model_of_each_kind_can_be_asked_what_is_built_without_a_release(model: dict[str, object]) -> None:
    settings = params.validate(asked(mine=model))
    assert settings.models["mine"].kind == model["kind"]
    assert settings.evaluations["mine_cot"].sampling.temperature == 0


@pytest.mark.parametrize(
    ("evaluation", "model", "said"),
    [
        ({}, {"kind": "replay"}, "mine_cot.replies: a model of kind replay reads its replies: name their file"),
        (
            {"replies": "f.jsonl"},
            {"kind": "baseline", "answers": "random"},
            "kind baseline is asked: leave replies out",
        ),
        ({"replies": "f.jsonl", "live": True}, {"kind": "human"}, "kind human cannot be asked anew: leave live out"),
        ({}, {"kind": "trained", "training": "large"}, "models.mine.training: 'large' is not among trainings (small)"),
        ({}, {"kind": "openai", "model": "m", "key_variables": ["sk-abc"]}, "String should match pattern"),
        ({}, {"kind": "openai", "model": "m", "base_url": "127.0.0.1"}, "with its http:// or https://"),
        ({}, {"kind": "oracle"}, "Input tag 'oracle' found using 'kind' does not match"),
        ({"limit": 0}, {"kind": "baseline", "answers": "random"}, "evaluations.mine_cot.limit"),
        ({"sampling": {"max_tokens": 0}}, {"kind": "baseline", "answers": "random"}, "mine_cot.sampling.max_tokens"),
    ],
)
def test_what_a_model_cannot_be_asked_is_named(
    evaluation: dict[str, object], model: dict[str, object], said: str
) -> None:
    with pytest.raises(params.ParamsError) as raised:
        params.validate(asked(evaluation, mine=model))
    assert said in str(raised.value)


@pytest.mark.parametrize(
    "model",
    [
        {"kind": "openai", "model": "m", "key_variables": ["sk-PLANTED-1"]},
        {"kind": "openai", "model": "m", "key": "PLANTED-2"},
        {"kind": "openai", "model": "m", "base_url": "http://me:PLANTED-3@host/v1"},
        {"kind": "openai", "model": "m", "base_url": "http://host/v1?token=PLANTED-4"},
    ],
)
def test_a_key_that_was_written_in_is_refused_and_not_repeated(model: dict[str, object]) -> None:
    with pytest.raises(params.ParamsError) as raised:
        params.validate(asked(mine=model))
    assert "PLANTED" not in str(raised.value)


def test_a_training_and_an_evaluation_have_different_names() -> None:
    same = asked(mine={"kind": "baseline", "answers": "random"}) | {"trainings": {"mine_cot": {"family": "mm-cot"}}}
    with pytest.raises(params.ParamsError, match=r"trainings\.mine_cot: an evaluation is called so too"):
        params.validate(same)


@pytest.mark.parametrize(
    ("night", "said"), [({"at": "1:15"}, "nightly.at"), ({"timezone": "Mars/Base"}, "Europe/Berlin")]
)
def test_a_night_has_a_time_and_a_zone_that_there_are(night: dict[str, object], said: str) -> None:
    with pytest.raises(params.ParamsError, match=said):
        params.validate({**GOOD, "nightly": night})


@pytest.mark.parametrize(
    ("section", "wrong", "said"),
    [
        ("deletion", {"most": 7}, "most 7 is below fewest 8: raise or lower one"),
        ("update", {"palette": ["#000000"] * 7}, "a colour stands twice"),
        ("update", {"palette": ["#e69f00"]}, "at least 7 items"),
        ("update", {"palette": ["red", *GOOD["comt"]["update"]["palette"][1:]]}, "palette"),
    ],
)
def test_settings_of_comt_that_cannot_be_are_named(section: str, wrong: dict, said: str) -> None:
    comt = {**GOOD["comt"], section: {**GOOD["comt"][section], **wrong}}
    with pytest.raises(params.ParamsError, match=said):
        params.validate({**GOOD, "comt": comt})


def test_a_wrong_value_is_named_with_its_place() -> None:
    with pytest.raises(params.ParamsError, match=r"scoring\.level: .*less than 1.* \(it is 95\)"):
        params.validate({**GOOD, "scoring": {"labels": ["released"], "level": 95}})


def test_an_unknown_key_is_named() -> None:
    with pytest.raises(params.ParamsError, match=r"scoring\.levle"):
        params.validate({**GOOD, "scoring": {"labels": ["released"], "level": 0.9, "levle": 1}})


def test_a_partition_name_with_a_dot_is_refused() -> None:
    with pytest.raises(params.ParamsError, match=r"calm\.direct"):
        params.validate({**GOOD, "evaluations": {"calm.direct": GOOD["evaluations"]["calm_direct"]}})


def test_text_that_is_no_mapping_or_no_yaml_is_one_sentence() -> None:
    with pytest.raises(params.ParamsError, match="holds list, not a mapping"):
        params.parse("- a")
    with pytest.raises(params.ParamsError, match="not readable as YAML"):
        params.parse("a: [")


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        ("1e-4", "write 1.0e-4, or quote it"),
        ("1.5e3", r"write 1\.5e\+3, or quote it"),
        ("-.5", r"write -0\.5, or quote it"),
        ("yes", "write true, or quote it"),
        ("Off", "write false, or quote it"),
        ("1_000", "write 1000, or quote it"),
        ("0o7", "write 7, or quote it"),
        ("0b11", "write 3, or quote it"),
        ("010", "quote it"),
        ("1:30", "quote it"),
        ("2026-11-30", "quote it"),
    ],
)
def test_what_yaml_1_1_and_1_2_read_differently_is_refused_with_a_way_out(text: str, way_out: str) -> None:
    with pytest.raises(params.ParamsError, match=rf"params\.yaml: a\.0\.lr: {re.escape(text)} unquoted .*: {way_out}$"):
        params.parse(f"a: [{{lr: {text}}}]")
    assert params.parse(f"a: '{text}'") == {"a": text}


def test_a_key_that_the_two_versions_of_yaml_read_differently_is_refused() -> None:
    with pytest.raises(params.ParamsError, match=r"models\.on: on unquoted .* write true, or quote it"):
        params.parse("models: {on: {kind: replay}}")


def test_what_both_versions_of_yaml_read_alike_is_taken() -> None:
    text = "[1.0e-4, 0.5, .5, -3, 0, 0x1F, true, False, null, ~, y, v1.2, gpt-4v, 1a, 2 shots, _7, 4_x, e5]"
    assert params.parse(f"a: {text}")["a"] == [
        *(0.0001, 0.5, 0.5, -3, 0, 31, True, False, None, None),
        *("y", "v1.2", "gpt-4v", "1a", "2 shots", "_7", "4_x", "e5"),
    ]


def test_aliases_and_merged_mappings_are_read() -> None:
    tree = params.parse("one: &one {x: 1}\ntwo: {<<: *one, y: 2}\nthree: [*one, *one]")
    assert tree == {"one": {"x": 1}, "two": {"x": 1, "y": 2}, "three": [{"x": 1}, {"x": 1}]}


WRONG_SPELLINGS = [
    ("./x.jsonl", "write 'x.jsonl'"),
    ("a//b", "write 'a/b'"),
    ("a/../b", "write 'b'"),
    ("a/./b", "write 'a/b'"),
    ("a/", "write 'a'"),
    ("a\\b", "write 'a/b'"),
    ("/data//b/../c", "write '/data/c'"),
    ("//data/b", "write '/data/b'"),
    (f"../{params.ROOT.name}/own/x.jsonl", "write 'own/x.jsonl'"),
    ("~/x.jsonl", "write the home folder out, as an absolute path"),
    ("s3://bucket/x.jsonl", "write the path of a file"),
    ("", "write the path of a file"),
]


@pytest.mark.parametrize(("path", "way_out"), WRONG_SPELLINGS)
def test_a_path_in_another_spelling_than_dvc_keeps_is_refused(path: str, way_out: str) -> None:
    wrong = {"calm_direct": {**GOOD["evaluations"]["calm_direct"], "replies": path}}
    with pytest.raises(params.ParamsError) as caught:
        params.validate({**GOOD, "evaluations": wrong})
    assert str(caught.value).startswith(f"params.yaml: evaluations.calm_direct.replies: {way_out}")
    assert str(caught.value).endswith(f"(it is {path!r})")
    items = {**GOOD["sources"], "m3cot_released": {"items": path, "provenance": "released"}}
    with pytest.raises(params.ParamsError, match=r"sources\.m3cot_released\.items: write "):
        params.validate({**GOOD, "sources": items})


@pytest.mark.parametrize("path", ["x.jsonl", "a/b c.jsonl", "../shared/x.jsonl.gz", "/data/x.jsonl", "a~b", "a/.b"])
def test_a_path_in_the_spelling_that_dvc_keeps_is_taken(path: str) -> None:
    right = {"calm_direct": {**GOOD["evaluations"]["calm_direct"], "replies": path}}
    assert params.validate({**GOOD, "evaluations": right}).evaluations["calm_direct"].replies == path


def test_the_digest_depends_on_values_and_not_on_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = [{"a": {"x": 1, "y": 2}}, {"a": {"y": 2, "x": 1}}, {"a": {"x": 1, "y": 3}}]
    digests = []
    for tree in trees:
        monkeypatch.setattr(params, "tree", lambda tree=tree: tree)
        digests.append(params.digest("a"))
    assert digests[0] == digests[1] != digests[2]


def test_a_key_that_stands_twice_is_named() -> None:
    with pytest.raises(params.ParamsError, match=r"scoring\.level stands there twice"):
        params.parse("scoring:\n  level: 0.9\n  level: 0.95\n")


def with_m3cot(**sections: object) -> dict[str, object]:
    return {**GOOD, "m3cot": {**GOOD["m3cot"], **sections}}


def test_a_writer_says_what_it_needs() -> None:
    with pytest.raises(params.ParamsError, match=r"m3cot\.writer: kind replay reads recorded replies: set replies"):
        params.validate(with_m3cot(writer={"kind": "replay"}))
    with pytest.raises(params.ParamsError, match=r"needs model, and key_variable \(the NAME of an environment"):
        params.validate(with_m3cot(writer={"kind": "openai", "model": "m"}))


def test_a_key_itself_is_no_name_of_a_variable() -> None:
    with pytest.raises(params.ParamsError, match="key_variable"):
        params.validate(with_m3cot(writer={"kind": "openai", "model": "m", "key_variable": "sk-abc-123"}))


def test_fewer_than_two_steps_are_no_multi_step_reasoning() -> None:
    with pytest.raises(params.ParamsError, match=r"m3cot\.filter\.least_steps"):
        params.validate(with_m3cot(filter={"least_steps": 1}))


def test_a_question_cannot_have_more_clues_at_least_than_at_most() -> None:
    with pytest.raises(params.ParamsError, match=r"m3cot\.commonsense: most_clues 3 is below least_clues 4: raise or"):
        params.validate(with_m3cot(commonsense={"seed": 1, "least_clues": 4, "most_clues": 3}))
    assert params.validate(with_m3cot(commonsense={"seed": 1, "least_clues": 3, "most_clues": 3}))


@pytest.mark.parametrize("address", ["localhost:8000/v1", "file:///v1", "", "HTTP//x"])
def test_an_endpoint_is_an_address_of_the_web(address: str) -> None:
    writer = {"kind": "openai", "model": "m", "key_variable": "KEY", "base_url": address}
    with pytest.raises(params.ParamsError, match=r"m3cot\.writer\.base_url: write the address .* with its http://"):
        params.validate(with_m3cot(writer=writer))
    for good in ("http://127.0.0.1:1/v1", "https://api.example.org/v1", None):
        assert params.validate(with_m3cot(writer={**writer, "base_url": good})).m3cot.writer.base_url == good
