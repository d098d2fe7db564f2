"""The tables of analysis: what scores, replies and samples say when they are looked at together."""

import pyarrow as pa

from assets.schema.analysis_vocabulary import ROSCOE_SCORES
from assets.schema.columns import DROPPED, Column, Table, count, fraction, text

SCORE_COUNT = pa.struct([("score", pa.int32()), ("n", pa.int32())])

_EDITION = (
    text("benchmark", "m3cot or comt."),
    text("edition", "Of the benchmark: released, or built here."),
    text("split", "train, validation or test."),
)
_EVALUATION = text("evaluation", "The evaluation's name in params.yaml.")
_SCORED = (
    text("extractor", "Text to letter: paper (the published rule) or strict (the ordered grammar)."),
    text("labels", "The label set scored against, such as released or paper."),
)
_SHARE = (
    count("n", "Samples in the denominator."),
    count("correct", "Samples answered with the label's letter."),
    fraction("accuracy", "correct / n, in [0, 1]; null when n is 0.", nullable=True),
    fraction("low", "Lower end of the Wilson interval of accuracy.", nullable=True),
    fraction("high", "Upper end of the Wilson interval of accuracy.", nullable=True),
)

ANALYSIS = (
    Table(
        "paired_difference",
        "Two evaluations of one split compared on their common samples (strict extractor, released labels).",
        (
            *_EDITION,
            text("a", "The evaluation whose accuracy is higher, the first by name where they are equal."),
            text("b", "The evaluation it is compared with."),
            count("n", "Samples that both count."),
            count("only_a", "Samples only a has right."),
            count("only_b", "Samples only b has right."),
            fraction("difference", "Accuracy of a minus accuracy of b, in [0, 1]."),
            fraction("low", "Lower end of the paired interval of the difference."),
            fraction("high", "Upper end of the paired interval of the difference."),
            fraction("p", "Two-sided exact McNemar p value."),
            fraction("p_adjusted", "The same by Holm's method over the pairs of the split."),
            count(
                "needed",
                "Samples that would show a difference of this kind; null where there is none, or over 2^31 - 1.",
                True,
            ),
        ),
    ),
    Table(
        "step_accuracy",
        "The accuracy of one evaluation over the samples whose rationale, or reply, has so many reasoning steps.",
        (
            _EVALUATION,
            *_SCORED,
            text("steps_of", "rationale (the sample's gold one) or reply (what the model wrote)."),
            text("bin", "A range of steps such as 4-5, 12+, or single_step or multi_step."),
            count("least", "The fewest steps of the bin."),
            count("most", "The most steps of the bin; null where it is open.", nullable=True),
            *_SHARE,
        ),
    ),
    Table(
        "status_count",
        "How many replies of one evaluation end in one status, as one extractor reads them.",
        (
            _EVALUATION,
            text("model", "The model's name in params.yaml."),
            text("extractor", "paper or strict."),
            text("status", "The reply's status, or none, ambiguous, not_evaluable, missing."),
            count("n", "Counted samples of that status."),
            count("of", "Counted samples of the evaluation."),
            fraction("share", "n / of, in [0, 1]."),
            fraction("low", "Lower end of the Wilson interval of the share."),
            fraction("high", "Upper end of the Wilson interval of the share."),
        ),
    ),
    Table(
        "shot_accuracy",
        "The accuracy of one evaluation among those that differ in their number of shots alone.",
        (
            text("series", "What the evaluations of a curve share: model, strategy, variant and kind of shots."),
            *_EDITION,
            _EVALUATION,
            count("shots", "Solved samples shown before the question."),
            text("shot_rationales", "multimodal, text, or none where there are no shots."),
            *_SCORED,
            *_SHARE,
            fraction("difference", "Accuracy minus that of the series' zero-shot evaluation, paired.", nullable=True),
            fraction("p", "Two-sided exact McNemar value of that difference.", nullable=True),
        ),
    ),
    Table(
        "decision",
        "How often one rule of one extractor decided in one evaluation, and how often it was right.",
        (
            _EVALUATION,
            text("extractor", "paper or strict."),
            text("rule", "The extractor's rule that decided."),
            count("n", "Counted replies that it decided."),
            count("correct", "Of them those whose letter is the label's."),
        ),
    ),
    Table(
        "disagreement",
        "One reply that the two extractors do not read alike.",
        (
            _EVALUATION,
            count("line", "Position of the reply in its file."),
            text("sample_id", "The sample that was asked."),
            text("label", "The recorded label."),
            text("paper", "The letter that the published rule reads; null when none.", nullable=True),
            text("paper_rule", "The rule of it that decided."),
            text("strict", "The letter that the strict grammar reads; null when none.", nullable=True),
            text("strict_rule", "The rule of it that decided."),
            Column("paper_correct", pa.bool_(), "Whether the published rule's letter is the label's."),
            Column("strict_correct", pa.bool_(), "Whether the strict grammar's letter is the label's."),
            text("shape", "What the scored reply looks like, one of the declared shapes."),
            text("excerpt", "The scored reply's first and last characters, control characters written out."),
        ),
    ),
    Table(
        "gap",
        "The replies of one shape to one evaluation that the two extractors do not read alike, and what that moves.",
        (
            _EVALUATION,
            text("shape", "What the replies look like; total for all of them."),
            count("replies", "Counted replies of that shape, agreed on or not."),
            count("n", "Of them those that the extractors do not read alike."),
            count("paper_correct", "Of these those that the published rule has right."),
            count("strict_correct", "Of these those that the strict grammar has right."),
            fraction(
                "paper_accuracy", "Of the whole evaluation by the published rule and its policy, in [0, 1].", True
            ),
            fraction("strict_accuracy", "Of the whole evaluation by the strict grammar and its policy.", True),
            fraction("moved", "The accuracy that this shape moves, strict less paper, in [-1, 1].", True),
            text("sentence", "The same in words that can be checked against the rows of table disagreement."),
        ),
    ),
    Table(
        "finding",
        "One thing about one sample that a person should look at before trusting its label.",
        (
            *_EDITION,
            text("sample_id", "The sample."),
            text("finding", "What was found, one of the declared findings."),
            text("label", "The recorded letter."),
            text("other", "The letter that speaks against it, where there is one.", nullable=True),
            text("detail", "The texts that it was found in, shortened."),
            text("evaluation", "The evaluation whose record shows it, where it is one.", nullable=True),
        ),
    ),
    Table(
        "item",
        "One sample as the models found it: how hard it is, and how well it tells good models from bad ones.",
        (
            *_EDITION,
            text("sample_id", "The sample."),
            text("topic", "Its topic (CoMT: its task).", nullable=True),
            text("label", "The recorded letter."),
            count("evaluations", "Evaluations that counted it (strict extractor), baselines apart."),
            count("correct", "Of them those that have it right."),
            fraction("difficulty", "Share that has it wrong, in [0, 1]; null when nobody was asked.", nullable=True),
            fraction(
                "discrimination",
                "Correlation, in [-1, 1], of being right here with the accuracy on all other samples; null where "
                "all or none are right, or fewer than three were asked.",
                nullable=True,
            ),
            count("models", "Models that were asked, however many evaluations each has."),
            text("consensus", "The letter most of them give, each model one vote; null without one.", nullable=True),
            fraction("agreement", "The share of the votes that it has, in [0, 1].", nullable=True),
            fraction("support", "The share of the votes that the label has, in [0, 1].", nullable=True),
        ),
    ),
    Table(
        "suspect",
        "One sample whose models agree on another letter than the label, the least likely by chance first.",
        (
            count("rank", "1 for the most suspect of its split."),
            *_EDITION,
            text("sample_id", "The sample."),
            text("label", "The recorded letter."),
            text("consensus", "The letter that the models agree on."),
            count("models", "Models that were asked and answered."),
            fraction("agreement", "The share of their votes that the consensus has, in [0, 1]."),
            fraction("support", "The share of their votes that the label has, in [0, 1]."),
            fraction(
                "surprise",
                "Natural logarithm of how much likelier the votes are if the consensus is right than if the label "
                "is, each model as often right as it is on the other samples of the topic (CoMT: task).",
            ),
            text("question", "The question's first characters."),
        ),
    ),
    Table(
        "rationale_score",
        "The rationale of one reply scored by ROSCOE in one mode.",
        (
            _EVALUATION,
            text("sample_id", "The sample that was asked."),
            text("mode", "reference (the public code's values) or sane (the paper's forms)."),
            count("steps", "Steps of the reply."),
            count("context_steps", "Sentences of the context."),
            count("reference_steps", "Steps of the sample's gold rationale; null when it has none.", nullable=True),
            *(
                fraction(name, "As ROSCOE defines it, higher is better; null when undefined.", True)
                for name in ROSCOE_SCORES
            ),
            text("sentence_model", "What made the sentence and word vectors."),
            text("inference_model", "What judged contradictions, or no model."),
            text("language_model", "What gave perplexities, or no model."),
            text("grammar_model", "What judged grammar, or no model."),
        ),
    ),
    Table(
        "alignment",
        "How one reply fits the pictures, by one measure.",
        (
            _EVALUATION,
            text("sample_id", "The sample that was asked."),
            text("measure", "clip_score (CoMT: each rationale picture against the reply) or interaction_steps."),
            fraction("value", "The measure; null without a model, or where nothing can be compared.", nullable=True),
            count("pictures", "Pictures that were compared."),
            count("excluded", "Pictures left out: all of one colour, or not there."),
            count("steps", "Steps of the reply."),
            count("truncated", "Texts cut at the encoder's longest (CLIP: 77 tokens)."),
            text("model", "What compared pictures with texts, or no model."),
        ),
    ),
    Table(
        "quality",
        "One measure of the rationales of one evaluation, beside its accuracy, within one scope.",
        (
            _EVALUATION,
            *_EDITION[:2],
            text("mode", "Of ROSCOE: reference or sane; picture for what compares with pictures."),
            text("group", "What the measure looks at, such as semantic_alignment."),
            text("measure", "The score's name."),
            text("scope", "total, topic or task."),
            text("name", "Which topic or task; total for the whole (CoMT: the mean of the tasks' means)."),
            count("n", "Replies with a value."),
            count("undefined", "Replies looked at that have none."),
            fraction("mean", "Mean of the values; null when n is 0.", nullable=True),
            fraction(
                "low", "Lower end of its interval (Student's); null without two values that differ.", nullable=True
            ),
            fraction("high", "Upper end of its interval.", nullable=True),
            fraction(
                "accuracy",
                "Of the whole evaluation in that scope (strict, released labels); of CoMT's total the mean over tasks.",
                nullable=True,
            ),
            count("accuracy_n", "Samples that the accuracy is of."),
            text("why", "Why there is no value, such as no model; null where there is one.", nullable=True),
        ),
    ),
    Table(
        "coverage",
        "How far the rationales of one collection spread in the space of meanings.",
        (
            text("collection", "The samples whose gold rationales these are, such as m3cot/benchmark."),
            text("scope", "total, or domain or task."),
            text("name", "Which; total for the whole."),
            count("n", "Rationales that were drawn."),
            count("of", "Rationales that there are."),
            fraction("spread", "Mean cosine distance between two of them, in [0, 2]; null below two.", nullable=True),
            fraction("dimensions", "Directions that they fill: exp of the entropy of the spectrum.", nullable=True),
            fraction("area", "Area of their convex hull on the two main axes of all collections.", nullable=True),
            fraction("overlap", "Share of them within the first collection's hull there.", nullable=True),
            text("sentence_model", "What made the vectors."),
        ),
    ),
    Table(
        "judged_chain",
        "One chain of reasoning that a person judged.",
        (
            text("dataset", "Where the question is from, such as gsm8k."),
            text("chain_id", "Its number there."),
            text("context", "What the model was given.", nullable=True),
            text("reference", "The gold solution, where there is one.", nullable=True),
            Column("steps", pa.list_(pa.string()), "The model's steps.", nullable=True),
            fraction("overall", "Overall quality, 1 (worst) to 5.", nullable=True),
            fraction("coherency", "Coherency, 1 (worst) to 5.", nullable=True),
            Column("missing_steps", pa.bool_(), "Whether steps are missing.", nullable=True),
            Column("contradiction", pa.bool_(), "Whether a step contradicts the context or another one.", True),
            text("provenance", "Where the record is from."),
            *DROPPED,
        ),
    ),
    Table(
        "judged_score",
        "How one score of ROSCOE goes with one question that people were asked of the same chains.",
        (
            text("dataset", "Where the chains are from; total for all."),
            text("mode", "reference or sane."),
            text("score", "The score's name."),
            text("question", "overall, coherency, missing_steps or contradiction."),
            count("n", "Chains with both."),
            count("undefined", "Chains without a score or a judgement."),
            fraction("somers_d", "Somers' D of the score given the judgement (good is high), in [-1, 1].", True),
            fraction("p", "Its two-sided p value; null where D is.", nullable=True),
            text("why", "Why there is none, such as no model; null where there is one.", nullable=True),
            text("sentence_model", "What made the vectors."),
        ),
    ),
    Table(
        "drawn_share",
        "How often the replies of one evaluation hold a picture, and how good people find those pictures.",
        (
            _EVALUATION,
            text("scope", "total or task."),
            text("name", "Which task; total for the whole."),
            count("n", "Replies."),
            count("drawing", "Replies with at least one picture."),
            count("pictures", "Pictures in them."),
            fraction("share", "drawing / n, in [0, 1]; null when n is 0.", nullable=True),
            fraction("low", "Lower end of the Wilson interval of the share.", nullable=True),
            fraction("high", "Upper end of the Wilson interval of the share.", nullable=True),
            count("sampled", "Replies that were drawn for people to judge."),
            count("judged", "Of them those that anybody judged."),
            count("agreed", "Of them those whose score enough annotators agree on."),
            fraction("mean", "Mean of the agreed scores, 0 to 4; null when none.", nullable=True),
            Column("scores", pa.list_(SCORE_COUNT), "Replies by agreed score."),
        ),
    ),
)
