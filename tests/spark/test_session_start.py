"""A session that starts in the background is quiet, serves its page, and is the session of the whole process.

Quiet also where a task ends before it has sent all its rows.
"""

import subprocess
import sys

import pytest

PROGRAM = """
import urllib.request
import chronik.spark
from chronik.spark.sessions.background import describe_session, start_in_background

started = start_in_background("local[2]")
spark = started.result()
assert chronik.spark.session() is spark
spark.range(5_000_000).mapInArrow(lambda batches: batches, "id long").limit(3).collect()
print(describe_session(spark))
print(urllib.request.urlopen(spark.sparkContext.uiWebUrl).status)
"""


@pytest.mark.xdist_group("spark cluster")
def test_a_session_of_the_background_is_quiet_and_serves_its_page() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=200)
    assert (done.returncode, done.stderr) == (0, "")
    described, status = done.stdout.splitlines()
    assert described.startswith("Spark 4.")
    assert "on local[2], page at http://127.0.0.1:" in described
    assert status == "200"
