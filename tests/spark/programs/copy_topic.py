"""A stream from a topic to files that goes on until it is killed; it says when a micro-batch is done.

usage: copy_topic.py BOOTSTRAP TOPIC DIRECTORY
"""

import os
import sys
import time

import chronik.spark

bootstrap, topic, directory = sys.argv[1:4]


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


spark = chronik.spark.session("local[2]", settings={"spark.sql.shuffle.partitions": "1"})
say(f"java {os.environ.get('JAVA_HOME')}")
chronik.spark.report_progress(spark, lambda progress: say(f"batch {progress.batch_id}"))
stream = (
    spark.readStream.format("chronik")
    .option("kafka.bootstrap.servers", bootstrap)
    .option("subscribe", topic)
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", "3000")
    .load()
)
writer = stream.writeStream.format("parquet").option("checkpointLocation", f"{directory}/state")
query = writer.start(f"{directory}/out")
while query.isActive:
    time.sleep(0.1)
raise SystemExit(str(query.exception()))
