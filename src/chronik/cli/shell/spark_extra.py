"""Commands that need the extra ``chronik[spark]``: what is said where it is missing, and how its errors end them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click

from chronik.cli import exits
from chronik.cli.shell.settings_pairs import overrides_of
from chronik.client.kafka_settings import LIBRDKAFKA_NAMES
from chronik.client.settings import KNOWN

_BROUGHT: Final = frozenset({"pyspark", "py4j", "pyarrow", "numpy", "pandas", "deltalake"})

# What Spark says behind its message: for those who look after Spark.
_END: Final = re.compile(r"JVM stacktrace:|=== Streaming Query ===")


@contextmanager
def spark_failures() -> Iterator[None]:
    """Turn what the Spark part raises into a message and an exit code."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _BROUGHT:
            raise
        raise exits.Failure(
            f"this command needs {error.name}, which is not installed", "pip install 'chronik[spark]' brings it."
        ) from None
    except Exception as error:
        failure = _failure(error)
        if failure is None:
            raise
        raise failure from None


def _failure(error: Exception) -> exits.Failure | None:
    if isinstance(error, click.ClickException):
        return None
    from chronik.spark.archive.table import ArchiveError
    from chronik.spark.source.problems import ClusterUnreachableError, ReadError

    if isinstance(error, ArchiveError):
        return exits.Failure(error.what, error.advice)
    if isinstance(error, ClusterUnreachableError):
        return exits.Failure(str(error), code=exits.UNKNOWN)
    if type(error).__module__.startswith("pyspark.errors"):
        return exits.Failure(_END.split(str(error))[0].strip())
    return exits.Failure(str(error)) if isinstance(error, ReadError) else None


def client_pairs(timeout_ms: int | None = None) -> dict[str, str]:
    """Return the client settings of the running command by Kafka's names, as they are sent to tasks."""
    ctx = click.get_current_context()
    given = overrides_of(ctx, ctx.params.get("overrides", ()))
    named = {LIBRDKAFKA_NAMES.get(name, name): text for name, text in given.items()}
    times = {"default.api.timeout.ms": str(timeout_ms)} if timeout_ms else {}
    return {name: text for name, text in {**times, **named}.items() if name in KNOWN}


master_option = click.option(
    "--master", metavar="URL", help="Run on a Spark cluster (spark://HOST:PORT ...).  [default: local[*]]"
)
