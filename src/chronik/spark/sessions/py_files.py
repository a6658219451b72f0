"""Chronik that came with a job (``--py-files``): Python processes of the driver must find it as those of executors do.

Spark adds what came with a job to the path of tasks and of a batch's planner, and forgets the process in which a stream
is planned. What is in the environment of a session's functions reaches all of them.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import chronik

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PATH: Final = "PYTHONPATH"


def share_py_files_with_streams(spark: "SparkSession") -> None:
    """Let every Python process of this session look where Chronik was found, if that is a file that came along."""
    from pyspark.sql.utils import is_remote

    found = Path(chronik.__file__).parent.parent
    if found.is_file() and not is_remote():
        environment = spark.sparkContext.environment
        environment[_PATH] = with_path(environment.get(_PATH, ""), str(found))


def with_path(paths: str, path: str) -> str:
    """Add a path behind others, unless it is one of them."""
    known = [one for one in paths.split(os.pathsep) if one]
    return os.pathsep.join(known if path in known else [*known, path])
