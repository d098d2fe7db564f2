import pytest

from assets import params

GOOD = {
    "sources": {
        "generated_released": {"seed": 1, "items": 60, "replies": {}},
        "m3cot_released": {"items": "items.jsonl", "provenance": "generated"},
        "comt_released": {"items": None, "provenance": "released"},
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
    wrong = {"calm_direct": {**GOOD["evaluations"]["calm_direct"], "benchmark": "comt"}}
    with pytest.raises(params.ParamsError, match=r"comt has no samples .*: set sources\.comt_released\.items"):
        params.validate({**GOOD, "evaluations": wrong})


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


def test_the_digest_depends_on_values_and_not_on_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = [{"a": {"x": 1, "y": 2}}, {"a": {"y": 2, "x": 1}}, {"a": {"x": 1, "y": 3}}]
    digests = []
    for tree in trees:
        monkeypatch.setattr(params, "tree", lambda tree=tree: tree)
        digests.append(params.digest("a"))
    assert digests[0] == digests[1] != digests[2]
