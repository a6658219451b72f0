"""SaslAuthenticate: request in versions 0 to 2 and response in versions 0 to 2.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import U8, Message, Packing, beyond, new, null, skip_tags, varint, varint_rest

P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_hh = Packing('>hh').pack
P_i = Packing('>i').pack
P_q = Packing('>q').pack
P_qx = Packing('>qx').pack
U_hB = Packing('>hB').unpack_from
U_hh = Packing('>hh').unpack_from
U_i = Packing('>i').unpack_from
U_q = Packing('>q').unpack_from
U_qB = Packing('>qB').unpack_from


class SaslAuthenticateRequest(Message):
 __slots__ = ('auth_bytes', )
 api_key: ClassVar[int] = 36
 versions: ClassVar[range] = range(0, 3)
 first_flexible: ClassVar[int | None] = 2
 auth_bytes: bytes
 def __init__(self, auth_bytes: bytes = b'') -> None:
  self.auth_bytes = auth_bytes

def _decode_sasl_authenticate_request_0(view, size):
 pos = 0
 o0 = new(SaslAuthenticateRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('SaslAuthenticateRequest.auth_bytes')
 end = pos + n0
 if end > size: raise beyond('SaslAuthenticateRequest.auth_bytes')
 o0.auth_bytes = view[pos:end].tobytes()
 pos = end
 return o0, pos
def _decode_sasl_authenticate_request_2(view, size):
 pos = 0
 o0 = new(SaslAuthenticateRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('SaslAuthenticateRequest.auth_bytes')
 end = pos + n0 - 1
 if end > size: raise beyond('SaslAuthenticateRequest.auth_bytes')
 o0.auth_bytes = view[pos:end].tobytes()
 pos = end
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
SaslAuthenticateRequest.decoders = {0: _decode_sasl_authenticate_request_0, 1: _decode_sasl_authenticate_request_0, 2: _decode_sasl_authenticate_request_2}

def _encode_sasl_authenticate_request_0(m):
 out = []
 b0 = m.auth_bytes
 n0 = len(b0)
 out.append(P_i(n0))
 out.append(b0)
 return [b''.join(out)]
def _encode_sasl_authenticate_request_2(m):
 out = []
 b0 = m.auth_bytes
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 out.append(b'\x00')
 return [b''.join(out)]
SaslAuthenticateRequest.encoders = {0: _encode_sasl_authenticate_request_0, 1: _encode_sasl_authenticate_request_0, 2: _encode_sasl_authenticate_request_2}


class SaslAuthenticateResponse(Message):
 __slots__ = ('error_code', 'error_message', 'auth_bytes', 'session_lifetime_ms', )
 api_key: ClassVar[int] = 36
 versions: ClassVar[range] = range(0, 3)
 first_flexible: ClassVar[int | None] = 2
 error_code: int
 error_message: str | None
 auth_bytes: bytes
 session_lifetime_ms: int
 def __init__(self, error_code: int = 0, error_message: str | None = '', auth_bytes: bytes = b'', session_lifetime_ms: int = 0) -> None:
  self.error_code = error_code
  self.error_message = error_message
  self.auth_bytes = auth_bytes
  self.session_lifetime_ms = session_lifetime_ms

def _decode_sasl_authenticate_response_0(view, size):
 pos = 0
 o0 = new(SaslAuthenticateResponse)
 o0.error_code, n0 = U_hh(view, pos)
 pos += 4
 if n0 < 0: o0.error_message = None
 else:
  end = pos + n0
  if end > size: raise beyond('SaslAuthenticateResponse.error_message')
  o0.error_message = view[pos:end].tobytes().decode()
  pos = end
 n1, = U_i(view, pos)
 pos += 4
 if n1 < 0: raise null('SaslAuthenticateResponse.auth_bytes')
 end = pos + n1
 if end > size: raise beyond('SaslAuthenticateResponse.auth_bytes')
 o0.auth_bytes = view[pos:end].tobytes()
 pos = end
 o0.session_lifetime_ms = 0
 return o0, pos
def _decode_sasl_authenticate_response_1(view, size):
 pos = 0
 o0 = new(SaslAuthenticateResponse)
 o0.error_code, n0 = U_hh(view, pos)
 pos += 4
 if n0 < 0: o0.error_message = None
 else:
  end = pos + n0
  if end > size: raise beyond('SaslAuthenticateResponse.error_message')
  o0.error_message = view[pos:end].tobytes().decode()
  pos = end
 n1, = U_i(view, pos)
 pos += 4
 if n1 < 0: raise null('SaslAuthenticateResponse.auth_bytes')
 end = pos + n1
 if end > size: raise beyond('SaslAuthenticateResponse.auth_bytes')
 o0.auth_bytes = view[pos:end].tobytes()
 pos = end
 o0.session_lifetime_ms, = U_q(view, pos)
 pos += 8
 return o0, pos
def _decode_sasl_authenticate_response_2(view, size):
 pos = 0
 o0 = new(SaslAuthenticateResponse)
 o0.error_code, n0 = U_hB(view, pos)
 pos += 3
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.error_message = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('SaslAuthenticateResponse.error_message')
  o0.error_message = view[pos:end].tobytes().decode()
  pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('SaslAuthenticateResponse.auth_bytes')
 end = pos + n1 - 1
 if end > size: raise beyond('SaslAuthenticateResponse.auth_bytes')
 o0.auth_bytes = view[pos:end].tobytes()
 pos = end
 o0.session_lifetime_ms, t0 = U_qB(view, pos)
 pos += 9
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
SaslAuthenticateResponse.decoders = {0: _decode_sasl_authenticate_response_0, 1: _decode_sasl_authenticate_response_1, 2: _decode_sasl_authenticate_response_2}

def _encode_sasl_authenticate_response_0(m):
 out = []
 b0 = m.error_message
 if b0 is None:
  b0 = b''; n0 = -1
 else:
  b0 = b0.encode()
  n0 = len(b0)
 out.append(P_hh(m.error_code, n0))
 out.append(b0)
 b1 = m.auth_bytes
 n1 = len(b1)
 out.append(P_i(n1))
 out.append(b1)
 return [b''.join(out)]
def _encode_sasl_authenticate_response_1(m):
 out = []
 b0 = m.error_message
 if b0 is None:
  b0 = b''; n0 = -1
 else:
  b0 = b0.encode()
  n0 = len(b0)
 out.append(P_hh(m.error_code, n0))
 out.append(b0)
 b1 = m.auth_bytes
 n1 = len(b1)
 out.append(P_i(n1))
 out.append(b1)
 out.append(P_q(m.session_lifetime_ms))
 return [b''.join(out)]
def _encode_sasl_authenticate_response_2(m):
 out = []
 b0 = m.error_message
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(P_hB(m.error_code, n0) if n0 < 128 else P_h(m.error_code) + varint(n0))
 out.append(b0)
 b1 = m.auth_bytes
 n1 = len(b1) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 out.append(b1)
 out.append(P_qx(m.session_lifetime_ms))
 return [b''.join(out)]
SaslAuthenticateResponse.encoders = {0: _encode_sasl_authenticate_response_0, 1: _encode_sasl_authenticate_response_1, 2: _encode_sasl_authenticate_response_2}
