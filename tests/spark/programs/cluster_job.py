"""A job for a Spark cluster: copy a topic to others, by a batch and by a stream, archive it, and say who has done it.

usage: cluster_job.py BOOTSTRAP SOURCE TARGET STREAM_TARGET ARCHIVE
"""

import json
import os
import sys
import tempfile
import time

from pyspark.sql import SparkSession

import chronik.spark
from chronik.spark.archive.delta_table import DeltaArchive
from chronik.spark.archive.driver import ArchiveRules
from chronik.spark.archive.running import start_archive
from chronik.spark.planning.slices import ReadRules

END_SECONDS_MAX = 120
bootstrap, source, target, stream_target, archive = sys.argv[1:6]
address = {"kafka.bootstrap.servers": bootstrap}

spark = SparkSession.builder.appName("copy").getOrCreate()
chronik.spark.register(spark)
context = spark.sparkContext
deadline = time.monotonic() + END_SECONDS_MAX
while len(context._jsc.sc().statusTracker().getExecutorInfos()) < 3:
    assert time.monotonic() < deadline, "the executors have not come"
    time.sleep(0.2)

workers = context.parallelize(range(8), 8).map(lambda _: (time.sleep(0.3), os.getcwd(), __import__("chronik").__file__))
rows = spark.read.format("chronik").options(**address, subscribe=source, minPartitions="4").load()
rows.select("key", "value").write.format("chronik").options(**address, topic=target).mode("append").save()

stream = spark.readStream.format("chronik").options(**address, subscribe=source, startingOffsets="earliest").load()
copied = stream.select("key", "value").writeStream.format("chronik").options(**address, topic=stream_target)
with tempfile.TemporaryDirectory() as state:
    query = copied.option("checkpointLocation", state).trigger(availableNow=True).start()
    assert query.awaitTermination(END_SECONDS_MAX), "the stream did not end"

with tempfile.TemporaryDirectory() as state:
    rules = ArchiveRules(ReadRules(bootstrap, include_headers=True))
    assert start_archive(spark, DeltaArchive(archive), source, rules, state).wait(END_SECONDS_MAX), "it did not end"

places = sorted({(directory, file) for _, directory, file in workers.collect()})
sys.stdout.write(json.dumps({"driver": chronik.__file__, "workers": places, "rows": rows.count()}) + "\n")
