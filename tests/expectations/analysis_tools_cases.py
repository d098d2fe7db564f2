"""What fails each check of the papers' explorations: the use of tools, and the systems."""

from collections.abc import Callable
from typing import Any

from assets.analysis.systems.systems import known
from tests.expectations.cases import Case, Rows

USE, SYSTEMS = "analysis/tool_use", "analysis/systems"


def _used(kind: str, name: str, n: int, of: int, runs: int = 10, **columns: Any) -> dict[str, Any]:
    return {
        "evaluation": "chameleon_m3cot",
        "model": "tiny_chameleon",
        "policy": "chameleon",
        "kind": kind,
        "name": name,
        "n": n,
        "of": of,
        "share": n / of if of else None,
        "low": 0.0 if of else None,
        "high": 1.0 if of else None,
        "a_run": n / runs,
        **columns,
    }


def _without_calls() -> dict[str, Any]:
    return {"evaluation": "idealgpt_m3cot", "model": "tiny_idealgpt", "policy": "idealgpt"}


def _tool_use() -> Rows:
    return [
        _used("status", "ok", 6, 10),
        _used("status", "error", 1, 10),
        _used("status", "plan_error", 2, 10),
        _used("status", "bound_reached", 1, 10),
        _used("reason", "unknown_tool", 2, 10),
        _used("reason", "too_many_calls", 1, 10),
        _used("fault", "unknown_tool", 4, 10),
        _used("tool", "ocr", 7, 8),
        _used("tool", "unknown_tool", 1, 8),
        _used("redundant", "repeated_call", 2, 8),
        _used("redundant", "repeated_observation", 0, 8),
        _used("turn", "user", 10, 40),
        _used("turn", "assistant", 30, 40),
        _used("status", "ok", 1, 1, 1, **_without_calls()),
        _used("redundant", "repeated_call", 0, 0, 1, **_without_calls()),
        _used("redundant", "repeated_observation", 0, 0, 1, **_without_calls()),
    ]


HUMAN, CHAMELEON, GILL = (
    next(place for place, one in enumerate(known()) if one.system == name) for name in ("Human", "Chameleon", "GILL")
)


def _systems() -> Rows:
    """Every system, of which two were run: people, and one without a published number; and one with other weights."""
    numbers = {"Human": (91.17, "zero_shot human human"), "Chameleon": (34.29, "exploration chameleon tool-usage")}
    rows = []
    for one in known():
        row = {name: getattr(one, name) for name in ("paper", "system", "setting", "kind", "how", "needs")}
        published, where = numbers.get(one.system, (None, None))
        if one.table and published is None:
            published, where = PRINTED[one.system, one.setting]
        rows.append(row | {"published": published, "published_as": where, "alike": []})
    run = {"asked": "m3cot released test", "n": 8, "correct": 6, "ours": 75.0, "low": 40.9, "high": 92.9}
    rows[HUMAN] |= {"evaluation": "people", **run}
    rows[GILL] |= {"evaluation": "gill_cot", **run}
    rows[CHAMELEON] |= {"alike": ["chameleon_m3cot: 25.00 per cent of 24, m3cot built test"]}
    return rows


_ZERO_SHOT, _VLM, _VLLM = "zero-shot", "finetuned-vlm", "finetuned-vllm"
PRINTED = {
    ("Random", "baseline"): (28.56, "zero_shot random random"),
    ("Kosmos-2-2B", _ZERO_SHOT): (23.17, "zero_shot kosmos-2 direct"),
    ("InstructBLIP-7B", _ZERO_SHOT): (36.11, "zero_shot instruct-blip-7b direct"),
    ("InstructBLIP-13B", _ZERO_SHOT): (36.07, "zero_shot instruct-blip-13b cot"),
    ("LLaVA-V1.5-7B", _ZERO_SHOT): (36.63, "zero_shot llava-7b direct"),
    ("LLaVA-V1.5-13B", _ZERO_SHOT): (39.52, "zero_shot llava-13b cot"),
    ("CogVLM-17B", _ZERO_SHOT): (38.91, "zero_shot cogvlm cot"),
    ("Gemini", _ZERO_SHOT): (47.50, "zero_shot gemini cot"),
    ("GPT4V", _ZERO_SHOT): (62.60, "zero_shot gpt4v cot"),
    ("HuggingGPT", "tool-usage"): (14.60, "exploration hugginggpt tool-usage"),
    ("VisualChatGPT", "tool-usage"): (25.92, "exploration visualchatgpt tool-usage"),
    ("IdealGPT", "tool-usage"): (32.19, "exploration idealgpt tool-usage"),
    ("Chameleon", "tool-usage"): (34.29, "exploration chameleon tool-usage"),
    ("MM-CoT base", _VLM): (44.85, "exploration mm-cot-base finetuned-vlm"),
    ("MC-CoT base", _VLM): (53.51, "exploration mc-cot-base finetuned-vlm"),
    ("MM-CoT large", _VLM): (48.73, "exploration mm-cot-large finetuned-vlm"),
    ("MMR", _VLM): (50.67, "exploration mmr finetuned-vlm"),
    ("MC-CoT large", _VLM): (57.69, "exploration mc-cot-large finetuned-vlm"),
    ("LLaMA-Adapter-7B", _VLLM): (54.89, "exploration llama-adapter-7b finetuned-vllm"),
    ("LLaVA-V1.5-7B", _VLLM): (56.74, "exploration llava-7b finetuned-vllm"),
    ("LLaVA-V1.5-13B", _VLLM): (59.50, "exploration llava-13b finetuned-vllm"),
    ("CogVLM-17B", _VLLM): (58.25, "exploration cogvlm finetuned-vllm"),
    ("Human", "human"): (91.17, "zero_shot human human"),
}
"""Of M3CoT's systems the best total that its tables print, copied out of the paper, and where it stands."""

