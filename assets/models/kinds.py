"""The model that an entry of `models` in params.yaml names, of the kinds that are asked without a training here."""

from collections.abc import Mapping

from assets.models.model import Model, ModelError
from assets.settings_evaluation import Baseline as BaselineSettings
from assets.settings_evaluation import Model as Settings
from assets.settings_evaluation import OpenAI as OpenAISettings
from assets.settings_evaluation import Sampling
from assets.settings_evaluation import Text as TextSettings
from assets.settings_evaluation import Transformers as TransformersSettings


def of(name: str, settings: Settings, sampling: Sampling, letter: str | None = None) -> Model:
    """The model, which has loaded nothing yet and asked nobody.

    Args:
        name: its name in params.yaml.
        settings: what that says of it.
        sampling: of the evaluation that asks it.
        letter: the train split's most frequent label, for the baseline that always gives it.

    Raises:
        ModelError: its kind is not asked here.
    """
    match settings:
        case BaselineSettings():
            from assets.models.baseline import Baseline

            return Baseline(name, settings.answers, settings.seed, letter)
        case TransformersSettings():
            from assets.models.transformers_chat import TransformersChat

            return TransformersChat(
                name,
                model=settings.model,
                revision=settings.revision,
                device=settings.device,
                dtype=settings.dtype,
                batch=settings.batch,
                answer=settings.answer,
                pixels=settings.pixels,
                **sampling.model_dump(),
            )
        case TextSettings():
            from assets.models.transformers_text import TransformersText

            return TransformersText(
                name,
                model=settings.model,
                revision=settings.revision,
                device=settings.device,
                dtype=settings.dtype,
                batch=settings.batch,
                **sampling.model_dump(),
            )
        case OpenAISettings():
            from assets.models.openai_chat import OpenAIChat

            return OpenAIChat(
                name,
                model=settings.model,
                base_url=settings.base_url,
                key_variables=settings.key_variables,
                timeout_s=settings.timeout_s,
                concurrency=settings.concurrency,
                retries=settings.retries,
                draws=settings.draws,
                **sampling.model_dump(),
            )
    raise ModelError(f"models.{name}.kind: {settings.kind} is not asked: its replies come in otherwise")


def named(models: Mapping[str, Settings], sampling: Sampling, name: str) -> Model:
    """The model called `name` among those of params.yaml, for another one that asks it.

    Raises:
        ModelError: its kind is not asked here.
    """
    return of(name, models[name], sampling)
