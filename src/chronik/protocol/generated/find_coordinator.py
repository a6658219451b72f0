"""FindCoordinator: request in versions 0 to 6 and response in versions 0 to 6.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, unsupported, varint, varint_rest

P_b = Packing('>b').pack
P_bB = Packing('>bB').pack
P_bx = Packing('>bx').pack
P_h = Packing('>h').pack
P_hih = Packing('>hih').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
P_ihh = Packing('>ihh').pack
P_ix = Packing('>ix').pack
U_b = Packing('>b').unpack_from
U_bB = Packing('>bB').unpack_from
U_h = Packing('>h').unpack_from
U_hih = Packing('>hih').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ih = Packing('>ih').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_ihh = Packing('>ihh').unpack_from


class FindCoordinatorRequest(Message):
 __slots__ = ('key', 'key_type', 'coordinator_keys', )
 api_key: ClassVar[int] = 10
 versions: ClassVar[range] = range(0, 7)
 first_flexible: ClassVar[int | None] = 3
 key: str
 key_type: int
 coordinator_keys: list[str]
 def __init__(self, key: str = '', key_type: int = 0, coordinator_keys: list[str] = FRESH) -> None:
  self.key = key
  self.key_type = key_type
  self.coordinator_keys = [] if coordinator_keys is FRESH else coordinator_keys

def _decode_find_coordinator_request_0(view, size):
 pos = 0
 o0 = new(FindCoordinatorRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('FindCoordinatorRequest.key')
 end = pos + n0
 if end > size: raise beyond('FindCoordinatorRequest.key')
 o0.key = view[pos:end].tobytes().decode()
 pos = end
 o0.key_type = 0
 o0.coordinator_keys = []
 return o0, pos
def _decode_find_coordinator_request_1(view, size):
 pos = 0
 o0 = new(FindCoordinatorRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('FindCoordinatorRequest.key')
 end = pos + n0
 if end > size: raise beyond('FindCoordinatorRequest.key')
 o0.key = view[pos:end].tobytes().decode()
 pos = end
 o0.coordinator_keys = []
 o0.key_type, = U_b(view, pos)
 pos += 1
 return o0, pos
def _decode_find_coordinator_request_3(view, size):
 pos = 0
 o0 = new(FindCoordinatorRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('FindCoordinatorRequest.key')
 end = pos + n0 - 1
 if end > size: raise beyond('FindCoordinatorRequest.key')
 o0.key = view[pos:end].tobytes().decode()
 pos = end
 o0.coordinator_keys = []
 o0.key_type, t0 = U_bB(view, pos)
 pos += 2
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
def _decode_find_coordinator_request_4(view, size):
 pos = 0
 o0 = new(FindCoordinatorRequest)
 o0.key = ''
 o0.key_type, n0 = U_bB(view, pos)
 pos += 2
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('FindCoordinatorRequest.coordinator_keys')
 n0 -= 1
 if n0 > size - pos: raise beyond('FindCoordinatorRequest.coordinator_keys')
 a0 = []
 for _ in range(n0):
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('FindCoordinatorRequest.coordinator_keys')
  end = pos + n1 - 1
  if end > size: raise beyond('FindCoordinatorRequest.coordinator_keys')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.coordinator_keys = a0
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
FindCoordinatorRequest.decoders = {0: _decode_find_coordinator_request_0, 1: _decode_find_coordinator_request_1, 2: _decode_find_coordinator_request_1, 3: _decode_find_coordinator_request_3, 4: _decode_find_coordinator_request_4, 5: _decode_find_coordinator_request_4, 6: _decode_find_coordinator_request_4}

def _encode_find_coordinator_request_0(m):
 out = []
 b0 = m.key.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 if m.key_type != 0: raise unsupported('FindCoordinatorRequest.key_type')
 if m.coordinator_keys: raise unsupported('FindCoordinatorRequest.coordinator_keys')
 return [b''.join(out)]
def _encode_find_coordinator_request_1(m):
 out = []
 b0 = m.key.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 if m.coordinator_keys: raise unsupported('FindCoordinatorRequest.coordinator_keys')
 out.append(P_b(m.key_type))
 return [b''.join(out)]
def _encode_find_coordinator_request_3(m):
 out = []
 b0 = m.key.encode()
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 if m.coordinator_keys: raise unsupported('FindCoordinatorRequest.coordinator_keys')
 out.append(P_bx(m.key_type))
 return [b''.join(out)]
def _encode_find_coordinator_request_4(m):
 out = []
 if m.key != '': raise unsupported('FindCoordinatorRequest.key')
 a0 = m.coordinator_keys
 n0 = len(a0) + 1
 out.append(P_bB(m.key_type, n0) if n0 < 128 else P_b(m.key_type) + varint(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(m0)
 out.append(b'\x00')
 return [b''.join(out)]
FindCoordinatorRequest.encoders = {0: _encode_find_coordinator_request_0, 1: _encode_find_coordinator_request_1, 2: _encode_find_coordinator_request_1, 3: _encode_find_coordinator_request_3, 4: _encode_find_coordinator_request_4, 5: _encode_find_coordinator_request_4, 6: _encode_find_coordinator_request_4}


class Coordinator(Struct):
 __slots__ = ('key', 'node_id', 'host', 'port', 'error_code', 'error_message', )
 key: str
 node_id: int
 host: str
 port: int
 error_code: int
 error_message: str | None
 def __init__(self, key: str = '', node_id: int = 0, host: str = '', port: int = 0, error_code: int = 0, error_message: str | None = '') -> None:
  self.key = key
  self.node_id = node_id
  self.host = host
  self.port = port
  self.error_code = error_code
  self.error_message = error_message


class FindCoordinatorResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'node_id', 'host', 'port', 'coordinators', )
 api_key: ClassVar[int] = 10
 versions: ClassVar[range] = range(0, 7)
 first_flexible: ClassVar[int | None] = 3
 throttle_time_ms: int
 error_code: int
 error_message: str | None
 node_id: int
 host: str
 port: int
 coordinators: list[Coordinator]
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = '', node_id: int = 0, host: str = '', port: int = 0, coordinators: list[Coordinator] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.error_message = error_message
  self.node_id = node_id
  self.host = host
  self.port = port
  self.coordinators = [] if coordinators is FRESH else coordinators

def _decode_find_coordinator_response_0(view, size):
 pos = 0
 o0 = new(FindCoordinatorResponse)
 o0.throttle_time_ms = 0
 o0.error_message = ''
 o0.error_code, o0.node_id, n0 = U_hih(view, pos)
 pos += 8
 if n0 < 0: raise null('FindCoordinatorResponse.host')
 end = pos + n0
 if end > size: raise beyond('FindCoordinatorResponse.host')
 o0.host = view[pos:end].tobytes().decode()
 pos = end
 o0.coordinators = []
 o0.port, = U_i(view, pos)
 pos += 4
 return o0, pos
def _decode_find_coordinator_response_1(view, size):
 pos = 0
 o0 = new(FindCoordinatorResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihh(view, pos)
 pos += 8
 if n0 < 0: o0.error_message = None
 else:
  end = pos + n0
  if end > size: raise beyond('FindCoordinatorResponse.error_message')
  o0.error_message = view[pos:end].tobytes().decode()
  pos = end
 o0.node_id, n1 = U_ih(view, pos)
 pos += 6
 if n1 < 0: raise null('FindCoordinatorResponse.host')
 end = pos + n1
 if end > size: raise beyond('FindCoordinatorResponse.host')
 o0.host = view[pos:end].tobytes().decode()
 pos = end
 o0.coordinators = []
 o0.port, = U_i(view, pos)
 pos += 4
 return o0, pos
def _decode_find_coordinator_response_3(view, size):
 pos = 0
 o0 = new(FindCoordinatorResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.error_message = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('FindCoordinatorResponse.error_message')
  o0.error_message = view[pos:end].tobytes().decode()
  pos = end
 o0.node_id, n1 = U_iB(view, pos)
 pos += 5
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('FindCoordinatorResponse.host')
 end = pos + n1 - 1
 if end > size: raise beyond('FindCoordinatorResponse.host')
 o0.host = view[pos:end].tobytes().decode()
 pos = end
 o0.coordinators = []
 o0.port, t0 = U_iB(view, pos)
 pos += 5
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
def _decode_find_coordinator_response_4(view, size):
 pos = 0
 o0 = new(FindCoordinatorResponse)
 o0.error_code = 0
 o0.error_message = ''
 o0.node_id = 0
 o0.host = ''
 o0.port = 0
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('FindCoordinatorResponse.coordinators')
 n0 -= 1
 if n0 * 14 > size - pos: raise beyond('FindCoordinatorResponse.coordinators')
 a0 = []
 for _ in range(n0):
  o1 = new(Coordinator)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('Coordinator.key')
  end = pos + n1 - 1
  if end > size: raise beyond('Coordinator.key')
  o1.key = view[pos:end].tobytes().decode()
  pos = end
  o1.node_id, n2 = U_iB(view, pos)
  pos += 5
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('Coordinator.host')
  end = pos + n2 - 1
  if end > size: raise beyond('Coordinator.host')
  o1.host = view[pos:end].tobytes().decode()
  pos = end
  o1.port, o1.error_code, n3 = U_ihB(view, pos)
  pos += 7
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: o1.error_message = None
  else:
   end = pos + n3 - 1
   if end > size: raise beyond('Coordinator.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.coordinators = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
FindCoordinatorResponse.decoders = {0: _decode_find_coordinator_response_0, 1: _decode_find_coordinator_response_1, 2: _decode_find_coordinator_response_1, 3: _decode_find_coordinator_response_3, 4: _decode_find_coordinator_response_4, 5: _decode_find_coordinator_response_4, 6: _decode_find_coordinator_response_4}

def _encode_find_coordinator_response_0(m):
 out = []
 b0 = m.host.encode()
 n0 = len(b0)
 out.append(P_hih(m.error_code, m.node_id, n0))
 out.append(b0)
 if m.coordinators: raise unsupported('FindCoordinatorResponse.coordinators')
 out.append(P_i(m.port))
 return [b''.join(out)]
def _encode_find_coordinator_response_1(m):
 out = []
 b0 = m.error_message
 if b0 is None:
  b0 = b''; n0 = -1
 else:
  b0 = b0.encode()
  n0 = len(b0)
 out.append(P_ihh(m.throttle_time_ms, m.error_code, n0))
 out.append(b0)
 b1 = m.host.encode()
 n1 = len(b1)
 out.append(P_ih(m.node_id, n1))
 out.append(b1)
 if m.coordinators: raise unsupported('FindCoordinatorResponse.coordinators')
 out.append(P_i(m.port))
 return [b''.join(out)]
def _encode_find_coordinator_response_3(m):
 out = []
 b0 = m.error_message
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 out.append(b0)
 b1 = m.host.encode()
 n1 = len(b1) + 1
 out.append(P_iB(m.node_id, n1) if n1 < 128 else P_i(m.node_id) + varint(n1))
 out.append(b1)
 if m.coordinators: raise unsupported('FindCoordinatorResponse.coordinators')
 out.append(P_ix(m.port))
 return [b''.join(out)]
def _encode_find_coordinator_response_4(m):
 out = []
 if m.error_code != 0: raise unsupported('FindCoordinatorResponse.error_code')
 if m.node_id != 0: raise unsupported('FindCoordinatorResponse.node_id')
 if m.host != '': raise unsupported('FindCoordinatorResponse.host')
 if m.port != 0: raise unsupported('FindCoordinatorResponse.port')
 a0 = m.coordinators
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.key.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  b1 = m0.host.encode()
  n2 = len(b1) + 1
  out.append(P_iB(m0.node_id, n2) if n2 < 128 else P_i(m0.node_id) + varint(n2))
  out.append(b1)
  b2 = m0.error_message
  if b2 is None:
   b2 = b''; n3 = 0
  else:
   b2 = b2.encode()
   n3 = len(b2) + 1
  out.append(P_ihB(m0.port, m0.error_code, n3) if n3 < 128 else P_ih(m0.port, m0.error_code) + varint(n3))
  out.append(b2)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
FindCoordinatorResponse.encoders = {0: _encode_find_coordinator_response_0, 1: _encode_find_coordinator_response_1, 2: _encode_find_coordinator_response_1, 3: _encode_find_coordinator_response_3, 4: _encode_find_coordinator_response_4, 5: _encode_find_coordinator_response_4, 6: _encode_find_coordinator_response_4}