GOOD: dict[str, Callable[[], Rows]] = {USE: _tool_use, SYSTEMS: _systems}
"""By asset the rows of a table that passes, anew at each call."""

CASES: list[Case] = [
    *(Case(USE, check, change) for check, change in (
        ("policy_is_known", {place: {"policy": "react"} for place in range(13)}),
        ("name_is_known", {1: {"name": "fine"}}),
        ("name_is_known", {5: {"name": "whim"}}),
        ("name_is_known", {6: {"name": "whim"}}),
        ("name_is_known", {7: {"name": "Run this!"}}),
        ("name_is_known", {11: {"name": "narrator"}}),
        ("share_is_of_counts", {0: {"share": 0.7}}),
        ("share_is_of_counts", {14: {"share": 0.0, "low": 0.0, "high": 1.0}}),
        ("interval_holds_it", {0: {"low": 0.61}}),
        ("interval_holds_it", {0: {"high": None}}),
        ("way_is_one", {3: {"model": "another"}}),
        ("way_is_one", {13: {"policy": "chameleon"}}),
        ("parts_add_up", {7: {"n": 6, "share": 0.75, "a_run": 0.6}}),
        ("parts_add_up", {11: {"n": 9, "share": 9 / 40, "a_run": 0.9}}),
        ("parts_add_up", {6: {"n": 4, "of": 20, "share": 0.2}}),
        ("reasons_add_up", {5: {"n": 2, "share": 0.2, "a_run": 0.2}}),
        ("redundant_within_calls", {10: {"n": 7, "share": 7 / 8, "a_run": 0.7}}),
        ("a_run_is_of_runs", {7: {"a_run": 7.0}}),
    )),
    Case(USE, "kind_is_known", {6: {"kind": "whim", "of": 8, "share": 0.5}}),
    Case(USE, "counted_once", {}, copied=6),
    Case(USE, "n_within_of", {9: {"n": 9, "share": 9 / 8, "a_run": 0.9}, 10: {"n": -2, "share": -0.25, "a_run": -0.2}},
         also=("interval_holds_it",)),
    Case(USE, "parts_add_up", {}, left_out=8),
    Case(USE, "reasons_add_up", {}, left_out=4),
    Case(USE, "redundant_within_calls", {}, left_out=15),
    *(Case(SYSTEMS, check, change) for check, change in (
        ("says_how", {HUMAN: {"needs": " "}}),
        ("says_how", {HUMAN: {"how": ""}}),
        ("published_is_printed", {CHAMELEON: {"published": 34.92}}),
        ("published_is_printed", {CHAMELEON: {"published": None}}),
        ("published_is_printed", {CHAMELEON: {"published": None, "published_as": None}}),
        ("published_is_printed", {CHAMELEON: {"published": 14.6, "published_as": "exploration hugginggpt tool-usage"}}),
        ("published_is_printed", {GILL: {"published": 34.29, "published_as": "exploration chameleon tool-usage"}}),
        ("published_is_printed", {HUMAN: {"published_as": "zero_shot human best"}}),
        ("run_is_whole", {HUMAN: {"evaluation": None}}),
        ("run_is_whole", {CHAMELEON: {"evaluation": "chameleon_real"}}),
        ("run_is_whole", {GILL: {"asked": None}}),
        ("ours_is_of_counts", {HUMAN: {"ours": 0.75, "low": 0.4}}),
        ("ours_is_of_counts", {HUMAN: {"correct": 5}}),
        ("interval_holds_ours", {HUMAN: {"low": 76.0}}),
        ("interval_holds_ours", {HUMAN: {"high": 100.5}}),
        ("alike_is_not_it", {CHAMELEON: {"alike": ["gill_cot: 75.00 per cent of 8, comt built test"]}}),
    )),
    Case(SYSTEMS, "ours_is_of_counts", {HUMAN: {"correct": 9, "ours": 112.5}}, also=("interval_holds_ours",)),
    Case(SYSTEMS, "stands_once", {}, copied=HUMAN),
    Case(SYSTEMS, "stands_once", {}, copied=CHAMELEON),
    Case(SYSTEMS, "systems_are_all_there", {}, left_out=CHAMELEON),
    Case(SYSTEMS, "systems_are_all_there", {GILL: {"system": "GILT"}}),
    Case(SYSTEMS, "paper_is_known", {GILL: {"paper": "mmlu"}}, also=("systems_are_all_there",)),
    Case(SYSTEMS, "setting_is_known", {GILL: {"setting": "whim"}}, also=("systems_are_all_there",)),
    Case(SYSTEMS, "kind_is_known", {GILL: {"kind": "whim"}}, also=("systems_are_all_there",)),
]  # fmt: skip
PASSING: list[Case] = [
    Case(USE, "redundant_within_calls", {10: {"n": 6, "share": 0.75, "a_run": 0.6}}),
    Case(SYSTEMS, "alike_is_not_it", {GILL: {"alike": ["chameleon_m3cot: 25.00 per cent of 24, m3cot built test"]}}),
]
LIKE: dict[str, str] = {}
GAPS: dict[str, tuple[int, str, float | None]] = {USE: (6, "a_run", None), SYSTEMS: (HUMAN, "alike", None)}
NEVER_EMPTY: set[str] = {SYSTEMS}
