"""SQL over topics and archives."""

from chronik.spark.sql.query import SqlSources, query

__all__ = ["SqlSources", "query"]
