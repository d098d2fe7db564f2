"""Suites as Dagster asset checks: one run of Great Expectations a table, one check an expectation."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg

from assets import params
from expectations.common.suite import Suite
from orchestration import storage, verdicts


def docs_folder() -> Path:
    """Where Data Docs lie; index.html lists them."""
    return params.ROOT / "var" / "data_docs"


def asset_checks(suite: Suite) -> dg.AssetChecksDefinition:
    """The checks of one asset, of a partitioned one on the partition of the run; severity error blocks what follows.

    What they say of each partition's bytes is kept in `verdicts`: Dagster keeps the latest of the asset alone.
    """
    key = dg.AssetKey(suite.asset.split("/"))
    specs = [
        dg.AssetCheckSpec(
            check.name,
            asset=key,
            description=check.meaning,
            blocking=check.severity == "error",
        )
        for check in suite.checks
    ]

    @dg.multi_asset_check(name=f"{'_'.join(key.path)}_expectations", specs=specs)
    def checks(context: dg.AssetCheckExecutionContext) -> Iterator[dg.AssetCheckResult]:
        from expectations import docs, validation

        step = context.op_execution_context
        partition = step.partition_key if step.has_partition_key else None
        file = storage.table_file(key.path, partition)
        stage = "-".join(key.path) + (f"@{partition}" if partition else "")
        opened, md5 = storage.open_versioned(file)
        verdict = validation.validate(suite, storage.without_bytes(opened))
        failed = [result.name for result in verdict.results if not result.passed and result.severity == "error"]
        verdicts.record(stage, md5, failed)
        page = docs.write(docs_folder(), suite.asset, partition, verdict)
        # A browser follows no link from a page of the UI to a file, so `cotline ui` serves the folder.
        url = f"http://127.0.0.1:{params.load().running.docs_port}/{page.relative_to(docs_folder()).as_posix()}"
        for result in verdict.results:
            yield dg.AssetCheckResult(
                asset_key=key,
                check_name=result.name,
                passed=result.passed,
                severity=dg.AssetCheckSeverity.ERROR if result.severity == "error" else dg.AssetCheckSeverity.WARN,
                metadata={
                    "observed": dg.MetadataValue.json(result.observed),
                    "data_docs": dg.MetadataValue.url(url),
                    "data_docs_file": dg.MetadataValue.path(str(page)),
                    "data_version": md5,
                },
            )

    return checks
