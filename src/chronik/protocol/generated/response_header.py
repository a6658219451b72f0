"""ResponseHeader: header in versions 0 to 1.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import Message, Packing, new, skip_tags

P_i = Packing('>i').pack
P_ix = Packing('>ix').pack
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from


class ResponseHeader(Message):
 __slots__ = ('correlation_id', )
 api_key: ClassVar[int] = -1
 versions: ClassVar[range] = range(0, 2)
 first_flexible: ClassVar[int | None] = 1
 correlation_id: int
 def __init__(self, correlation_id: int = 0) -> None:
  self.correlation_id = correlation_id

def _decode_response_header_0(view, size):
 pos = 0
 o0 = new(ResponseHeader)
 o0.correlation_id, = U_i(view, pos)
 pos += 4
 return o0, pos
def _decode_response_header_1(view, size):
 pos = 0
 o0 = new(ResponseHeader)
 o0.correlation_id, t0 = U_iB(view, pos)
 pos += 5
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
ResponseHeader.decoders = {0: _decode_response_header_0, 1: _decode_response_header_1}

def _encode_response_header_0(m):
 out = []
 out.append(P_i(m.correlation_id))
 return [b''.join(out)]
def _encode_response_header_1(m):
 out = []
 out.append(P_ix(m.correlation_id))
 return [b''.join(out)]
ResponseHeader.encoders = {0: _encode_response_header_0, 1: _encode_response_header_1}
