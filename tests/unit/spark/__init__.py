"""The pure parts of the Spark pipeline, without Spark or a broker."""
