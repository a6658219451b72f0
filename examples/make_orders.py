"""Fills a topic with orders, through the sink: JSON values, customers as keys, a minute between two orders."""

import os

from pyspark.sql import functions as f

from chronik.spark import session

BOOTSTRAP = os.environ.get("CHRONIK_BOOTSTRAP", "127.0.0.1:9092")
TOPIC = os.environ.get("TOPIC", "orders")
COUNT = int(os.environ.get("COUNT", "1000"))

spark = session()

orders = spark.range(COUNT).select(
    f.concat(f.lit("customer-"), f.col("id") % 7).alias("key"),
    f.to_json(
        f.struct(
            f.col("id"),
            (f.col("id") % 7).alias("customer"),
            f.round(5 + (f.col("id") * 37 % 200) / 4, 2).alias("amount"),
            f.timestamp_seconds(1_767_225_600 + f.col("id") * 60).alias("ordered_at"),
        )
    ).alias("value"),
)

orders.write.format("chronik").option("kafka.bootstrap.servers", BOOTSTRAP).option("topic", TOPIC).mode("append").save()
