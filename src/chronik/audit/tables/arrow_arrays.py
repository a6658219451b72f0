"""Arrow arrays over numpy's memory, without pandas.

``pa.array`` and ``pa.scalar`` load pandas at their first call where it is installed. That takes a new Spark worker
longer than reading a hundred thousand records, and a client with a ledger a second of a core. Arrays that are made of
buffers do not load it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def numbers(values: npt.NDArray[Any], is_null: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """Make an array of integers of the values' own type."""
    whole = np.ascontiguousarray(values)
    valid = None if is_null is None else _bits(~is_null)
    return pa.Array.from_buffers(pa.from_numpy_dtype(whole.dtype), len(whole), [valid, pa.py_buffer(whole)])


def booleans(values: npt.NDArray[np.bool_]) -> pa.Array:
    """Make an array of true and false."""
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, _bits(values)])


def array_of(values: Sequence[Any] | npt.NDArray[Any], kind: pa.DataType) -> pa.Array:
    """Make an array of integers or booleans of a wanted type."""
    whole = np.asarray(values, kind.to_pandas_dtype())
    return booleans(whole) if pa.types.is_boolean(kind) else numbers(whole)


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


def same_text(text: str, count: int) -> pa.DictionaryArray:
    """Make a dictionary array of one string many times."""
    return pa.DictionaryArray.from_arrays(numbers(np.zeros(count, np.int32)), texts([text]))


def column_of(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Make an array of any type; only integers, booleans and strings do without pandas."""
    if pa.types.is_dictionary(kind):
        return texts(values).dictionary_encode().cast(kind)
    if pa.types.is_string(kind):
        return texts(values)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return array_of(values, kind)
    return pa.array(values, kind)


def _bits(values: npt.NDArray[np.bool_]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(values, bitorder="little"))
