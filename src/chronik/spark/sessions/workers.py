"""The Python that a local session's workers run: this one, and without Spark's zip file in front of its packages.

Spark puts a zip file of pyspark before everything else in the workers' path. What is imported from there is compiled
in every new process, which makes its start more than twice as long, and Spark waits only ten seconds for a stream's.
"""

import shlex
import sys
from hashlib import sha256
from pathlib import Path

from chronik.spark.sessions.shims import shim_directory, write_shim

_SCRIPT = """#!/bin/sh
rest=
IFS=:
for part in $PYTHONPATH; do
  case $part in
  */python/lib/pyspark.zip | */python/lib/py4j-*-src.zip) ;;
  *) rest=$rest${{rest:+:}}$part ;;
  esac
done
unset IFS
PYTHONPATH=$rest
export PYTHONPATH
exec {python} "$@"
"""


def worker_python(directory: Path | None = None) -> str:
    """Give a script that runs this Python as a worker."""
    name = f"python-{sha256(sys.executable.encode()).hexdigest()[:12]}"
    shim = (directory or shim_directory()) / name
    return str(write_shim(shim, _SCRIPT.format(python=shlex.quote(sys.executable))))
