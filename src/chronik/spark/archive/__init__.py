"""A topic kept as a table of Parquet files, exactly once by topic id and offset range.

The table says what it covers, and every batch is cut to what it does not cover yet. No checkpoint is believed.
"""
