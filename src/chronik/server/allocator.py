"""How the C library keeps freed memory: a broker takes and frees buffers of a megabyte thousands of times a second.

By default each of them is given back to the kernel and faulted in again page by page, which costs more than reading it.
"""

import ctypes
import logging
from typing import Final

log = logging.getLogger(__name__)

_M_TRIM_THRESHOLD: Final = -1
_M_TOP_PAD: Final = -2
_M_MMAP_THRESHOLD: Final = -3
KEPT_BYTES: Final = 32 * 1024 * 1024
"""What may stay at the end of the heap, and the size from which on a buffer is the kernel's business."""
GROWTH_BYTES: Final = 4 * 1024 * 1024


def keep_freed_memory() -> None:
    """Let freed buffers be used again without the kernel; elsewhere than on glibc nothing changes."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        log.debug("this C library has no mallopt: it keeps memory as it likes")
        return
    mallopt(_M_TRIM_THRESHOLD, KEPT_BYTES)
    mallopt(_M_TOP_PAD, GROWTH_BYTES)
    mallopt(_M_MMAP_THRESHOLD, KEPT_BYTES)
