"""A topic as a table of Parquet files, exactly once by topic id and offset range.

The table records the offsets that it covers, and every batch writes only the others. No checkpoint is trusted.
"""
