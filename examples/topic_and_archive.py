"""A topic and its archive: what is old comes from the table, what is new from the topic, and nothing twice."""

import os
import tempfile
from pathlib import Path

from pyspark.sql import functions as f

from chronik.spark import session
from chronik.spark.archive.delta_table import DeltaArchive
from chronik.spark.archive.driver import ArchiveRules
from chronik.spark.archive.frames import archive_frame
from chronik.spark.archive.running import start_archive
from chronik.spark.planning.slices import ReadRules

BOOTSTRAP = os.environ.get("CHRONIK_BOOTSTRAP", "127.0.0.1:9092")
TOPIC = os.environ.get("TOPIC", "orders")
OUT = Path(os.environ.get("OUT", "out"))

spark = session()

# The same as: chronik archive --topic orders --to out/orders
archive = DeltaArchive(str(OUT / TOPIC))
rules = ArchiveRules(ReadRules(BOOTSTRAP, include_headers=True, read_committed=True))
with tempfile.TemporaryDirectory() as checkpoint:
    start_archive(spark, archive, TOPIC, rules, checkpoint).wait()

topic = spark.read.format("chronik").option("kafka.bootstrap.servers", BOOTSTRAP).option("subscribe", TOPIC).load()
archived = archive_frame(spark, archive)

# What came since: each partition has it behind the last offset that is archived, and only that is read.
last = archived.groupBy("partition").agg(f.max("offset").alias("offset")).collect()
is_new = " or ".join(f"(partition = {row.partition} and offset > {row.offset})" for row in last)
columns = ["partition", "offset", "timestamp", "key", "value"]
everything = archived.select(columns).unionByName(topic.where(is_new or "true").select(columns))

# Each record of the topic beside its archived copy: all of them have one, and it is the same.
both = topic.alias("t").join(archived.alias("a"), ["partition", "offset"])
both.selectExpr("count(*) records", "count_if(t.key <=> a.key and t.value <=> a.value) equal").show()
everything.groupBy("partition").count().orderBy("partition").show()
