"""The suite of each asset, by its name."""

from expectations.common.suite import Suite


def suite_of(asset: str) -> Suite:
    """What must hold of the table of `asset`, named as `group/name`; imports its group's module only.

    Raises:
        LookupError: no suite is written for the asset.
    """
    suites: dict[str, Suite] = {}
    match asset.partition("/")[0]:
        case "sources":
            from expectations import sources

            suites = sources.SUITES
        case "m3cot":
            from expectations import m3cot

            suites = m3cot.SUITES
        case "comt":
            from expectations import comt

            suites = comt.SUITES
        case "evaluation":
            from expectations import evaluation

            suites = evaluation.SUITES
        case "training":
            from expectations import training

            suites = training.SUITES
        case "analysis":
            from expectations import analysis

            suites = analysis.SUITES
    if asset not in suites:
        raise LookupError(f"{asset}: no suite is written for it: add one to expectations/ under its group")
    return suites[asset]
