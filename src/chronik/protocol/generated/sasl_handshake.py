"""SaslHandshake: request in versions 0 to 1 and response in versions 0 to 1.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, Message, Packing, beyond, new, null

P_h = Packing('>h').pack
P_hi = Packing('>hi').pack
U_h = Packing('>h').unpack_from
U_hi = Packing('>hi').unpack_from


class SaslHandshakeRequest(Message):
 __slots__ = ('mechanism', )
 api_key: ClassVar[int] = 17
 versions: ClassVar[range] = range(0, 2)
 first_flexible: ClassVar[int | None] = None
 mechanism: str
 def __init__(self, mechanism: str = '') -> None:
  self.mechanism = mechanism

def _decode_sasl_handshake_request_0(view, size):
 pos = 0
 o0 = new(SaslHandshakeRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('SaslHandshakeRequest.mechanism')
 end = pos + n0
 if end > size: raise beyond('SaslHandshakeRequest.mechanism')
 o0.mechanism = view[pos:end].tobytes().decode()
 pos = end
 return o0, pos
SaslHandshakeRequest.decoders = {0: _decode_sasl_handshake_request_0, 1: _decode_sasl_handshake_request_0}

def _encode_sasl_handshake_request_0(m):
 out = []
 b0 = m.mechanism.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 return [b''.join(out)]
SaslHandshakeRequest.encoders = {0: _encode_sasl_handshake_request_0, 1: _encode_sasl_handshake_request_0}


class SaslHandshakeResponse(Message):
 __slots__ = ('error_code', 'mechanisms', )
 api_key: ClassVar[int] = 17
 versions: ClassVar[range] = range(0, 2)
 first_flexible: ClassVar[int | None] = None
 error_code: int
 mechanisms: list[str]
 def __init__(self, error_code: int = 0, mechanisms: list[str] = FRESH) -> None:
  self.error_code = error_code
  self.mechanisms = [] if mechanisms is FRESH else mechanisms

def _decode_sasl_handshake_response_0(view, size):
 pos = 0
 o0 = new(SaslHandshakeResponse)
 o0.error_code, n0 = U_hi(view, pos)
 pos += 6
 if n0 < 0: raise null('SaslHandshakeResponse.mechanisms')
 if n0 * 2 > size - pos: raise beyond('SaslHandshakeResponse.mechanisms')
 a0 = []
 for _ in range(n0):
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('SaslHandshakeResponse.mechanisms')
  end = pos + n1
  if end > size: raise beyond('SaslHandshakeResponse.mechanisms')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.mechanisms = a0
 return o0, pos
SaslHandshakeResponse.decoders = {0: _decode_sasl_handshake_response_0, 1: _decode_sasl_handshake_response_0}

def _encode_sasl_handshake_response_0(m):
 out = []
 a0 = m.mechanisms
 n0 = len(a0)
 out.append(P_hi(m.error_code, n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0)
  out.append(P_h(n1))
  out.append(m0)
 return [b''.join(out)]
SaslHandshakeResponse.encoders = {0: _encode_sasl_handshake_response_0, 1: _encode_sasl_handshake_response_0}
