"""A stream counted in windows of event time: late orders are waited for, as long as the watermark says.

It reads what is there and ends; with ``processingTime`` instead of ``availableNow`` it would go on. A window is written
once the watermark has passed its end, so that the last ones wait for orders that come later.
"""

import os
from pathlib import Path

from pyspark.sql import functions as f

from chronik.spark import session

BOOTSTRAP = os.environ.get("CHRONIK_BOOTSTRAP", "127.0.0.1:9092")
TOPIC = os.environ.get("TOPIC", "orders")
OUT = Path(os.environ.get("OUT", "out"))
FIELDS = "id bigint, customer bigint, amount double, ordered_at timestamp"

spark = session()

orders = (
    spark.readStream.format("chronik")
    .option("kafka.bootstrap.servers", BOOTSTRAP)
    .option("subscribe", TOPIC)
    .option("startingOffsets", "earliest")
    .load()
    .select(f.from_json(f.col("value").cast("string"), FIELDS).alias("order"))
    .select("order.*")
)

by_hour = (
    orders.withWatermark("ordered_at", "30 minutes")
    .groupBy(f.window("ordered_at", "1 hour"))
    .agg(f.count("*").alias("orders"), f.sum("amount").alias("spent"))
    .select(f.col("window.start").alias("hour"), "orders", "spent")
)

query = (
    by_hour.writeStream.format("parquet")
    .option("checkpointLocation", str(OUT / "windowed-state"))
    .trigger(availableNow=True)
    .start(str(OUT / "windowed"))
)
query.awaitTermination()

spark.read.parquet(str(OUT / "windowed")).orderBy("hour").show()
