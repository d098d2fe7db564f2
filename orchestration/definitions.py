"""The one Definitions: every asset, check, job, schedule and sensor."""

import functools

import dagster as dg

from assets import params
from assets.analysis import defs as analysis
from assets.analysis.audit import defs as audit
from assets.analysis.curves import defs as curves
from assets.analysis.drawn import defs as drawn
from assets.analysis.pictures import defs as alignment
from assets.analysis.quality import defs as quality
from assets.analysis.rationales import defs as rationales
from assets.analysis.systems import defs as systems
from assets.asset import Wiring
from assets.comt import defs as comt
from assets.comt.account import defs as comt_account
from assets.evaluation import defs as evaluation
from assets.m3cot import defs as m3cot
from assets.m3cot.account import defs as m3cot_account
from assets.nightly import defs as nightly
from assets.sources import defs as sources
from assets.sources.comt import defs as comt_sources
from assets.sources.judged import defs as judged_sources
from assets.sources.pictures import defs as picture_sources
from assets.training import defs as training
from expectations.suites import suite_of
from orchestration import code
from orchestration import graph as graphs
from orchestration.checks import asset_checks
from orchestration.inputs import observe_inputs
from orchestration.io_manager import Tables
from orchestration.nights import Nights
from orchestration.record import record_runs
from orchestration.schedules import every_night, nightly_job
from orchestration.sensors import track_runs


def _versioned(spec: dg.AssetSpec) -> dg.AssetSpec:
    # A partition's settings cannot be in a version that all partitions share: they are an input of their own.
    wiring = Wiring.of(spec.metadata)
    version = code.code_digest(wiring.steps, spec.key.path[0])
    if spec.partitions_def is None and wiring.params:
        version += params.digest(*wiring.params)
    return spec.replace_attributes(code_version=version)


def _inputs(made: list[dg.AssetsDefinition]) -> list[dg.AssetSpec]:
    return [
        dg.AssetSpec(
            key,
            group_name="inputs",
            description=f"What {asset.key.to_user_string()} reads from outside: the files and settings that "
            "params.yaml names. Its data version stands for their bytes.",
            partitions_def=asset.partitions_def,
            kinds={"yaml"},
            owners=["team:benchmarks"],
        )
        for asset in made
        for key in sorted(asset.dependency_keys, key=lambda key: tuple(key.path))
        if key.path[0] == "inputs"
    ]


GROUPS = (
    *(sources, comt_sources, judged_sources, picture_sources),
    *(m3cot, m3cot_account, comt, comt_account, training, evaluation),
    *(analysis, curves, audit, rationales, alignment, quality, drawn, systems),
)
"""The chains, in the order in which data flows through them."""

_made = [
    dg.map_asset_specs(_versioned, [asset])[0]
    for asset in dg.load_assets_from_modules(GROUPS)
    if isinstance(asset, dg.AssetsDefinition)
]
_checks = [asset_checks(suite_of(asset.key.to_user_string())) for asset in _made]

defs = dg.Definitions(
    assets=[*_made, *_inputs(_made), *dg.load_assets_from_modules([nightly])],
    asset_checks=_checks,
    resources={"io_manager": Tables(), "nights": Nights()},
    executor=dg.in_process_executor,
    jobs=[nightly_job],
    schedules=[every_night],
    sensors=[observe_inputs, record_runs, track_runs],
)


@functools.cache
def graph() -> graphs.Graph:
    """The assets that are made here, as both engines see them."""
    return graphs.of(defs)


def ready() -> None:
    """Work out what every stage of a process that stays warm would work out anew: a third of a second."""
    from orchestration import projection

    defs.resolve_implicit_global_asset_job_def().get_job_snapshot_id()
    projection.text(graph())
