"""Where a model runs: in this process, or, as the same class, in several workers on one or more machines.

Of `running` in params.yaml, `executor: local` is the first and `executor: ray` the second.
"""

from collections.abc import Callable

from assets.models.model import Model


def local(model: Model) -> Model:
    """The model itself."""
    return model


def ray(
    build: Callable[[], Model], workers: int, batch: int = 16, *, gpus: float = 0.0, address: str | None = None
) -> Model:
    """The model in `workers` processes of Ray, a copy in each: what `assets.models.ray_executor.RayModel` does.

    Args:
        build: makes the model, which has loaded nothing yet; it can be pickled.
        workers: how many.
        batch: how many dialogues a worker takes at once.
        gpus: of each worker, a fraction where several share one.
        address: of a Ray that runs on several machines, host:port; None starts one on this machine.

    Raises:
        ModelError: Ray is not installed.
    """
    from assets.models.ray_executor import RayModel

    return RayModel(build, workers, batch, gpus=gpus, address=address)
