"""Chronik as a data source of Apache Spark: topics read and written, archived, and asked by SQL.

Only this package imports pyspark, pyarrow and numpy, which come with the extra ``chronik[spark]``.
"""
