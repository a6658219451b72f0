"""SyncGroup: request in versions 0 to 5 and response in versions 0 to 5.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, unsupported, varint, varint_rest

P_h = Packing('>h').pack
P_hi = Packing('>hi').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
P_ihi = Packing('>ihi').pack
U_h = Packing('>h').unpack_from
U_hi = Packing('>hi').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ih = Packing('>ih').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_ihi = Packing('>ihi').unpack_from


class SyncGroupRequestAssignment(Struct):
 __slots__ = ('member_id', 'assignment', )
 member_id: str
 assignment: bytes
 def __init__(self, member_id: str = '', assignment: bytes = b'') -> None:
  self.member_id = member_id
  self.assignment = assignment


class SyncGroupRequest(Message):
 __slots__ = ('group_id', 'generation_id', 'member_id', 'group_instance_id', 'protocol_type', 'protocol_name', 'assignments', )
 api_key: ClassVar[int] = 14
 versions: ClassVar[range] = range(0, 6)
 first_flexible: ClassVar[int | None] = 4
 group_id: str
 generation_id: int
 member_id: str
 group_instance_id: str | None
 protocol_type: str | None
 protocol_name: str | None
 assignments: list[SyncGroupRequestAssignment]
 def __init__(self, group_id: str = '', generation_id: int = 0, member_id: str = '', group_instance_id: str | None = None, protocol_type: str | None = None, protocol_name: str | None = None, assignments: list[SyncGroupRequestAssignment] = FRESH) -> None:
  self.group_id = group_id
  self.generation_id = generation_id
  self.member_id = member_id
  self.group_instance_id = group_instance_id
  self.protocol_type = protocol_type
  self.protocol_name = protocol_name
  self.assignments = [] if assignments is FRESH else assignments

def _decode_sync_group_request_0(view, size):
 pos = 0
 o0 = new(SyncGroupRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('SyncGroupRequest.group_id')
 end = pos + n0
 if end > size: raise beyond('SyncGroupRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.generation_id, n1 = U_ih(view, pos)
 pos += 6
 if n1 < 0: raise null('SyncGroupRequest.member_id')
 end = pos + n1
 if end > size: raise beyond('SyncGroupRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 o0.group_instance_id = None
 o0.protocol_type = None
 o0.protocol_name = None
 n2, = U_i(view, pos)
 pos += 4
 if n2 < 0: raise null('SyncGroupRequest.assignments')
 if n2 * 6 > size - pos: raise beyond('SyncGroupRequest.assignments')
 a0 = []
 for _ in range(n2):
  o1 = new(SyncGroupRequestAssignment)
  n3, = U_h(view, pos)
  pos += 2
  if n3 < 0: raise null('SyncGroupRequestAssignment.member_id')
  end = pos + n3
  if end > size: raise beyond('SyncGroupRequestAssignment.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  n4, = U_i(view, pos)
  pos += 4
  if n4 < 0: raise null('SyncGroupRequestAssignment.assignment')
  end = pos + n4
  if end > size: raise beyond('SyncGroupRequestAssignment.assignment')
  o1.assignment = view[pos:end].tobytes()
  pos = end
  a0.append(o1)
 o0.assignments = a0
 return o0, pos
def _decode_sync_group_request_3(view, size):
 pos = 0
 o0 = new(SyncGroupRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('SyncGroupRequest.group_id')
 end = pos + n0
 if end > size: raise beyond('SyncGroupRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.generation_id, n1 = U_ih(view, pos)
 pos += 6
 if n1 < 0: raise null('SyncGroupRequest.member_id')
 end = pos + n1
 if end > size: raise beyond('SyncGroupRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 n2, = U_h(view, pos)
 pos += 2
 if n2 < 0: o0.group_instance_id = None
 else:
  end = pos + n2
  if end > size: raise beyond('SyncGroupRequest.group_instance_id')
  o0.group_instance_id = view[pos:end].tobytes().decode()
  pos = end
 o0.protocol_type = None
 o0.protocol_name = None
 n3, = U_i(view, pos)
 pos += 4
 if n3 < 0: raise null('SyncGroupRequest.assignments')
 if n3 * 6 > size - pos: raise beyond('SyncGroupRequest.assignments')
 a0 = []
 for _ in range(n3):
  o1 = new(SyncGroupRequestAssignment)
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('SyncGroupRequestAssignment.member_id')
  end = pos + n4
  if end > size: raise beyond('SyncGroupRequestAssignment.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  n5, = U_i(view, pos)
  pos += 4
  if n5 < 0: raise null('SyncGroupRequestAssignment.assignment')
  end = pos + n5
  if end > size: raise beyond('SyncGroupRequestAssignment.assignment')
  o1.assignment = view[pos:end].tobytes()
  pos = end
  a0.append(o1)
 o0.assignments = a0
 return o0, pos
def _decode_sync_group_request_4(view, size):
 pos = 0
 o0 = new(SyncGroupRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('SyncGroupRequest.group_id')
 end = pos + n0 - 1
 if end > size: raise beyond('SyncGroupRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.generation_id, n1 = U_iB(view, pos)
 pos += 5
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('SyncGroupRequest.member_id')
 end = pos + n1 - 1
 if end > size: raise beyond('SyncGroupRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: o0.group_instance_id = None
 else:
  end = pos + n2 - 1
  if end > size: raise beyond('SyncGroupRequest.group_instance_id')
  o0.group_instance_id = view[pos:end].tobytes().decode()
  pos = end
 o0.protocol_type = None
 o0.protocol_name = None
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: raise null('SyncGroupRequest.assignments')
 n3 -= 1
 if n3 * 3 > size - pos: raise beyond('SyncGroupRequest.assignments')
 a0 = []
 for _ in range(n3):
  o1 = new(SyncGroupRequestAssignment)
  n4 = view[pos]
  pos += 1
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('SyncGroupRequestAssignment.member_id')
  end = pos + n4 - 1
  if end > size: raise beyond('SyncGroupRequestAssignment.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  n5 = view[pos]
  pos += 1
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('SyncGroupRequestAssignment.assignment')
  end = pos + n5 - 1
  if end > size: raise beyond('SyncGroupRequestAssignment.assignment')
  o1.assignment = view[pos:end].tobytes()
  pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.assignments = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
def _decode_sync_group_request_5(view, size):
 pos = 0
 o0 = new(SyncGroupRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('SyncGroupRequest.group_id')
 end = pos + n0 - 1
 if end > size: raise beyond('SyncGroupRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.generation_id, n1 = U_iB(view, pos)
 pos += 5
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('SyncGroupRequest.member_id')
 end = pos + n1 - 1
 if end > size: raise beyond('SyncGroupRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: o0.group_instance_id = None
 else:
  end = pos + n2 - 1
  if end > size: raise beyond('SyncGroupRequest.group_instance_id')
  o0.group_instance_id = view[pos:end].tobytes().decode()
  pos = end
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: o0.protocol_type = None
 else:
  end = pos + n3 - 1
  if end > size: raise beyond('SyncGroupRequest.protocol_type')
  o0.protocol_type = view[pos:end].tobytes().decode()
  pos = end
 n4 = view[pos]
 pos += 1
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: o0.protocol_name = None
 else:
  end = pos + n4 - 1
  if end > size: raise beyond('SyncGroupRequest.protocol_name')
  o0.protocol_name = view[pos:end].tobytes().decode()
  pos = end
 n5 = view[pos]
 pos += 1
 if n5 > 127:
  n5, pos = varint_rest(view, pos, n5)
 if not n5: raise null('SyncGroupRequest.assignments')
 n5 -= 1
 if n5 * 3 > size - pos: raise beyond('SyncGroupRequest.assignments')
 a0 = []
 for _ in range(n5):
  o1 = new(SyncGroupRequestAssignment)
  n6 = view[pos]
  pos += 1
  if n6 > 127:
   n6, pos = varint_rest(view, pos, n6)
  if not n6: raise null('SyncGroupRequestAssignment.member_id')
  end = pos + n6 - 1
  if end > size: raise beyond('SyncGroupRequestAssignment.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  n7 = view[pos]
  pos += 1
  if n7 > 127:
   n7, pos = varint_rest(view, pos, n7)
  if not n7: raise null('SyncGroupRequestAssignment.assignment')
  end = pos + n7 - 1
  if end > size: raise beyond('SyncGroupRequestAssignment.assignment')
  o1.assignment = view[pos:end].tobytes()
  pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.assignments = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
SyncGroupRequest.decoders = {0: _decode_sync_group_request_0, 1: _decode_sync_group_request_0, 2: _decode_sync_group_request_0, 3: _decode_sync_group_request_3, 4: _decode_sync_group_request_4, 5: _decode_sync_group_request_5}

def _encode_sync_group_request_0(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.member_id.encode()
 n1 = len(b1)
 out.append(P_ih(m.generation_id, n1))
 out.append(b1)
 if m.group_instance_id is not None: raise unsupported('SyncGroupRequest.group_instance_id')
 a0 = m.assignments
 n2 = len(a0)
 out.append(P_i(n2))
 for m0 in a0:
  b2 = m0.member_id.encode()
  n3 = len(b2)
  out.append(P_h(n3))
  out.append(b2)
  b3 = m0.assignment
  n4 = len(b3)
  out.append(P_i(n4))
  out.append(b3)
 return [b''.join(out)]
def _encode_sync_group_request_3(m):
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
 a0 = m.assignments
 n3 = len(a0)
 out.append(P_i(n3))
 for m0 in a0:
  b3 = m0.member_id.encode()
  n4 = len(b3)
  out.append(P_h(n4))
  out.append(b3)
  b4 = m0.assignment
  n5 = len(b4)
  out.append(P_i(n5))
  out.append(b4)
 return [b''.join(out)]
def _encode_sync_group_request_4(m):
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
 a0 = m.assignments
 n3 = len(a0) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 for m0 in a0:
  b3 = m0.member_id.encode()
  n4 = len(b3) + 1
  out.append(U8[n4] if n4 < 128 else varint(n4))
  out.append(b3)
  b4 = m0.assignment
  n5 = len(b4) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  out.append(b4)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_sync_group_request_5(m):
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
 b3 = m.protocol_type
 if b3 is None:
  b3 = b''; n3 = 0
 else:
  b3 = b3.encode()
  n3 = len(b3) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 out.append(b3)
 b4 = m.protocol_name
 if b4 is None:
  b4 = b''; n4 = 0
 else:
  b4 = b4.encode()
  n4 = len(b4) + 1
 out.append(U8[n4] if n4 < 128 else varint(n4))
 out.append(b4)
 a0 = m.assignments
 n5 = len(a0) + 1
 out.append(U8[n5] if n5 < 128 else varint(n5))
 for m0 in a0:
  b5 = m0.member_id.encode()
  n6 = len(b5) + 1
  out.append(U8[n6] if n6 < 128 else varint(n6))
  out.append(b5)
  b6 = m0.assignment
  n7 = len(b6) + 1
  out.append(U8[n7] if n7 < 128 else varint(n7))
  out.append(b6)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
SyncGroupRequest.encoders = {0: _encode_sync_group_request_0, 1: _encode_sync_group_request_0, 2: _encode_sync_group_request_0, 3: _encode_sync_group_request_3, 4: _encode_sync_group_request_4, 5: _encode_sync_group_request_5}


class SyncGroupResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'protocol_type', 'protocol_name', 'assignment', )
 api_key: ClassVar[int] = 14
 versions: ClassVar[range] = range(0, 6)
 first_flexible: ClassVar[int | None] = 4
 throttle_time_ms: int
 error_code: int
 protocol_type: str | None
 protocol_name: str | None
 assignment: bytes
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, protocol_type: str | None = None, protocol_name: str | None = None, assignment: bytes = b'') -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.protocol_type = protocol_type
  self.protocol_name = protocol_name
  self.assignment = assignment

def _decode_sync_group_response_0(view, size):
 pos = 0
 o0 = new(SyncGroupResponse)
 o0.throttle_time_ms = 0
 o0.protocol_type = None
 o0.protocol_name = None
 o0.error_code, n0 = U_hi(view, pos)
 pos += 6
 if n0 < 0: raise null('SyncGroupResponse.assignment')
 end = pos + n0
 if end > size: raise beyond('SyncGroupResponse.assignment')
 o0.assignment = view[pos:end].tobytes()
 pos = end
 return o0, pos
def _decode_sync_group_response_1(view, size):
 pos = 0
 o0 = new(SyncGroupResponse)
 o0.protocol_type = None
 o0.protocol_name = None
 o0.throttle_time_ms, o0.error_code, n0 = U_ihi(view, pos)
 pos += 10
 if n0 < 0: raise null('SyncGroupResponse.assignment')
 end = pos + n0
 if end > size: raise beyond('SyncGroupResponse.assignment')
 o0.assignment = view[pos:end].tobytes()
 pos = end
 return o0, pos
def _decode_sync_group_response_4(view, size):
 pos = 0
 o0 = new(SyncGroupResponse)
 o0.protocol_type = None
 o0.protocol_name = None
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('SyncGroupResponse.assignment')
 end = pos + n0 - 1
 if end > size: raise beyond('SyncGroupResponse.assignment')
 o0.assignment = view[pos:end].tobytes()
 pos = end
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
def _decode_sync_group_response_5(view, size):
 pos = 0
 o0 = new(SyncGroupResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.protocol_type = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('SyncGroupResponse.protocol_type')
  o0.protocol_type = view[pos:end].tobytes().decode()
  pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: o0.protocol_name = None
 else:
  end = pos + n1 - 1
  if end > size: raise beyond('SyncGroupResponse.protocol_name')
  o0.protocol_name = view[pos:end].tobytes().decode()
  pos = end
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('SyncGroupResponse.assignment')
 end = pos + n2 - 1
 if end > size: raise beyond('SyncGroupResponse.assignment')
 o0.assignment = view[pos:end].tobytes()
 pos = end
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
SyncGroupResponse.decoders = {0: _decode_sync_group_response_0, 1: _decode_sync_group_response_1, 2: _decode_sync_group_response_1, 3: _decode_sync_group_response_1, 4: _decode_sync_group_response_4, 5: _decode_sync_group_response_5}

def _encode_sync_group_response_0(m):
 out = []
 b0 = m.assignment
 n0 = len(b0)
 out.append(P_hi(m.error_code, n0))
 out.append(b0)
 return [b''.join(out)]
def _encode_sync_group_response_1(m):
 out = []
 b0 = m.assignment
 n0 = len(b0)
 out.append(P_ihi(m.throttle_time_ms, m.error_code, n0))
 out.append(b0)
 return [b''.join(out)]
def _encode_sync_group_response_4(m):
 out = []
 b0 = m.assignment
 n0 = len(b0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 out.append(b0)
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_sync_group_response_5(m):
 out = []
 b0 = m.protocol_type
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 out.append(b0)
 b1 = m.protocol_name
 if b1 is None:
  b1 = b''; n1 = 0
 else:
  b1 = b1.encode()
  n1 = len(b1) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 out.append(b1)
 b2 = m.assignment
 n2 = len(b2) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 out.append(b2)
 out.append(b'\x00')
 return [b''.join(out)]
SyncGroupResponse.encoders = {0: _encode_sync_group_response_0, 1: _encode_sync_group_response_1, 2: _encode_sync_group_response_1, 3: _encode_sync_group_response_1, 4: _encode_sync_group_response_4, 5: _encode_sync_group_response_5}
