"""The rows of scoring in memory: items, replies, answers, scores, baselines and differences."""

from typing import NamedTuple

BASELINES = ("random", "majority")
"""What is answered without a model. Source: arXiv:2412.12932, D.2, for random."""


class Evaluation(NamedTuple):
    """What an evaluation of params.yaml was asked.

    replies: the file that they stand in as params.yaml names it, None where a model is asked. edition: of the
    benchmark, released or built. limit: only so many of the split's samples, its first ones. asset: which keeps its
    replies. several: people answer, so that a sample may have a reply of each.
    """

    benchmark: str
    split: str
    replies: str | None
    edition: str = "released"
    limit: int | None = None
    asset: str = "evaluation/recorded"
    several: bool = False

    @property
    def asked(self) -> tuple[str, str, str]:
        """The samples that it was asked: benchmark, edition and split."""
        return self.benchmark, self.edition, self.split


class Item(NamedTuple):
    """One question as scoring needs it: which options it has, which letter is recorded, where it belongs.

    An option that the file does not give as text is None: the published script of M3CoT raises on it.
    """

    id: str
    choices: tuple[str | None, ...]
    answer: str
    domain: str | None
    topic: str | None
    category: str | None
    task: str | None


class Reply(NamedTuple):
    """One record of a replies file, or one line that holds none.

    line: position in the file, from 1.
    choices: the options as the record gives them (None inside: an option that is no text), None if it gives none.
    messages: the dialogue as recorded, prompt and reply in turn; an entry that is no text is None.
    text: what the published script scores, the last message as recorded; None where it would raise.
    status: ok, filtered, empty, truncated or error; whether an ok text is a refusal, the strict extractor says.
    dropped: why the record goes no further, None when it does; excerpt: how a line that cannot be read begins.
    """

    line: int
    sample_id: str | None
    choices: tuple[str | None, ...] | None
    messages: tuple[str | None, ...] | None
    text: str | None
    status: str
    dropped: str | None = None
    excerpt: str | None = None


class Answer(NamedTuple):
    """One reply as one extractor reads it, or one sample that has no reply (status missing): table `answer`.

    span: [start, end) in characters of the reply. label: the recorded letter, "" for an id that has none.
    counted: whether the policy has it in the denominator. correct: letter equals label.
    """

    line: int | None
    sample_id: str
    extractor: str
    letter: str | None
    rule: str
    span: tuple[int, int] | None
    status: str
    label: str
    counted: bool
    correct: bool


class Score(NamedTuple):
    """The score of one evaluation under one extractor and label set within one scope: table `score`.

    accuracy, low, high, macro_accuracy, macro_f1, mean_f1, errors_excluded: fractions in [0, 1], None when they have
    no denominator. statuses: counted samples by answer status, in alphabetical order.
    """

    evaluation: str
    extractor: str
    policy: str
    labels: str
    scope: str
    name: str
    n: int
    correct: int
    accuracy: float | None
    low: float | None
    high: float | None
    macro_accuracy: float | None
    macro_f1: float | None
    mean_f1: float | None
    errors_excluded: float | None
    missing: int
    statuses: dict[str, int]


class Baseline(NamedTuple):
    """What a baseline reaches on one scope of a split, against the recorded labels: table `baseline`.

    accuracy, macro_accuracy, macro_f1, mean_f1: of random the mean over its attempts. lowest and highest: the
    accuracies of the worst and best attempt. low and high: the Wilson interval of all attempts together. expected:
    what guessing comes to, the mean over the samples of 1 / number of options. letter: what majority says.
    All of them in [0, 1], and None when n is 0.
    """

    benchmark: str
    edition: str
    split: str
    baseline: str
    scope: str
    name: str
    letter: str | None
    n: int
    accuracy: float | None
    low: float | None
    high: float | None
    lowest: float | None
    highest: float | None
    macro_accuracy: float | None
    macro_f1: float | None
    mean_f1: float | None
    expected: float | None
    seeds: tuple[int, ...]


class Difference(NamedTuple):
    """Two evaluations on the samples that both count: table `difference`.

    difference: accuracy of a minus accuracy of b, in [-1, 1]; low and high its paired interval; p the two-sided
    exact McNemar value. All four None when no sample is counted by both.
    """

    a: str
    b: str
    extractor: str
    policy: str
    labels: str
    n: int
    both: int
    only_a: int
    only_b: int
    neither: int
    difference: float | None
    low: float | None
    high: float | None
    p: float | None


class Mismatch(NamedTuple):
    """A reply that was made with other options than its item's.

    rearranged: the same distinct texts in another order, so that letters can be told apart by their text.
    """

    line: int
    sample_id: str
    recorded: tuple[str | None, ...]
    listed: tuple[str | None, ...]
    rearranged: bool
