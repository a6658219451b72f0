"""JoinGroup: request in versions 0 to 9 and response in versions 0 to 9.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, unsupported, varint, varint_rest

P_t = Packing('>?').pack
P_tB = Packing('>?B').pack
P_h = Packing('>h').pack
P_hih = Packing('>hih').pack
P_i = Packing('>i').pack
P_ih = Packing('>ih').pack
P_ihi = Packing('>ihi').pack
P_ihiB = Packing('>ihiB').pack
P_ihih = Packing('>ihih').pack
P_ii = Packing('>ii').pack
P_iiB = Packing('>iiB').pack
P_iih = Packing('>iih').pack
U_tB = Packing('>?B').unpack_from
U_h = Packing('>h').unpack_from
U_hih = Packing('>hih').unpack_from
U_i = Packing('>i').unpack_from
U_ih = Packing('>ih').unpack_from
U_ihiB = Packing('>ihiB').unpack_from
U_ihih = Packing('>ihih').unpack_from
U_iiB = Packing('>iiB').unpack_from
U_iih = Packing('>iih').unpack_from


class JoinGroupRequestProtocol(Struct):
 __slots__ = ('name', 'metadata', )
 name: str
 metadata: bytes
 def __init__(self, name: str = '', metadata: bytes = b'') -> None:
  self.name = name
  self.metadata = metadata


class JoinGroupRequest(Message):
 __slots__ = ('group_id', 'session_timeout_ms', 'rebalance_timeout_ms', 'member_id', 'group_instance_id', 'protocol_type', 'protocols', 'reason', )
 api_key: ClassVar[int] = 11
 versions: ClassVar[range] = range(0, 10)
 first_flexible: ClassVar[int | None] = 6
 group_id: str
 session_timeout_ms: int
 rebalance_timeout_ms: int
 member_id: str
 group_instance_id: str | None
 protocol_type: str
 protocols: list[JoinGroupRequestProtocol]
 reason: str | None
 def __init__(self, group_id: str = '', session_timeout_ms: int = 0, rebalance_timeout_ms: int = -1, member_id: str = '', group_instance_id: str | None = None, protocol_type: str = '', protocols: list[JoinGroupRequestProtocol] = FRESH, reason: str | None = None) -> None:
  self.group_id = group_id
  self.session_timeout_ms = session_timeout_ms
  self.rebalance_timeout_ms = rebalance_timeout_ms
  self.member_id = member_id
  self.group_instance_id = group_instance_id
  self.protocol_type = protocol_type
  self.protocols = [] if protocols is FRESH else protocols
  self.reason = reason

def _decode_join_group_request_0(view, size):
 pos = 0
 o0 = new(JoinGroupRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('JoinGroupRequest.group_id')
 end = pos + n0
 if end > size: raise beyond('JoinGroupRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.rebalance_timeout_ms = -1
 o0.session_timeout_ms, n1 = U_ih(view, pos)
 pos += 6
 if n1 < 0: raise null('JoinGroupRequest.member_id')
 end = pos + n1
 if end > size: raise beyond('JoinGroupRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 o0.group_instance_id = None
 n2, = U_h(view, pos)
 pos += 2
 if n2 < 0: raise null('JoinGroupRequest.protocol_type')
 end = pos + n2
 if end > size: raise beyond('JoinGroupRequest.protocol_type')
 o0.protocol_type = view[pos:end].tobytes().decode()
 pos = end
 n3, = U_i(view, pos)
 pos += 4
 if n3 < 0: raise null('JoinGroupRequest.protocols')
 if n3 * 6 > size - pos: raise beyond('JoinGroupRequest.protocols')
 a0 = []
 for _ in range(n3):
  o1 = new(JoinGroupRequestProtocol)
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('JoinGroupRequestProtocol.name')
  end = pos + n4
  if end > size: raise beyond('JoinGroupRequestProtocol.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n5, = U_i(view, pos)
  pos += 4
  if n5 < 0: raise null('JoinGroupRequestProtocol.metadata')
  end = pos + n5
  if end > size: raise beyond('JoinGroupRequestProtocol.metadata')
  o1.metadata = view[pos:end].tobytes()
  pos = end
  a0.append(o1)
 o0.protocols = a0
 o0.reason = None
 return o0, pos
def _decode_join_group_request_1(view, size):
 pos = 0
 o0 = new(JoinGroupRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('JoinGroupRequest.group_id')
 end = pos + n0
 if end > size: raise beyond('JoinGroupRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.session_timeout_ms, o0.rebalance_timeout_ms, n1 = U_iih(view, pos)
 pos += 10
 if n1 < 0: raise null('JoinGroupRequest.member_id')
 end = pos + n1
 if end > size: raise beyond('JoinGroupRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 o0.group_instance_id = None
 n2, = U_h(view, pos)
 pos += 2
 if n2 < 0: raise null('JoinGroupRequest.protocol_type')
 end = pos + n2
 if end > size: raise beyond('JoinGroupRequest.protocol_type')
 o0.protocol_type = view[pos:end].tobytes().decode()
 pos = end
 n3, = U_i(view, pos)
 pos += 4
 if n3 < 0: raise null('JoinGroupRequest.protocols')
 if n3 * 6 > size - pos: raise beyond('JoinGroupRequest.protocols')
 a0 = []
 for _ in range(n3):
  o1 = new(JoinGroupRequestProtocol)
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('JoinGroupRequestProtocol.name')
  end = pos + n4
  if end > size: raise beyond('JoinGroupRequestProtocol.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n5, = U_i(view, pos)
  pos += 4
  if n5 < 0: raise null('JoinGroupRequestProtocol.metadata')
  end = pos + n5
  if end > size: raise beyond('JoinGroupRequestProtocol.metadata')
  o1.metadata = view[pos:end].tobytes()
  pos = end
  a0.append(o1)
 o0.protocols = a0
 o0.reason = None
 return o0, pos
def _decode_join_group_request_5(view, size):
 pos = 0
 o0 = new(JoinGroupRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('JoinGroupRequest.group_id')
 end = pos + n0
 if end > size: raise beyond('JoinGroupRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.session_timeout_ms, o0.rebalance_timeout_ms, n1 = U_iih(view, pos)
 pos += 10
 if n1 < 0: raise null('JoinGroupRequest.member_id')
 end = pos + n1
 if end > size: raise beyond('JoinGroupRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 n2, = U_h(view, pos)
 pos += 2
 if n2 < 0: o0.group_instance_id = None
 else:
  end = pos + n2
  if end > size: raise beyond('JoinGroupRequest.group_instance_id')
  o0.group_instance_id = view[pos:end].tobytes().decode()
  pos = end
 n3, = U_h(view, pos)
 pos += 2
 if n3 < 0: raise null('JoinGroupRequest.protocol_type')
 end = pos + n3
 if end > size: raise beyond('JoinGroupRequest.protocol_type')
 o0.protocol_type = view[pos:end].tobytes().decode()
 pos = end
 n4, = U_i(view, pos)
 pos += 4
 if n4 < 0: raise null('JoinGroupRequest.protocols')
 if n4 * 6 > size - pos: raise beyond('JoinGroupRequest.protocols')
 a0 = []
 for _ in range(n4):
  o1 = new(JoinGroupRequestProtocol)
  n5, = U_h(view, pos)
  pos += 2
  if n5 < 0: raise null('JoinGroupRequestProtocol.name')
  end = pos + n5
  if end > size: raise beyond('JoinGroupRequestProtocol.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n6, = U_i(view, pos)
  pos += 4
  if n6 < 0: raise null('JoinGroupRequestProtocol.metadata')
  end = pos + n6
  if end > size: raise beyond('JoinGroupRequestProtocol.metadata')
  o1.metadata = view[pos:end].tobytes()
  pos = end
  a0.append(o1)
 o0.protocols = a0
 o0.reason = None
 return o0, pos
def _decode_join_group_request_6(view, size):
 pos = 0
 o0 = new(JoinGroupRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('JoinGroupRequest.group_id')
 end = pos + n0 - 1
 if end > size: raise beyond('JoinGroupRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.session_timeout_ms, o0.rebalance_timeout_ms, n1 = U_iiB(view, pos)
 pos += 9
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('JoinGroupRequest.member_id')
 end = pos + n1 - 1
 if end > size: raise beyond('JoinGroupRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: o0.group_instance_id = None
 else:
  end = pos + n2 - 1
  if end > size: raise beyond('JoinGroupRequest.group_instance_id')
  o0.group_instance_id = view[pos:end].tobytes().decode()
  pos = end
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: raise null('JoinGroupRequest.protocol_type')
 end = pos + n3 - 1
 if end > size: raise beyond('JoinGroupRequest.protocol_type')
 o0.protocol_type = view[pos:end].tobytes().decode()
 pos = end
 n4 = view[pos]
 pos += 1
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: raise null('JoinGroupRequest.protocols')
 n4 -= 1
 if n4 * 3 > size - pos: raise beyond('JoinGroupRequest.protocols')
 a0 = []
 for _ in range(n4):
  o1 = new(JoinGroupRequestProtocol)
  n5 = view[pos]
  pos += 1
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('JoinGroupRequestProtocol.name')
  end = pos + n5 - 1
  if end > size: raise beyond('JoinGroupRequestProtocol.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n6 = view[pos]
  pos += 1
  if n6 > 127:
   n6, pos = varint_rest(view, pos, n6)
  if not n6: raise null('JoinGroupRequestProtocol.metadata')
  end = pos + n6 - 1
  if end > size: raise beyond('JoinGroupRequestProtocol.metadata')
  o1.metadata = view[pos:end].tobytes()
  pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.protocols = a0
 o0.reason = None
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
def _decode_join_group_request_8(view, size):
 pos = 0
 o0 = new(JoinGroupRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('JoinGroupRequest.group_id')
 end = pos + n0 - 1
 if end > size: raise beyond('JoinGroupRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.session_timeout_ms, o0.rebalance_timeout_ms, n1 = U_iiB(view, pos)
 pos += 9
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('JoinGroupRequest.member_id')
 end = pos + n1 - 1
 if end > size: raise beyond('JoinGroupRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: o0.group_instance_id = None
 else:
  end = pos + n2 - 1
  if end > size: raise beyond('JoinGroupRequest.group_instance_id')
  o0.group_instance_id = view[pos:end].tobytes().decode()
  pos = end
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: raise null('JoinGroupRequest.protocol_type')
 end = pos + n3 - 1
 if end > size: raise beyond('JoinGroupRequest.protocol_type')
 o0.protocol_type = view[pos:end].tobytes().decode()
 pos = end
 n4 = view[pos]
 pos += 1
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: raise null('JoinGroupRequest.protocols')
 n4 -= 1
 if n4 * 3 > size - pos: raise beyond('JoinGroupRequest.protocols')
 a0 = []
 for _ in range(n4):
  o1 = new(JoinGroupRequestProtocol)
  n5 = view[pos]
  pos += 1
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('JoinGroupRequestProtocol.name')
  end = pos + n5 - 1
  if end > size: raise beyond('JoinGroupRequestProtocol.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n6 = view[pos]
  pos += 1
  if n6 > 127:
   n6, pos = varint_rest(view, pos, n6)
  if not n6: raise null('JoinGroupRequestProtocol.metadata')
  end = pos + n6 - 1
  if end > size: raise beyond('JoinGroupRequestProtocol.metadata')
  o1.metadata = view[pos:end].tobytes()
  pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.protocols = a0
 n7 = view[pos]
 pos += 1
 if n7 > 127:
  n7, pos = varint_rest(view, pos, n7)
 if not n7: o0.reason = None
 else:
  end = pos + n7 - 1
  if end > size: raise beyond('JoinGroupRequest.reason')
  o0.reason = view[pos:end].tobytes().decode()
  pos = end
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
JoinGroupRequest.decoders = {0: _decode_join_group_request_0, 1: _decode_join_group_request_1, 2: _decode_join_group_request_1, 3: _decode_join_group_request_1, 4: _decode_join_group_request_1, 5: _decode_join_group_request_5, 6: _decode_join_group_request_6, 7: _decode_join_group_request_6, 8: _decode_join_group_request_8, 9: _decode_join_group_request_8}

def _encode_join_group_request_0(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.member_id.encode()
 n1 = len(b1)
 out.append(P_ih(m.session_timeout_ms, n1))
 out.append(b1)
 if m.group_instance_id is not None: raise unsupported('JoinGroupRequest.group_instance_id')
 b2 = m.protocol_type.encode()
 n2 = len(b2)
 out.append(P_h(n2))
 out.append(b2)
 a0 = m.protocols
 n3 = len(a0)
 out.append(P_i(n3))
 for m0 in a0:
  b3 = m0.name.encode()
  n4 = len(b3)
  out.append(P_h(n4))
  out.append(b3)
  b4 = m0.metadata
  n5 = len(b4)
  out.append(P_i(n5))
  out.append(b4)
 return [b''.join(out)]
def _encode_join_group_request_1(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.member_id.encode()
 n1 = len(b1)
 out.append(P_iih(m.session_timeout_ms, m.rebalance_timeout_ms, n1))
 out.append(b1)
 if m.group_instance_id is not None: raise unsupported('JoinGroupRequest.group_instance_id')
 b2 = m.protocol_type.encode()
 n2 = len(b2)
 out.append(P_h(n2))
 out.append(b2)
 a0 = m.protocols
 n3 = len(a0)
 out.append(P_i(n3))
 for m0 in a0:
  b3 = m0.name.encode()
  n4 = len(b3)
  out.append(P_h(n4))
  out.append(b3)
  b4 = m0.metadata
  n5 = len(b4)
  out.append(P_i(n5))
  out.append(b4)
 return [b''.join(out)]
def _encode_join_group_request_5(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.member_id.encode()
 n1 = len(b1)
 out.append(P_iih(m.session_timeout_ms, m.rebalance_timeout_ms, n1))
 out.append(b1)
 b2 = m.group_instance_id
 if b2 is None:
  b2 = b''; n2 = -1
 else:
  b2 = b2.encode()
  n2 = len(b2)
 out.append(P_h(n2))
 out.append(b2)
 b3 = m.protocol_type.encode()
 n3 = len(b3)
 out.append(P_h(n3))
 out.append(b3)
 a0 = m.protocols
 n4 = len(a0)
 out.append(P_i(n4))
 for m0 in a0:
  b4 = m0.name.encode()
  n5 = len(b4)
  out.append(P_h(n5))
  out.append(b4)
  b5 = m0.metadata
  n6 = len(b5)
  out.append(P_i(n6))
  out.append(b5)
 return [b''.join(out)]
def _encode_join_group_request_6(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 b1 = m.member_id.encode()
 n1 = len(b1) + 1
 out.append(P_iiB(m.session_timeout_ms, m.rebalance_timeout_ms, n1) if n1 < 128 else P_ii(m.session_timeout_ms, m.rebalance_timeout_ms) + varint(n1))
 out.append(b1)
 b2 = m.group_instance_id
 if b2 is None:
  b2 = b''; n2 = 0
 else:
  b2 = b2.encode()
  n2 = len(b2) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 out.append(b2)
 b3 = m.protocol_type.encode()
 n3 = len(b3) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 out.append(b3)
 a0 = m.protocols
 n4 = len(a0) + 1
 out.append(U8[n4] if n4 < 128 else varint(n4))
 for m0 in a0:
  b4 = m0.name.encode()
  n5 = len(b4) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  out.append(b4)
  b5 = m0.metadata
  n6 = len(b5) + 1
  out.append(U8[n6] if n6 < 128 else varint(n6))
  out.append(b5)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_join_group_request_8(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 b1 = m.member_id.encode()
 n1 = len(b1) + 1
 out.append(P_iiB(m.session_timeout_ms, m.rebalance_timeout_ms, n1) if n1 < 128 else P_ii(m.session_timeout_ms, m.rebalance_timeout_ms) + varint(n1))
 out.append(b1)
 b2 = m.group_instance_id
 if b2 is None:
  b2 = b''; n2 = 0
 else:
  b2 = b2.encode()
  n2 = len(b2) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 out.append(b2)
 b3 = m.protocol_type.encode()
 n3 = len(b3) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 out.append(b3)
 a0 = m.protocols
 n4 = len(a0) + 1
 out.append(U8[n4] if n4 < 128 else varint(n4))
 for m0 in a0:
  b4 = m0.name.encode()
  n5 = len(b4) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  out.append(b4)
  b5 = m0.metadata
  n6 = len(b5) + 1
  out.append(U8[n6] if n6 < 128 else varint(n6))
  out.append(b5)
  out.append(b'\x00')
 b6 = m.reason
 if b6 is None:
  b6 = b''; n7 = 0
 else:
  b6 = b6.encode()
  n7 = len(b6) + 1
 out.append(U8[n7] if n7 < 128 else varint(n7))
 out.append(b6)
 out.append(b'\x00')
 return [b''.join(out)]
JoinGroupRequest.encoders = {0: _encode_join_group_request_0, 1: _encode_join_group_request_1, 2: _encode_join_group_request_1, 3: _encode_join_group_request_1, 4: _encode_join_group_request_1, 5: _encode_join_group_request_5, 6: _encode_join_group_request_6, 7: _encode_join_group_request_6, 8: _encode_join_group_request_8, 9: _encode_join_group_request_8}


class JoinGroupResponseMember(Struct):
 __slots__ = ('member_id', 'group_instance_id', 'metadata', )
 member_id: str
 group_instance_id: str | None
 metadata: bytes
 def __init__(self, member_id: str = '', group_instance_id: str | None = None, metadata: bytes = b'') -> None:
  self.member_id = member_id
  self.group_instance_id = group_instance_id
  self.metadata = metadata


class JoinGroupResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'generation_id', 'protocol_type', 'protocol_name', 'leader', 'skip_assignment', 'member_id', 'members', )
 api_key: ClassVar[int] = 11
 versions: ClassVar[range] = range(0, 10)
 first_flexible: ClassVar[int | None] = 6
 throttle_time_ms: int
 error_code: int
 generation_id: int
 protocol_type: str | None
 protocol_name: str | None
 leader: str
 skip_assignment: bool
 member_id: str
 members: list[JoinGroupResponseMember]
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, generation_id: int = -1, protocol_type: str | None = None, protocol_name: str | None = '', leader: str = '', skip_assignment: bool = False, member_id: str = '', members: list[JoinGroupResponseMember] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.generation_id = generation_id
  self.protocol_type = protocol_type
  self.protocol_name = protocol_name
  self.leader = leader
  self.skip_assignment = skip_assignment
  self.member_id = member_id
  self.members = [] if members is FRESH else members

def _decode_join_group_response_0(view, size):
 pos = 0
 o0 = new(JoinGroupResponse)
 o0.throttle_time_ms = 0
 o0.protocol_type = None
 o0.error_code, o0.generation_id, n0 = U_hih(view, pos)
 pos += 8
 if n0 < 0: raise null('JoinGroupResponse.protocol_name')
 end = pos + n0
 if end > size: raise beyond('JoinGroupResponse.protocol_name')
 o0.protocol_name = view[pos:end].tobytes().decode()
 pos = end
 n1, = U_h(view, pos)
 pos += 2
 if n1 < 0: raise null('JoinGroupResponse.leader')
 end = pos + n1
 if end > size: raise beyond('JoinGroupResponse.leader')
 o0.leader = view[pos:end].tobytes().decode()
 pos = end
 o0.skip_assignment = False
 n2, = U_h(view, pos)
 pos += 2
 if n2 < 0: raise null('JoinGroupResponse.member_id')
 end = pos + n2
 if end > size: raise beyond('JoinGroupResponse.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 n3, = U_i(view, pos)
 pos += 4
 if n3 < 0: raise null('JoinGroupResponse.members')
 if n3 * 6 > size - pos: raise beyond('JoinGroupResponse.members')
 a0 = []
 for _ in range(n3):
  o1 = new(JoinGroupResponseMember)
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('JoinGroupResponseMember.member_id')
  end = pos + n4
  if end > size: raise beyond('JoinGroupResponseMember.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  o1.group_instance_id = None
  n5, = U_i(view, pos)
  pos += 4
  if n5 < 0: raise null('JoinGroupResponseMember.metadata')
  end = pos + n5
  if end > size: raise beyond('JoinGroupResponseMember.metadata')
  o1.metadata = view[pos:end].tobytes()
  pos = end
  a0.append(o1)
 o0.members = a0
 return o0, pos
def _decode_join_group_response_2(view, size):
 pos = 0
 o0 = new(JoinGroupResponse)
 o0.protocol_type = None
 o0.throttle_time_ms, o0.error_code, o0.generation_id, n0 = U_ihih(view, pos)
 pos += 12
 if n0 < 0: raise null('JoinGroupResponse.protocol_name')
 end = pos + n0
 if end > size: raise beyond('JoinGroupResponse.protocol_name')
 o0.protocol_name = view[pos:end].tobytes().decode()
 pos = end
 n1, = U_h(view, pos)
 pos += 2
 if n1 < 0: raise null('JoinGroupResponse.leader')
 end = pos + n1
 if end > size: raise beyond('JoinGroupResponse.leader')
 o0.leader = view[pos:end].tobytes().decode()
 pos = end
 o0.skip_assignment = False
 n2, = U_h(view, pos)
 pos += 2
 if n2 < 0: raise null('JoinGroupResponse.member_id')
 end = pos + n2
 if end > size: raise beyond('JoinGroupResponse.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 n3, = U_i(view, pos)
 pos += 4
 if n3 < 0: raise null('JoinGroupResponse.members')
 if n3 * 6 > size - pos: raise beyond('JoinGroupResponse.members')
 a0 = []
 for _ in range(n3):
  o1 = new(JoinGroupResponseMember)
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('JoinGroupResponseMember.member_id')
  end = pos + n4
  if end > size: raise beyond('JoinGroupResponseMember.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  o1.group_instance_id = None
  n5, = U_i(view, pos)
  pos += 4
  if n5 < 0: raise null('JoinGroupResponseMember.metadata')
  end = pos + n5
  if end > size: raise beyond('JoinGroupResponseMember.metadata')
  o1.metadata = view[pos:end].tobytes()
  pos = end
  a0.append(o1)
 o0.members = a0
 return o0, pos
def _decode_join_group_response_5(view, size):
 pos = 0
 o0 = new(JoinGroupResponse)
 o0.protocol_type = None
 o0.throttle_time_ms, o0.error_code, o0.generation_id, n0 = U_ihih(view, pos)
 pos += 12
 if n0 < 0: raise null('JoinGroupResponse.protocol_name')
 end = pos + n0
 if end > size: raise beyond('JoinGroupResponse.protocol_name')
 o0.protocol_name = view[pos:end].tobytes().decode()
 pos = end
 n1, = U_h(view, pos)
 pos += 2
 if n1 < 0: raise null('JoinGroupResponse.leader')
 end = pos + n1
 if end > size: raise beyond('JoinGroupResponse.leader')
 o0.leader = view[pos:end].tobytes().decode()
 pos = end
 o0.skip_assignment = False
 n2, = U_h(view, pos)
 pos += 2
 if n2 < 0: raise null('JoinGroupResponse.member_id')
 end = pos + n2
 if end > size: raise beyond('JoinGroupResponse.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 n3, = U_i(view, pos)
 pos += 4
 if n3 < 0: raise null('JoinGroupResponse.members')
 if n3 * 8 > size - pos: raise beyond('JoinGroupResponse.members')
 a0 = []
 for _ in range(n3):
  o1 = new(JoinGroupResponseMember)
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('JoinGroupResponseMember.member_id')
  end = pos + n4
  if end > size: raise beyond('JoinGroupResponseMember.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  n5, = U_h(view, pos)
  pos += 2
  if n5 < 0: o1.group_instance_id = None
  else:
   end = pos + n5
   if end > size: raise beyond('JoinGroupResponseMember.group_instance_id')
   o1.group_instance_id = view[pos:end].tobytes().decode()
   pos = end
  n6, = U_i(view, pos)
  pos += 4
  if n6 < 0: raise null('JoinGroupResponseMember.metadata')
  end = pos + n6
  if end > size: raise beyond('JoinGroupResponseMember.metadata')
  o1.metadata = view[pos:end].tobytes()
  pos = end
  a0.append(o1)
 o0.members = a0
 return o0, pos
def _decode_join_group_response_6(view, size):
 pos = 0
 o0 = new(JoinGroupResponse)
 o0.protocol_type = None
 o0.throttle_time_ms, o0.error_code, o0.generation_id, n0 = U_ihiB(view, pos)
 pos += 11
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('JoinGroupResponse.protocol_name')
 end = pos + n0 - 1
 if end > size: raise beyond('JoinGroupResponse.protocol_name')
 o0.protocol_name = view[pos:end].tobytes().decode()
 pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('JoinGroupResponse.leader')
 end = pos + n1 - 1
 if end > size: raise beyond('JoinGroupResponse.leader')
 o0.leader = view[pos:end].tobytes().decode()
 pos = end
 o0.skip_assignment = False
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('JoinGroupResponse.member_id')
 end = pos + n2 - 1
 if end > size: raise beyond('JoinGroupResponse.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: raise null('JoinGroupResponse.members')
 n3 -= 1
 if n3 * 4 > size - pos: raise beyond('JoinGroupResponse.members')
 a0 = []
 for _ in range(n3):
  o1 = new(JoinGroupResponseMember)
  n4 = view[pos]
  pos += 1
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('JoinGroupResponseMember.member_id')
  end = pos + n4 - 1
  if end > size: raise beyond('JoinGroupResponseMember.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  n5 = view[pos]
  pos += 1
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: o1.group_instance_id = None
  else:
   end = pos + n5 - 1
   if end > size: raise beyond('JoinGroupResponseMember.group_instance_id')
   o1.group_instance_id = view[pos:end].tobytes().decode()
   pos = end
  n6 = view[pos]
  pos += 1
  if n6 > 127:
   n6, pos = varint_rest(view, pos, n6)
  if not n6: raise null('JoinGroupResponseMember.metadata')
  end = pos + n6 - 1
  if end > size: raise beyond('JoinGroupResponseMember.metadata')
  o1.metadata = view[pos:end].tobytes()
  pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.members = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
def _decode_join_group_response_7(view, size):
 pos = 0
 o0 = new(JoinGroupResponse)
 o0.throttle_time_ms, o0.error_code, o0.generation_id, n0 = U_ihiB(view, pos)
 pos += 11
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.protocol_type = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('JoinGroupResponse.protocol_type')
  o0.protocol_type = view[pos:end].tobytes().decode()
  pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: o0.protocol_name = None
 else:
  end = pos + n1 - 1
  if end > size: raise beyond('JoinGroupResponse.protocol_name')
  o0.protocol_name = view[pos:end].tobytes().decode()
  pos = end
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('JoinGroupResponse.leader')
 end = pos + n2 - 1
 if end > size: raise beyond('JoinGroupResponse.leader')
 o0.leader = view[pos:end].tobytes().decode()
 pos = end
 o0.skip_assignment = False
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: raise null('JoinGroupResponse.member_id')
 end = pos + n3 - 1
 if end > size: raise beyond('JoinGroupResponse.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 n4 = view[pos]
 pos += 1
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: raise null('JoinGroupResponse.members')
 n4 -= 1
 if n4 * 4 > size - pos: raise beyond('JoinGroupResponse.members')
 a0 = []
 for _ in range(n4):
  o1 = new(JoinGroupResponseMember)
  n5 = view[pos]
  pos += 1
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('JoinGroupResponseMember.member_id')
  end = pos + n5 - 1
  if end > size: raise beyond('JoinGroupResponseMember.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  n6 = view[pos]
  pos += 1
  if n6 > 127:
   n6, pos = varint_rest(view, pos, n6)
  if not n6: o1.group_instance_id = None
  else:
   end = pos + n6 - 1
   if end > size: raise beyond('JoinGroupResponseMember.group_instance_id')
   o1.group_instance_id = view[pos:end].tobytes().decode()
   pos = end
  n7 = view[pos]
  pos += 1
  if n7 > 127:
   n7, pos = varint_rest(view, pos, n7)
  if not n7: raise null('JoinGroupResponseMember.metadata')
  end = pos + n7 - 1
  if end > size: raise beyond('JoinGroupResponseMember.metadata')
  o1.metadata = view[pos:end].tobytes()
  pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.members = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
def _decode_join_group_response_9(view, size):
 pos = 0
 o0 = new(JoinGroupResponse)
 o0.throttle_time_ms, o0.error_code, o0.generation_id, n0 = U_ihiB(view, pos)
 pos += 11
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.protocol_type = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('JoinGroupResponse.protocol_type')
  o0.protocol_type = view[pos:end].tobytes().decode()
  pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: o0.protocol_name = None
 else:
  end = pos + n1 - 1
  if end > size: raise beyond('JoinGroupResponse.protocol_name')
  o0.protocol_name = view[pos:end].tobytes().decode()
  pos = end
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('JoinGroupResponse.leader')
 end = pos + n2 - 1
 if end > size: raise beyond('JoinGroupResponse.leader')
 o0.leader = view[pos:end].tobytes().decode()
 pos = end
 o0.skip_assignment, n3 = U_tB(view, pos)
 pos += 2
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: raise null('JoinGroupResponse.member_id')
 end = pos + n3 - 1
 if end > size: raise beyond('JoinGroupResponse.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 n4 = view[pos]
 pos += 1
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: raise null('JoinGroupResponse.members')
 n4 -= 1
 if n4 * 4 > size - pos: raise beyond('JoinGroupResponse.members')
 a0 = []
 for _ in range(n4):
  o1 = new(JoinGroupResponseMember)
  n5 = view[pos]
  pos += 1
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('JoinGroupResponseMember.member_id')
  end = pos + n5 - 1
  if end > size: raise beyond('JoinGroupResponseMember.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  n6 = view[pos]
  pos += 1
  if n6 > 127:
   n6, pos = varint_rest(view, pos, n6)
  if not n6: o1.group_instance_id = None
  else:
   end = pos + n6 - 1
   if end > size: raise beyond('JoinGroupResponseMember.group_instance_id')
   o1.group_instance_id = view[pos:end].tobytes().decode()
   pos = end
  n7 = view[pos]
  pos += 1
  if n7 > 127:
   n7, pos = varint_rest(view, pos, n7)
  if not n7: raise null('JoinGroupResponseMember.metadata')
  end = pos + n7 - 1
  if end > size: raise beyond('JoinGroupResponseMember.metadata')
  o1.metadata = view[pos:end].tobytes()
  pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.members = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
JoinGroupResponse.decoders = {0: _decode_join_group_response_0, 1: _decode_join_group_response_0, 2: _decode_join_group_response_2, 3: _decode_join_group_response_2, 4: _decode_join_group_response_2, 5: _decode_join_group_response_5, 6: _decode_join_group_response_6, 7: _decode_join_group_response_7, 8: _decode_join_group_response_7, 9: _decode_join_group_response_9}

def _encode_join_group_response_0(m):
 out = []
 b0 = m.protocol_name.encode()
 n0 = len(b0)
 out.append(P_hih(m.error_code, m.generation_id, n0))
 out.append(b0)
 b1 = m.leader.encode()
 n1 = len(b1)
 out.append(P_h(n1))
 out.append(b1)
 if m.skip_assignment: raise unsupported('JoinGroupResponse.skip_assignment')
 b2 = m.member_id.encode()
 n2 = len(b2)
 out.append(P_h(n2))
 out.append(b2)
 a0 = m.members
 n3 = len(a0)
 out.append(P_i(n3))
 for m0 in a0:
  b3 = m0.member_id.encode()
  n4 = len(b3)
  out.append(P_h(n4))
  out.append(b3)
  b4 = m0.metadata
  n5 = len(b4)
  out.append(P_i(n5))
  out.append(b4)
 return [b''.join(out)]
def _encode_join_group_response_2(m):
 out = []
 b0 = m.protocol_name.encode()
 n0 = len(b0)
 out.append(P_ihih(m.throttle_time_ms, m.error_code, m.generation_id, n0))
 out.append(b0)
 b1 = m.leader.encode()
 n1 = len(b1)
 out.append(P_h(n1))
 out.append(b1)
 if m.skip_assignment: raise unsupported('JoinGroupResponse.skip_assignment')
 b2 = m.member_id.encode()
 n2 = len(b2)
 out.append(P_h(n2))
 out.append(b2)
 a0 = m.members
 n3 = len(a0)
 out.append(P_i(n3))
 for m0 in a0:
  b3 = m0.member_id.encode()
  n4 = len(b3)
  out.append(P_h(n4))
  out.append(b3)
  b4 = m0.metadata
  n5 = len(b4)
  out.append(P_i(n5))
  out.append(b4)
 return [b''.join(out)]
def _encode_join_group_response_5(m):
 out = []
 b0 = m.protocol_name.encode()
 n0 = len(b0)
 out.append(P_ihih(m.throttle_time_ms, m.error_code, m.generation_id, n0))
 out.append(b0)
 b1 = m.leader.encode()
 n1 = len(b1)
 out.append(P_h(n1))
 out.append(b1)
 if m.skip_assignment: raise unsupported('JoinGroupResponse.skip_assignment')
 b2 = m.member_id.encode()
 n2 = len(b2)
 out.append(P_h(n2))
 out.append(b2)
 a0 = m.members
 n3 = len(a0)
 out.append(P_i(n3))
 for m0 in a0:
  b3 = m0.member_id.encode()
  n4 = len(b3)
  out.append(P_h(n4))
  out.append(b3)
  b4 = m0.group_instance_id
  if b4 is None:
   b4 = b''; n5 = -1
  else:
   b4 = b4.encode()
   n5 = len(b4)
  out.append(P_h(n5))
  out.append(b4)
  b5 = m0.metadata
  n6 = len(b5)
  out.append(P_i(n6))
  out.append(b5)
 return [b''.join(out)]
def _encode_join_group_response_6(m):
 out = []
 b0 = m.protocol_name.encode()
 n0 = len(b0) + 1
 out.append(P_ihiB(m.throttle_time_ms, m.error_code, m.generation_id, n0) if n0 < 128 else P_ihi(m.throttle_time_ms, m.error_code, m.generation_id) + varint(n0))
 out.append(b0)
 b1 = m.leader.encode()
 n1 = len(b1) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 out.append(b1)
 if m.skip_assignment: raise unsupported('JoinGroupResponse.skip_assignment')
 b2 = m.member_id.encode()
 n2 = len(b2) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 out.append(b2)
 a0 = m.members
 n3 = len(a0) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 for m0 in a0:
  b3 = m0.member_id.encode()
  n4 = len(b3) + 1
  out.append(U8[n4] if n4 < 128 else varint(n4))
  out.append(b3)
  b4 = m0.group_instance_id
  if b4 is None:
   b4 = b''; n5 = 0
  else:
   b4 = b4.encode()
   n5 = len(b4) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  out.append(b4)
  b5 = m0.metadata
  n6 = len(b5) + 1
  out.append(U8[n6] if n6 < 128 else varint(n6))
  out.append(b5)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_join_group_response_7(m):
 out = []
 b0 = m.protocol_type
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(P_ihiB(m.throttle_time_ms, m.error_code, m.generation_id, n0) if n0 < 128 else P_ihi(m.throttle_time_ms, m.error_code, m.generation_id) + varint(n0))
 out.append(b0)
 b1 = m.protocol_name
 if b1 is None:
  b1 = b''; n1 = 0
 else:
  b1 = b1.encode()
  n1 = len(b1) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 out.append(b1)
 b2 = m.leader.encode()
 n2 = len(b2) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 out.append(b2)
 if m.skip_assignment: raise unsupported('JoinGroupResponse.skip_assignment')
 b3 = m.member_id.encode()
 n3 = len(b3) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 out.append(b3)
 a0 = m.members
 n4 = len(a0) + 1
 out.append(U8[n4] if n4 < 128 else varint(n4))
 for m0 in a0:
  b4 = m0.member_id.encode()
  n5 = len(b4) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  out.append(b4)
  b5 = m0.group_instance_id
  if b5 is None:
   b5 = b''; n6 = 0
  else:
   b5 = b5.encode()
   n6 = len(b5) + 1
  out.append(U8[n6] if n6 < 128 else varint(n6))
  out.append(b5)
  b6 = m0.metadata
  n7 = len(b6) + 1
  out.append(U8[n7] if n7 < 128 else varint(n7))
  out.append(b6)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_join_group_response_9(m):
 out = []
 b0 = m.protocol_type
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(P_ihiB(m.throttle_time_ms, m.error_code, m.generation_id, n0) if n0 < 128 else P_ihi(m.throttle_time_ms, m.error_code, m.generation_id) + varint(n0))
 out.append(b0)
 b1 = m.protocol_name
 if b1 is None:
  b1 = b''; n1 = 0
 else:
  b1 = b1.encode()
  n1 = len(b1) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 out.append(b1)
 b2 = m.leader.encode()
 n2 = len(b2) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 out.append(b2)
 b3 = m.member_id.encode()
 n3 = len(b3) + 1
 out.append(P_tB(m.skip_assignment, n3) if n3 < 128 else P_t(m.skip_assignment) + varint(n3))
 out.append(b3)
 a0 = m.members
 n4 = len(a0) + 1
 out.append(U8[n4] if n4 < 128 else varint(n4))
 for m0 in a0:
  b4 = m0.member_id.encode()
  n5 = len(b4) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  out.append(b4)
  b5 = m0.group_instance_id
  if b5 is None:
   b5 = b''; n6 = 0
  else:
   b5 = b5.encode()
   n6 = len(b5) + 1
  out.append(U8[n6] if n6 < 128 else varint(n6))
  out.append(b5)
  b6 = m0.metadata
  n7 = len(b6) + 1
  out.append(U8[n7] if n7 < 128 else varint(n7))
  out.append(b6)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
JoinGroupResponse.encoders = {0: _encode_join_group_response_0, 1: _encode_join_group_response_0, 2: _encode_join_group_response_2, 3: _encode_join_group_response_2, 4: _encode_join_group_response_2, 5: _encode_join_group_response_5, 6: _encode_join_group_response_6, 7: _encode_join_group_response_7, 8: _encode_join_group_response_7, 9: _encode_join_group_response_9}
