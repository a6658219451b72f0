"""Record batches decoded to Arrow columns, without a Python object per record."""
