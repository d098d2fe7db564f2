"""The policies by name."""

from assets.models.policies import chameleon, hugginggpt, idealgpt, visualchatgpt
from assets.models.policies.policy import Policy

KNOWN: dict[str, Policy] = {
    "chameleon": chameleon.run,
    "hugginggpt": hugginggpt.run,
    "visualchatgpt": visualchatgpt.run,
    "idealgpt": idealgpt.run,
}

VERSION = "policies-2"
"""Of their prompts and rules: another one asks everything anew."""
