"""A session of Spark that does jobs: `python -m benchmarks.spark_session`, one line of JSON in, one out.

It runs with the Spark that the jars of the Kafka source are for, which is not the one of the other tests.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, Final

import chronik.spark
from benchmarks.spark_jobs import JOBS, spark_cpu_seconds

MARK: Final = "answer "
"""Spark and its JVM may write to the same output."""

_ERROR_SHOWN: Final = 3000


def settings(jars: Path) -> dict[str, str]:
    """Give what the sources need, and otherwise what a session has that lives longer than a command's."""
    return {
        "spark.jars": ",".join(str(jar) for jar in sorted(jars.glob("*.jar"))),
        "spark.driver.extraJavaOptions": "-Dspark.is.default=true",
        "spark.driver.memory": "2g",
        "spark.sql.shuffle.partitions": "2",
    }


def main() -> None:
    """Do what is asked until there is nothing more."""
    spark = chronik.spark.session("local[2]", settings=settings(Path(os.environ["CHRONIK_SPARK_JARS"])))
    _say({"spark": spark.version})
    for line in sys.stdin:
        _say(_done(spark, json.loads(line)))


def _done(spark: Any, job: dict[str, Any]) -> dict[str, Any]:
    began, cpu_before = time.monotonic(), spark_cpu_seconds()
    try:
        answer = JOBS[job["do"]](spark, job)
    except Exception as error:  # noqa: BLE001 - whatever it is, the race goes on without this figure
        return {"error": f"{type(error).__name__}: {str(error)[:_ERROR_SHOWN]}"}
    seconds = time.monotonic() - began
    return {"seconds": seconds, "cpu_s": round(spark_cpu_seconds() - cpu_before, 2), "answer": answer}


def _say(answer: dict[str, Any]) -> None:
    print(MARK + json.dumps(answer, default=str), flush=True)


if __name__ == "__main__":
    main()
