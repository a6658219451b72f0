"""Every example runs, on a small topic, and does what it says."""

import json
import runpy
from pathlib import Path

import matplotlib
import pytest
from pyspark.sql import SparkSession

from tests.spark.topics import Topics

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
COUNT = 150


@pytest.fixture
def example(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> "Example":
    matplotlib.use("Agg")
    for name, value in (
        ("CHRONIK_BOOTSTRAP", topics.bootstrap), ("TOPIC", topic_name), ("OUT", str(tmp_path)), ("COUNT", str(COUNT)),
    ):  # fmt: skip
        monkeypatch.setenv(name, value)
    topics.create(topic_name, 2)
    return Example(spark, topics, topic_name, tmp_path)


class Example:
    """The examples, run one after the other in the tests' own session."""

    def __init__(self, spark: SparkSession, topics: Topics, topic: str, out: Path) -> None:
        self.spark, self.topics, self.topic, self.out = spark, topics, topic, out
        self.run("make_orders")

    def run(self, name: str) -> dict[str, object]:
        return runpy.run_path(str(EXAMPLES / f"{name}.py"))

    def orders(self) -> list[dict[str, object]]:
        return [json.loads(row.value) for row in self.topics.rows(self.spark, self.topic)]


def test_every_example_has_a_test_and_a_line_in_the_list() -> None:
    names = {path.stem for path in EXAMPLES.glob("*.py")}
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    own = Path(__file__).read_text(encoding="utf-8")
    assert {name for name in names if f"examples/{name}.py" not in page or f'run("{name}")' not in own} == set()


def test_the_notebook_reads_and_plots(example: Example) -> None:
    assert sorted(int(str(order["id"])) for order in example.orders()) == list(range(COUNT))
    example.run("orders_notebook")
    assert (example.out / "orders.png").read_bytes().startswith(b"\x89PNG")


def test_the_stream_counts_in_windows_and_keeps_those_back_that_may_still_change(example: Example) -> None:
    example.run("windowed_stream")
    rows = example.spark.read.parquet(str(example.out / "windowed")).collect()
    assert sorted(row.orders for row in rows) == [60]
    assert str(rows[0].hour) == "2026-01-01 00:00:00"


def test_a_topic_and_its_archive_are_the_same_and_together_have_everything_once(example: Example) -> None:
    names = example.run("topic_and_archive")
    everything = names["everything"]
    places = [(row.partition, row.offset) for row in everything.collect()]  # type: ignore[attr-defined]
    assert sorted(places) == sorted(
        (row.partition, row.offset) for row in example.topics.rows(example.spark, example.topic)
    )
    both = names["both"].where("t.key <=> a.key and t.value <=> a.value").count()  # type: ignore[attr-defined]
    assert both == COUNT


def test_results_are_written_back(example: Example) -> None:
    example.topics.create(f"{example.topic}-large")
    example.run("write_back")
    told = [json.loads(row.value) for row in example.topics.rows(example.spark, f"{example.topic}-large")]
    large = {
        order["id"]: float(str(order["amount"])) for order in example.orders() if float(str(order["amount"])) >= 50
    }
    assert 0 < len(large) < COUNT
    assert sorted(line["id"] for line in told) == sorted(large)
    assert {line["id"]: line["with_tax"] for line in told} == pytest.approx(
        {number: amount * 1.2 for number, amount in large.items()}, abs=0.01
    )
