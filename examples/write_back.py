"""Results written back: the large orders, with tax, as records of another topic, keyed by the customer.

The stream's sink writes at least once. With ``replayHeaders`` each record says which batch it is of, so that a reader
can leave out what a restart has written again.
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

large = orders.where("amount >= 50").withColumn("with_tax", f.round(f.col("amount") * 1.2, 2))
records = large.select(
    f.col("customer").cast("string").alias("key"), f.to_json(f.struct("id", "with_tax")).alias("value")
)

query = (
    records.writeStream.format("chronik")
    .option("kafka.bootstrap.servers", BOOTSTRAP)
    .option("topic", f"{TOPIC}-large")
    .option("replayHeaders", "true")
    .option("checkpointLocation", str(OUT / "write-back-state"))
    .trigger(availableNow=True)
    .start()
)
query.awaitTermination()
