"""The README of an export: what lies there, how many records of what, where they come from, whom to cite."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

from assets.schema.sample import Sample
from assets.schema.vocabulary import TASKS, TOPICS

ABOUT = {
    "m3cot": (
        "Questions on a picture whose rationales take several steps over what is seen, as M3CoT (arXiv:2405.16473) "
        "has them."
    ),
    "comt": "Questions whose rationales reason with pictures, as CoMT (arXiv:2412.12932) has them.",
}

CITATIONS = {
    "m3cot": """@inproceedings{chen-etal-2024-m3cot,
  title = {{M$^3$CoT}: A Novel Benchmark for Multi-Domain Multi-step Multi-modal Chain-of-Thought},
  author = {Chen, Qiguang and Qin, Libo and Zhang, Jin and Chen, Zhi and Xu, Xiao and Che, Wanxiang},
  booktitle = {Proc. of ACL},
  year = {2024}
}""",
    "comt": """@inproceedings{cheng2025comt,
  title = {{CoMT}: A Novel Benchmark for Chain of Multi-modal Thought on Large Vision-Language Models},
  author = {Cheng, Zihui and Chen, Qiguang and Zhang, Jin and Fei, Hao and Feng, Xiaocheng and Che, Wanxiang and
    Li, Min and Qin, Libo},
  booktitle = {Proc. of AAAI},
  year = {2025}
}""",
}

LICENCE = (
    "See the sources: records keep the licence of what they were made from. M3CoT's own release is CC BY-SA 4.0, "
    "ScienceQA and TabMWP are CC BY-NC-SA 4.0."
)


def card(
    samples: Sequence[Sample], records: Mapping[str, int], title: str, form: str, notes: Iterable[str] = ()
) -> str:
    """The README of a benchmark.

    Args:
        samples: the records that were written.
        records: how many of which split.
        title: its heading.
        form: what lies where, in Markdown.
        notes: what the form has no place for, a sentence each.
    """
    benchmark = samples[0].benchmark if samples else "comt"
    if benchmark == "comt":
        kinds = "Tasks: " + _counted(Counter(sample.task or "none" for sample in samples), TASKS, every=True)
    else:
        kinds = "Topics: " + _counted(Counter(sample.topic or "none" for sample in samples), TOPICS)
    came = Counter(sample.provenance.partition(" > ")[0] for sample in samples)
    simulated = sum("simulated" in sample.provenance for sample in samples)
    origins = [f"{name} {came.get(name, 0):,}" for name in ("released", "generated")]
    origins += [f"{name} {n:,}" for name, n in sorted(came.items()) if name not in ("released", "generated")]
    steps = "\n".join(f"- `{name}`: {n:,}" for name, n in sorted(Counter(s.provenance for s in samples).items()))
    return f"""# {title}

{ABOUT[benchmark]}

{form}

- Records: {", ".join(f"{split} {n:,}" for split, n in records.items())}
- {kinds}
- Where the data comes from: {", ".join([*origins, f"simulated {simulated:,}"])}
  (released: from people's data; generated, drawn by rule: made by rule; simulated: completed by simulated annotators)
{"".join(f"- {note}{chr(10)}" for note in notes)}
## How they were made

{steps or "- nothing: there is no record"}

## Licence

{LICENCE}

## Citation

```bibtex
{CITATIONS[benchmark]}
```
"""


def front(head: Mapping[str, Any]) -> str:
    """The head of a README as YAML between lines of dashes: what the hub and `datasets` read."""
    return f"---\n{yaml.safe_dump(dict(head), sort_keys=False, allow_unicode=True, width=1000)}---\n\n"


def _counted(counts: Counter[str], order: Sequence[str], *, every: bool = False) -> str:
    names = [name for name in order if every or name in counts]
    return ", ".join(f"{name} {counts[name]:,}" for name in (*names, *sorted(counts.keys() - set(order))))
