"""Columns of a ledger as Arrow arrays that lie over numpy's memory.

``pa.array`` and ``pa.scalar`` load pandas at their first call where it is installed, which takes a second of a core: a
client that is only watched should not pay for that. Arrays that are made of buffers do not.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def array_of(values: Sequence[Any] | npt.NDArray[Any], kind: pa.DataType) -> pa.Array:
    """Make an array of integers, or of yes and no."""
    whole = np.ascontiguousarray(values, kind.to_pandas_dtype())
    buffer = np.packbits(whole, bitorder="little") if pa.types.is_boolean(kind) else whole
    return pa.Array.from_buffers(kind, len(whole), [None, pa.py_buffer(buffer)])


def texts(values: Sequence[str]) -> pa.Array:
    """Make an array of texts."""
    encoded = [value.encode() for value in values]
    ends = np.zeros(len(values) + 1, np.int32)
    np.cumsum([len(value) for value in encoded], out=ends[1:])
    return pa.Array.from_buffers(pa.string(), len(values), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))])


def empty_texts(count: int) -> pa.Array:
    """Make an array of texts without any letters."""
    return pa.Array.from_buffers(
        pa.string(), count, [None, pa.py_buffer(np.zeros(count + 1, np.int32)), pa.py_buffer(b"")]
    )
