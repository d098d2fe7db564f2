"""Profiles: the default merged with an overlay becomes params.yaml, and an edited one is never lost."""

from pathlib import Path

import pytest
import yaml

from assets import params
from orchestration import profile

DEFAULT = """\
# A remark.
profile: default
sources:
  generated_upstreams:
    {seed: 1, scienceqa: 0, math: 0, tabmwp: 0, kilogram: 0, sherlock: 0, geoqa: 0, jhu_crowd: 0, spot_diff: 0,
     judged_chains: 0, annotators: {}}
  scienceqa: {folder: null, provenance: generated}
  math: {folder: null, provenance: generated}
  tabmwp: {folder: null, provenance: generated}
  kilogram: {folder: null, provenance: generated}
  sherlock: {folder: null, provenance: generated}
  geoqa: {folder: null, provenance: generated}
  geometry3k: {folder: null, provenance: released}
  jhu_crowd: {folder: null, provenance: generated}
  voc_faces: {folder: null, provenance: released}
  spot_diff: {folder: null, provenance: generated}
  game_pairs: {folder: null, provenance: released}
  m3cot_annotations: {recorded: null, own: data/annotations/m3cot}
  comt_annotations: {recorded: null, own: data/annotations/comt}
  picture_judgements: {recorded: null, own: data/annotations/pictures}
  judged_chains: {folder: null, provenance: generated}
  generated_released: {seed: 1, items: 60, comt_items: 0}
  m3cot_released: {items: items.jsonl, provenance: generated}
  comt_released: {items: null, provenance: released}
m3cot:
  steps: roscoe
  votes: {needed: 2, pending: accept}
  filter: {least_steps: 2}
  writer: {kind: rules}
  mathematics: {most_per_topic: null, figures: none, figure_s: 10.0}
  commonsense: {seed: 3, least_clues: 3, most_clues: 5}
  science: {seed: 5, maps: 0, sparse: 0, most_new: 0}
  duplicates: {measure: pearson, similarity: 0.99, question_alone: false}
  letters_seed: 2
  split: {seed: 1, train: 7, validation: 1, test: 2}
  audit: {seed: 4, share: 0.2}
comt:
  steps: roscoe
  votes: {needed: 2, pending: accept}
  creation: {least_relations: 3}
  deletion: {seed: 6, fewest: 8, most: 60, at_once: 10}
  update:
    seed: 8
    palette: ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"]
    longest_label: 40
    most_overlap: 0.1
    most_per_tangram: 4
  selection: {seed: 9, pairs: 4, gap: 20}
  development: {seed: 10, per_task: 10}
analysis:
  rationales: {seed: 12, sample: 10}
  alignment: {model: null}
  coverage: {seed: 13, sample: 10}
  picture_quality: {seed: 14, per_task: 50, agree: 3}
models:
  calm: {kind: replay, published: null}
evaluations:
  calm_direct: {benchmark: m3cot, split: test, model: calm, strategy: direct, replies: calm.jsonl}
scoring: {labels: [released, paper], level: 0.95}
running: {lock_wait_s: 1, docs_port: 3001}
tracking: {uri: null, experiment: cotline}
"""


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the profile `default` alone, and no params.yaml."""
    (tmp_path / "profiles").mkdir()
    monkeypatch.setattr(params, "PARAMS", tmp_path / "params.yaml")
    monkeypatch.setattr(profile, "PROFILES", tmp_path / "profiles")
    monkeypatch.setattr(profile, "KEPT", tmp_path / "var/params")
    (tmp_path / "profiles/default.yaml").write_text(DEFAULT)
    return tmp_path


def overlaid(checkout: Path, overlay: str) -> dict[str, object]:
    """What the default with this overlay says."""
    (checkout / "profiles/other.yaml").write_text(overlay)
    return params.parse(profile.text("other"))


def test_an_overlay_replaces_the_values_that_it_names_and_joins_the_mappings(checkout: Path) -> None:
    merged = overlaid(checkout, "scoring: {labels: [paper]}\nmodels: {bold: {kind: replay}}")
    expected = yaml.safe_load(DEFAULT)
    expected["scoring"]["labels"] = ["paper"]
    expected["models"]["bold"] = {"kind": "replay"}
    assert merged == expected
    assert list(merged["models"]) == ["calm", "bold"]


def test_a_mapping_marked_only_replaces_the_defaults(checkout: Path) -> None:
    merged = overlaid(checkout, "models: !only {bold: {kind: replay}}\nevaluations: !only {}")
    assert (merged["models"], merged["evaluations"]) == ({"bold": {"kind": "replay"}}, {})


def test_only_marks_mappings(checkout: Path) -> None:
    with pytest.raises(params.ParamsError, match="!only marks a mapping, line 2 has none"):
        overlaid(checkout, "scoring:\n  labels: !only [paper]")


def test_an_overlay_that_says_nothing_is_the_default(checkout: Path) -> None:
    assert overlaid(checkout, "# nothing yet\n") == yaml.safe_load(DEFAULT)


def test_settings_that_cannot_be_are_named_with_their_profile(checkout: Path) -> None:
    with pytest.raises(params.ParamsError, match=r"profile other: .*calm_direct\.model: 'calm' is not among"):
        overlaid(checkout, "models: !only {}")


def test_a_number_that_dvc_reads_differently_is_refused_in_an_overlay(checkout: Path) -> None:
    with pytest.raises(params.ParamsError, match=r"profiles/other\.yaml: scoring\.level: 5e-2 .* write 5\.0e-2"):
        overlaid(checkout, "scoring: {level: 5e-2}")


def test_a_quoted_number_of_an_overlay_stays_quoted(checkout: Path) -> None:
    overlaid(checkout, "tracking: {experiment: '1e-4'}")
    assert "experiment: '1e-4'" in profile.text("other")


def test_an_unknown_profile_is_told_which_there_are(checkout: Path) -> None:
    overlaid(checkout, "")
    with pytest.raises(profile.UnknownProfile, match=r"^profile 'fast': there is none; there are default, other$"):
        profile.text("fast")


def test_the_first_line_says_from_what_params_yaml_was_written(checkout: Path) -> None:
    overlaid(checkout, "")
    assert profile.text("default") == (
        "# Profile default: written by `cotline profile default` from profiles/default.yaml.\n" + DEFAULT
    )
    first = profile.text("other").splitlines()[0]
    assert first == (
        "# Profile other: written by `cotline profile other` from profiles/default.yaml and profiles/other.yaml."
    )


def test_the_profile_of_params_yaml_is_said_in_a_word(checkout: Path) -> None:
    overlaid(checkout, "")
    written = checkout / "params.yaml"
    assert profile.current() == "none"
    profile.write("other")
    assert profile.current() == "other"
    written.write_text(written.read_text().replace("3001", "3002"))
    assert profile.current() == "other, edited"
    written.write_text(DEFAULT)
    assert profile.current() == "your own"


@pytest.mark.parametrize("own", [False, True])
def test_an_edited_params_yaml_is_kept_before_it_is_replaced(checkout: Path, own: bool) -> None:
    written = checkout / "params.yaml"
    profile.write("default")
    edited = (DEFAULT if own else written.read_text()).replace("3001", "3002")
    written.write_text(edited)
    kept = profile.write("default")
    assert kept is not None
    assert kept.parent == checkout / "var/params"
    assert kept.read_text() == edited
    assert written.read_text() == profile.text("default")


def test_a_params_yaml_as_it_was_written_is_replaced_without_a_copy(checkout: Path) -> None:
    overlaid(checkout, "scoring: {level: 0.9}")
    assert profile.write("default") is None
    assert profile.write("other") is None
    assert not (checkout / "var").exists()
    assert params.parse((checkout / "params.yaml").read_text())["scoring"]["level"] == 0.9


@pytest.mark.parametrize(("name", "evaluations"), [("default", 12), ("explore", 20), ("slice", 24)])
def test_each_profile_of_the_project_is_valid(monkeypatch: pytest.MonkeyPatch, name: str, evaluations: int) -> None:
    monkeypatch.setattr(profile, "PROFILES", params.ROOT / "profiles")
    settings = params.validate(params.parse(profile.text(name)))
    assert (len(settings.evaluations), settings.profile) == (evaluations, name)


def test_no_profile_of_the_project_is_left_untested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile, "PROFILES", params.ROOT / "profiles")
    assert profile.names() == ["default", "explore", "slice"]
