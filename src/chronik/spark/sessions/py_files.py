"""Chronik from a job's ``--py-files``, for the Python process that plans a stream.

Spark adds py-files to the path of tasks and of a batch's planner, but not of a stream's planner. The environment of the
session's functions reaches all of them.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import chronik

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PATH: Final = "PYTHONPATH"


def share_py_files_with_streams(spark: "SparkSession") -> None:
    """Add Chronik's file to the path of every Python process of this session, if it came as a py-file."""
    from pyspark.sql.utils import is_remote

    found = Path(chronik.__file__).parent.parent
    if found.is_file() and not is_remote():
        environment = spark.sparkContext.environment
        environment[_PATH] = with_path(environment.get(_PATH, ""), str(found))


def with_path(paths: str, path: str) -> str:
    """Append a path, unless it is there."""
    known = [one for one in paths.split(os.pathsep) if one]
    return os.pathsep.join(known if path in known else [*known, path])
