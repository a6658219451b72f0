"""``--engine``: which engine judges. Spark where it is installed, otherwise the engine that needs nothing more."""

import importlib.util
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import click

from chronik.cli.shell.spark_extra import master_option

if TYPE_CHECKING:
    from pathlib import Path

    from chronik.audit.judge.balance.splits import LogSplits
    from chronik.audit.judge.results import AuditResults
    from chronik.spark.audit.engine import SparkEngine

EngineName = Literal["auto", "local", "spark", "none"]


def engine_options(*more: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --engine, --master and --verbose; ``chosen_engine`` makes an engine of them."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        command = click.option("--verbose", is_flag=True, help="Show what Spark writes when it starts.")(command)
        return click.option(
            "--engine",
            type=click.Choice(["auto", "local", "spark", *more]),
            default="auto",
            show_default=True,
            help="What judges. auto: Spark if it is installed, otherwise local.",
        )(master_option(command))

    return add


class ChosenEngine:
    """The engine of a command. Spark starts at once, so that it is there when the run is recorded."""

    def __init__(self, name: EngineName, master: str | None = None, *, is_verbose: bool = False) -> None:
        self._is_auto = name == "auto"
        self._spark: SparkEngine | None = None
        self._is_named = False
        is_installed = importlib.util.find_spec("pyspark") is not None
        if name == "spark" or (self._is_auto and is_installed):
            self._spark = _spark_engine(master, is_verbose=is_verbose)
        elif self._is_auto:
            _say_local("Spark is not installed; pip install 'chronik[spark]' brings it")

    @property
    def spark(self) -> "SparkEngine | None":
        """Spark's engine, once its session has started; None if the local engine judges."""
        if self._spark is not None:
            try:
                _ = self._spark.spark
            except Exception as error:
                if not self._is_auto:
                    raise
                _say_local(f"Spark does not start: {str(error).partition(chr(10))[0]}")
                self._spark = None
        return self._spark

    def __call__(self, run_dir: "Path", *, strict: bool = False, log: "LogSplits | None" = None) -> "AuditResults":
        """Judge a recorded run."""
        from chronik.audit.judge.engine import audit

        engine = self.spark
        if engine is None:
            return audit(run_dir, strict=strict, log=log)
        results = engine(run_dir, strict=strict, log=log)
        if not self._is_named:
            click.echo(f"judged by {engine}", err=True)
            self._is_named = True
        return results


def _spark_engine(master: str | None, *, is_verbose: bool) -> "SparkEngine":
    from chronik.spark.audit.engine import SparkEngine

    return SparkEngine(master, is_verbose=is_verbose)


def _say_local(reason: str) -> None:
    click.echo(f"judged by the local engine: {reason}", err=True)
