"""Arrow arrays over numpy's memory, without pandas.

``pa.array`` and ``pa.scalar`` look for pandas at their first call and load it where it is installed, which takes a new
worker longer than reading a hundred thousand records. Arrays that are made of buffers do not.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

_TYPES: Final = {np.dtype(np.int32): pa.int32(), np.dtype(np.int64): pa.int64()}


def numbers(values: npt.NDArray[Any], is_null: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """Make an array of 32-bit or 64-bit integers."""
    whole = np.ascontiguousarray(values)
    valid = None if is_null is None else _bits(~is_null)
    return pa.Array.from_buffers(_TYPES[whole.dtype], len(whole), [valid, pa.py_buffer(whole)])


def booleans(values: npt.NDArray[np.bool_]) -> pa.Array:
    """Make an array of true and false."""
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, _bits(values)])


def texts(values: Sequence[str]) -> pa.Array:
    """Make an array of strings."""
    encoded = [value.encode() for value in values]
    ends = np.zeros(len(values) + 1, np.int32)
    np.cumsum([len(value) for value in encoded], out=ends[1:])
    return pa.Array.from_buffers(pa.string(), len(values), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))])


def repeated(text: str, count: int) -> pa.Array:
    """Make an array of one string many times."""
    encoded = text.encode()
    ends = np.arange(count + 1, dtype=np.int32) * np.int32(len(encoded))
    return pa.Array.from_buffers(pa.string(), count, [None, pa.py_buffer(ends), pa.py_buffer(encoded * count)])


def _bits(values: npt.NDArray[np.bool_]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(values, bitorder="little"))
