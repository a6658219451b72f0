"""Heartbeat: request in versions 0 to 4 and response in versions 0 to 4.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import U8, Message, Packing, beyond, new, null, skip_tags, unsupported, varint, varint_rest

P_h = Packing('>h').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ih = Packing('>ih').pack
P_ihx = Packing('>ihx').pack
U_h = Packing('>h').unpack_from
U_iB = Packing('>iB').unpack_from
U_ih = Packing('>ih').unpack_from
U_ihB = Packing('>ihB').unpack_from


class HeartbeatRequest(Message):
 __slots__ = ('group_id', 'generation_id', 'member_id', 'group_instance_id', )
 api_key: ClassVar[int] = 12
 versions: ClassVar[range] = range(0, 5)
 first_flexible: ClassVar[int | None] = 4
 group_id: str
 generation_id: int
 member_id: str
 group_instance_id: str | None
 def __init__(self, group_id: str = '', generation_id: int = 0, member_id: str = '', group_instance_id: str | None = None) -> None:
  self.group_id = group_id
  self.generation_id = generation_id
  self.member_id = member_id
  self.group_instance_id = group_instance_id

def _decode_heartbeat_request_0(view, size):
 pos = 0
 o0 = new(HeartbeatRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('HeartbeatRequest.group_id')
 end = pos + n0
 if end > size: raise beyond('HeartbeatRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.generation_id, n1 = U_ih(view, pos)
 pos += 6
 if n1 < 0: raise null('HeartbeatRequest.member_id')
 end = pos + n1
 if end > size: raise beyond('HeartbeatRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 o0.group_instance_id = None
 return o0, pos
def _decode_heartbeat_request_3(view, size):
 pos = 0
 o0 = new(HeartbeatRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('HeartbeatRequest.group_id')
 end = pos + n0
 if end > size: raise beyond('HeartbeatRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.generation_id, n1 = U_ih(view, pos)
 pos += 6
 if n1 < 0: raise null('HeartbeatRequest.member_id')
 end = pos + n1
 if end > size: raise beyond('HeartbeatRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 n2, = U_h(view, pos)
 pos += 2
 if n2 < 0: o0.group_instance_id = None
 else:
  end = pos + n2
  if end > size: raise beyond('HeartbeatRequest.group_instance_id')
  o0.group_instance_id = view[pos:end].tobytes().decode()
  pos = end
 return o0, pos
def _decode_heartbeat_request_4(view, size):
 pos = 0
 o0 = new(HeartbeatRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('HeartbeatRequest.group_id')
 end = pos + n0 - 1
 if end > size: raise beyond('HeartbeatRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.generation_id, n1 = U_iB(view, pos)
 pos += 5
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('HeartbeatRequest.member_id')
 end = pos + n1 - 1
 if end > size: raise beyond('HeartbeatRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: o0.group_instance_id = None
 else:
  end = pos + n2 - 1
  if end > size: raise beyond('HeartbeatRequest.group_instance_id')
  o0.group_instance_id = view[pos:end].tobytes().decode()
  pos = end
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
HeartbeatRequest.decoders = {0: _decode_heartbeat_request_0, 1: _decode_heartbeat_request_0, 2: _decode_heartbeat_request_0, 3: _decode_heartbeat_request_3, 4: _decode_heartbeat_request_4}

def _encode_heartbeat_request_0(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.member_id.encode()
 n1 = len(b1)
 out.append(P_ih(m.generation_id, n1))
 out.append(b1)
 if m.group_instance_id is not None: raise unsupported('HeartbeatRequest.group_instance_id')
 return [b''.join(out)]
def _encode_heartbeat_request_3(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.member_id.encode()
 n1 = len(b1)
 out.append(P_ih(m.generation_id, n1))
 out.append(b1)
 b2 = m.group_instance_id
 if b2 is None:
  b2 = b''; n2 = -1
 else:
  b2 = b2.encode()
  n2 = len(b2)
 out.append(P_h(n2))
 out.append(b2)
 return [b''.join(out)]
def _encode_heartbeat_request_4(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 b1 = m.member_id.encode()
 n1 = len(b1) + 1
 out.append(P_iB(m.generation_id, n1) if n1 < 128 else P_i(m.generation_id) + varint(n1))
 out.append(b1)
 b2 = m.group_instance_id
 if b2 is None:
  b2 = b''; n2 = 0
 else:
  b2 = b2.encode()
  n2 = len(b2) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 out.append(b2)
 out.append(b'\x00')
 return [b''.join(out)]
HeartbeatRequest.encoders = {0: _encode_heartbeat_request_0, 1: _encode_heartbeat_request_0, 2: _encode_heartbeat_request_0, 3: _encode_heartbeat_request_3, 4: _encode_heartbeat_request_4}


class HeartbeatResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', )
 api_key: ClassVar[int] = 12
 versions: ClassVar[range] = range(0, 5)
 first_flexible: ClassVar[int | None] = 4
 throttle_time_ms: int
 error_code: int
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code

def _decode_heartbeat_response_0(view, size):
 pos = 0
 o0 = new(HeartbeatResponse)
 o0.throttle_time_ms = 0
 o0.error_code, = U_h(view, pos)
 pos += 2
 return o0, pos
def _decode_heartbeat_response_1(view, size):
 pos = 0
 o0 = new(HeartbeatResponse)
 o0.throttle_time_ms, o0.error_code = U_ih(view, pos)
 pos += 6
 return o0, pos
def _decode_heartbeat_response_4(view, size):
 pos = 0
 o0 = new(HeartbeatResponse)
 o0.throttle_time_ms, o0.error_code, t0 = U_ihB(view, pos)
 pos += 7
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
HeartbeatResponse.decoders = {0: _decode_heartbeat_response_0, 1: _decode_heartbeat_response_1, 2: _decode_heartbeat_response_1, 3: _decode_heartbeat_response_1, 4: _decode_heartbeat_response_4}

def _encode_heartbeat_response_0(m):
 out = []
 out.append(P_h(m.error_code))
 return [b''.join(out)]
def _encode_heartbeat_response_1(m):
 out = []
 out.append(P_ih(m.throttle_time_ms, m.error_code))
 return [b''.join(out)]
def _encode_heartbeat_response_4(m):
 out = []
 out.append(P_ihx(m.throttle_time_ms, m.error_code))
 return [b''.join(out)]
HeartbeatResponse.encoders = {0: _encode_heartbeat_response_0, 1: _encode_heartbeat_response_1, 2: _encode_heartbeat_response_1, 3: _encode_heartbeat_response_1, 4: _encode_heartbeat_response_4}
