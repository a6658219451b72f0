"""A notebook: a topic read, looked at, and plotted."""

# %% A session, and the topic as a data frame
import os
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
from pyspark.sql import functions as f

from chronik.spark import session

BOOTSTRAP = os.environ.get("CHRONIK_BOOTSTRAP", "127.0.0.1:9092")
TOPIC = os.environ.get("TOPIC", "orders")
OUT = Path(os.environ.get("OUT", "out"))

spark = session()
topic = spark.read.format("chronik").option("kafka.bootstrap.servers", BOOTSTRAP).option("subscribe", TOPIC).load()
topic.printSchema()

# %% How much there is, and where
topic.groupBy("partition").agg(f.count("*"), f.min("offset"), f.max("offset"), f.max("timestamp")).show()

# %% The values are JSON
FIELDS = "id bigint, customer bigint, amount double, ordered_at timestamp"
orders = topic.select("partition", "offset", f.from_json(f.col("value").cast("string"), FIELDS).alias("order")).select(
    "partition", "offset", "order.*"
)
orders.show(5)

# %% What each customer spent in each hour
by_hour = (
    orders.groupBy(f.window("ordered_at", "1 hour").start.alias("hour"), "customer")
    .agg(f.sum("amount").alias("spent"))
    .orderBy("hour")
    .toPandas()
    .pivot_table(index="hour", columns="customer", values="spent", aggfunc="sum")
)

# %% Plotted; without a screen it is only saved
if not os.environ.get("DISPLAY"):
    matplotlib.use("Agg")
figure, axes = plt.subplots(figsize=(9, 4), layout="constrained")
axes.stackplot(by_hour.index.to_numpy(), by_hour.fillna(0).to_numpy().T, labels=by_hour.columns)
axes.set(title=f"Spent per hour, topic {TOPIC}", xlabel="", ylabel="amount")
axes.legend(title="customer", ncols=2)
OUT.mkdir(parents=True, exist_ok=True)
figure.savefig(OUT / "orders.png")
plt.close(figure)
