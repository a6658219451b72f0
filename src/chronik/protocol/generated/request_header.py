"""RequestHeader: header in versions 1 to 2.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import Message, Packing, beyond, new, skip_tags

P_hhih = Packing('>hhih').pack
U_hhih = Packing('>hhih').unpack_from


class RequestHeader(Message):
 __slots__ = ('request_api_key', 'request_api_version', 'correlation_id', 'client_id', )
 api_key: ClassVar[int] = -1
 versions: ClassVar[range] = range(1, 3)
 first_flexible: ClassVar[int | None] = 2
 request_api_key: int
 request_api_version: int
 correlation_id: int
 client_id: str | None
 def __init__(self, request_api_key: int = 0, request_api_version: int = 0, correlation_id: int = 0, client_id: str | None = '') -> None:
  self.request_api_key = request_api_key
  self.request_api_version = request_api_version
  self.correlation_id = correlation_id
  self.client_id = client_id

def _decode_request_header_1(view, size):
 pos = 0
 o0 = new(RequestHeader)
 o0.request_api_key, o0.request_api_version, o0.correlation_id, n0 = U_hhih(view, pos)
 pos += 10
 if n0 < 0: o0.client_id = None
 else:
  end = pos + n0
  if end > size: raise beyond('RequestHeader.client_id')
  o0.client_id = view[pos:end].tobytes().decode()
  pos = end
 return o0, pos
def _decode_request_header_2(view, size):
 pos = 0
 o0 = new(RequestHeader)
 o0.request_api_key, o0.request_api_version, o0.correlation_id, n0 = U_hhih(view, pos)
 pos += 10
 if n0 < 0: o0.client_id = None
 else:
  end = pos + n0
  if end > size: raise beyond('RequestHeader.client_id')
  o0.client_id = view[pos:end].tobytes().decode()
  pos = end
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
RequestHeader.decoders = {1: _decode_request_header_1, 2: _decode_request_header_2}

def _encode_request_header_1(m):
 out = []
 b0 = m.client_id
 if b0 is None:
  b0 = b''; n0 = -1
 else:
  b0 = b0.encode()
  n0 = len(b0)
 out.append(P_hhih(m.request_api_key, m.request_api_version, m.correlation_id, n0))
 out.append(b0)
 return [b''.join(out)]
def _encode_request_header_2(m):
 out = []
 b0 = m.client_id
 if b0 is None:
  b0 = b''; n0 = -1
 else:
  b0 = b0.encode()
  n0 = len(b0)
 out.append(P_hhih(m.request_api_key, m.request_api_version, m.correlation_id, n0))
 out.append(b0)
 out.append(b'\x00')
 return [b''.join(out)]
RequestHeader.encoders = {1: _encode_request_header_1, 2: _encode_request_header_2}
