"""A job for a Spark cluster: copy a topic to another, and say who has done it.

usage: cluster_job.py BOOTSTRAP SOURCE TARGET
"""

import json
import os
import sys
import time

from pyspark.sql import SparkSession

import chronik.spark

END_SECONDS_MAX = 120
bootstrap, source, target = sys.argv[1:4]
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

places = sorted({(directory, file) for _, directory, file in workers.collect()})
sys.stdout.write(json.dumps({"driver": chronik.__file__, "workers": places, "rows": rows.count()}) + "\n")
