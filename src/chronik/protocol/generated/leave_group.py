"""LeaveGroup: request in versions 0 to 5 and response in versions 0 to 5.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, unsupported, varint, varint_rest

P_h = Packing('>h').pack
P_hx = Packing('>hx').pack
P_i = Packing('>i').pack
P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
P_ihi = Packing('>ihi').pack
U_h = Packing('>h').unpack_from
U_hB = Packing('>hB').unpack_from
U_i = Packing('>i').unpack_from
U_ih = Packing('>ih').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_ihi = Packing('>ihi').unpack_from


class MemberIdentity(Struct):
 __slots__ = ('member_id', 'group_instance_id', 'reason', )
 member_id: str
 group_instance_id: str | None
 reason: str | None
 def __init__(self, member_id: str = '', group_instance_id: str | None = None, reason: str | None = None) -> None:
  self.member_id = member_id
  self.group_instance_id = group_instance_id
  self.reason = reason


class LeaveGroupRequest(Message):
 __slots__ = ('group_id', 'member_id', 'members', )
 api_key: ClassVar[int] = 13
 versions: ClassVar[range] = range(0, 6)
 first_flexible: ClassVar[int | None] = 4
 group_id: str
 member_id: str
 members: list[MemberIdentity]
 def __init__(self, group_id: str = '', member_id: str = '', members: list[MemberIdentity] = FRESH) -> None:
  self.group_id = group_id
  self.member_id = member_id
  self.members = [] if members is FRESH else members

def _decode_leave_group_request_0(view, size):
 pos = 0
 o0 = new(LeaveGroupRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('LeaveGroupRequest.group_id')
 end = pos + n0
 if end > size: raise beyond('LeaveGroupRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 n1, = U_h(view, pos)
 pos += 2
 if n1 < 0: raise null('LeaveGroupRequest.member_id')
 end = pos + n1
 if end > size: raise beyond('LeaveGroupRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 o0.members = []
 return o0, pos
def _decode_leave_group_request_3(view, size):
 pos = 0
 o0 = new(LeaveGroupRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('LeaveGroupRequest.group_id')
 end = pos + n0
 if end > size: raise beyond('LeaveGroupRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.member_id = ''
 n1, = U_i(view, pos)
 pos += 4
 if n1 < 0: raise null('LeaveGroupRequest.members')
 if n1 * 4 > size - pos: raise beyond('LeaveGroupRequest.members')
 a0 = []
 for _ in range(n1):
  o1 = new(MemberIdentity)
  n2, = U_h(view, pos)
  pos += 2
  if n2 < 0: raise null('MemberIdentity.member_id')
  end = pos + n2
  if end > size: raise beyond('MemberIdentity.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  n3, = U_h(view, pos)
  pos += 2
  if n3 < 0: o1.group_instance_id = None
  else:
   end = pos + n3
   if end > size: raise beyond('MemberIdentity.group_instance_id')
   o1.group_instance_id = view[pos:end].tobytes().decode()
   pos = end
  o1.reason = None
  a0.append(o1)
 o0.members = a0
 return o0, pos
def _decode_leave_group_request_4(view, size):
 pos = 0
 o0 = new(LeaveGroupRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('LeaveGroupRequest.group_id')
 end = pos + n0 - 1
 if end > size: raise beyond('LeaveGroupRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.member_id = ''
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('LeaveGroupRequest.members')
 n1 -= 1
 if n1 * 3 > size - pos: raise beyond('LeaveGroupRequest.members')
 a0 = []
 for _ in range(n1):
  o1 = new(MemberIdentity)
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('MemberIdentity.member_id')
  end = pos + n2 - 1
  if end > size: raise beyond('MemberIdentity.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: o1.group_instance_id = None
  else:
   end = pos + n3 - 1
   if end > size: raise beyond('MemberIdentity.group_instance_id')
   o1.group_instance_id = view[pos:end].tobytes().decode()
   pos = end
  o1.reason = None
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
def _decode_leave_group_request_5(view, size):
 pos = 0
 o0 = new(LeaveGroupRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('LeaveGroupRequest.group_id')
 end = pos + n0 - 1
 if end > size: raise beyond('LeaveGroupRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.member_id = ''
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('LeaveGroupRequest.members')
 n1 -= 1
 if n1 * 4 > size - pos: raise beyond('LeaveGroupRequest.members')
 a0 = []
 for _ in range(n1):
  o1 = new(MemberIdentity)
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('MemberIdentity.member_id')
  end = pos + n2 - 1
  if end > size: raise beyond('MemberIdentity.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: o1.group_instance_id = None
  else:
   end = pos + n3 - 1
   if end > size: raise beyond('MemberIdentity.group_instance_id')
   o1.group_instance_id = view[pos:end].tobytes().decode()
   pos = end
  n4 = view[pos]
  pos += 1
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: o1.reason = None
  else:
   end = pos + n4 - 1
   if end > size: raise beyond('MemberIdentity.reason')
   o1.reason = view[pos:end].tobytes().decode()
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
LeaveGroupRequest.decoders = {0: _decode_leave_group_request_0, 1: _decode_leave_group_request_0, 2: _decode_leave_group_request_0, 3: _decode_leave_group_request_3, 4: _decode_leave_group_request_4, 5: _decode_leave_group_request_5}

def _encode_leave_group_request_0(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.member_id.encode()
 n1 = len(b1)
 out.append(P_h(n1))
 out.append(b1)
 if m.members: raise unsupported('LeaveGroupRequest.members')
 return [b''.join(out)]
def _encode_leave_group_request_3(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 if m.member_id != '': raise unsupported('LeaveGroupRequest.member_id')
 a0 = m.members
 n1 = len(a0)
 out.append(P_i(n1))
 for m0 in a0:
  b1 = m0.member_id.encode()
  n2 = len(b1)
  out.append(P_h(n2))
  out.append(b1)
  b2 = m0.group_instance_id
  if b2 is None:
   b2 = b''; n3 = -1
  else:
   b2 = b2.encode()
   n3 = len(b2)
  out.append(P_h(n3))
  out.append(b2)
 return [b''.join(out)]
def _encode_leave_group_request_4(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 if m.member_id != '': raise unsupported('LeaveGroupRequest.member_id')
 a0 = m.members
 n1 = len(a0) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 for m0 in a0:
  b1 = m0.member_id.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  b2 = m0.group_instance_id
  if b2 is None:
   b2 = b''; n3 = 0
  else:
   b2 = b2.encode()
   n3 = len(b2) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  out.append(b2)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_leave_group_request_5(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 if m.member_id != '': raise unsupported('LeaveGroupRequest.member_id')
 a0 = m.members
 n1 = len(a0) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 for m0 in a0:
  b1 = m0.member_id.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  b2 = m0.group_instance_id
  if b2 is None:
   b2 = b''; n3 = 0
  else:
   b2 = b2.encode()
   n3 = len(b2) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  out.append(b2)
  b3 = m0.reason
  if b3 is None:
   b3 = b''; n4 = 0
  else:
   b3 = b3.encode()
   n4 = len(b3) + 1
  out.append(U8[n4] if n4 < 128 else varint(n4))
  out.append(b3)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
LeaveGroupRequest.encoders = {0: _encode_leave_group_request_0, 1: _encode_leave_group_request_0, 2: _encode_leave_group_request_0, 3: _encode_leave_group_request_3, 4: _encode_leave_group_request_4, 5: _encode_leave_group_request_5}


class MemberResponse(Struct):
 __slots__ = ('member_id', 'group_instance_id', 'error_code', )
 member_id: str
 group_instance_id: str | None
 error_code: int
 def __init__(self, member_id: str = '', group_instance_id: str | None = '', error_code: int = 0) -> None:
  self.member_id = member_id
  self.group_instance_id = group_instance_id
  self.error_code = error_code


class LeaveGroupResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'members', )
 api_key: ClassVar[int] = 13
 versions: ClassVar[range] = range(0, 6)
 first_flexible: ClassVar[int | None] = 4
 throttle_time_ms: int
 error_code: int
 members: list[MemberResponse]
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, members: list[MemberResponse] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.members = [] if members is FRESH else members

def _decode_leave_group_response_0(view, size):
 pos = 0
 o0 = new(LeaveGroupResponse)
 o0.throttle_time_ms = 0
 o0.members = []
 o0.error_code, = U_h(view, pos)
 pos += 2
 return o0, pos
def _decode_leave_group_response_1(view, size):
 pos = 0
 o0 = new(LeaveGroupResponse)
 o0.members = []
 o0.throttle_time_ms, o0.error_code = U_ih(view, pos)
 pos += 6
 return o0, pos
def _decode_leave_group_response_3(view, size):
 pos = 0
 o0 = new(LeaveGroupResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihi(view, pos)
 pos += 10
 if n0 < 0: raise null('LeaveGroupResponse.members')
 if n0 * 6 > size - pos: raise beyond('LeaveGroupResponse.members')
 a0 = []
 for _ in range(n0):
  o1 = new(MemberResponse)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('MemberResponse.member_id')
  end = pos + n1
  if end > size: raise beyond('MemberResponse.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_h(view, pos)
  pos += 2
  if n2 < 0: o1.group_instance_id = None
  else:
   end = pos + n2
   if end > size: raise beyond('MemberResponse.group_instance_id')
   o1.group_instance_id = view[pos:end].tobytes().decode()
   pos = end
  o1.error_code, = U_h(view, pos)
  pos += 2
  a0.append(o1)
 o0.members = a0
 return o0, pos
def _decode_leave_group_response_4(view, size):
 pos = 0
 o0 = new(LeaveGroupResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('LeaveGroupResponse.members')
 n0 -= 1
 if n0 * 5 > size - pos: raise beyond('LeaveGroupResponse.members')
 a0 = []
 for _ in range(n0):
  o1 = new(MemberResponse)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('MemberResponse.member_id')
  end = pos + n1 - 1
  if end > size: raise beyond('MemberResponse.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.group_instance_id = None
  else:
   end = pos + n2 - 1
   if end > size: raise beyond('MemberResponse.group_instance_id')
   o1.group_instance_id = view[pos:end].tobytes().decode()
   pos = end
  o1.error_code, t0 = U_hB(view, pos)
  pos += 3
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.members = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
LeaveGroupResponse.decoders = {0: _decode_leave_group_response_0, 1: _decode_leave_group_response_1, 2: _decode_leave_group_response_1, 3: _decode_leave_group_response_3, 4: _decode_leave_group_response_4, 5: _decode_leave_group_response_4}

def _encode_leave_group_response_0(m):
 out = []
 if m.members: raise unsupported('LeaveGroupResponse.members')
 out.append(P_h(m.error_code))
 return [b''.join(out)]
def _encode_leave_group_response_1(m):
 out = []
 if m.members: raise unsupported('LeaveGroupResponse.members')
 out.append(P_ih(m.throttle_time_ms, m.error_code))
 return [b''.join(out)]
def _encode_leave_group_response_3(m):
 out = []
 a0 = m.members
 n0 = len(a0)
 out.append(P_ihi(m.throttle_time_ms, m.error_code, n0))
 for m0 in a0:
  b0 = m0.member_id.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  b1 = m0.group_instance_id
  if b1 is None:
   b1 = b''; n2 = -1
  else:
   b1 = b1.encode()
   n2 = len(b1)
  out.append(P_h(n2))
  out.append(b1)
  out.append(P_h(m0.error_code))
 return [b''.join(out)]
def _encode_leave_group_response_4(m):
 out = []
 a0 = m.members
 n0 = len(a0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 for m0 in a0:
  b0 = m0.member_id.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  b1 = m0.group_instance_id
  if b1 is None:
   b1 = b''; n2 = 0
  else:
   b1 = b1.encode()
   n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  out.append(P_hx(m0.error_code))
 out.append(b'\x00')
 return [b''.join(out)]
LeaveGroupResponse.encoders = {0: _encode_leave_group_response_0, 1: _encode_leave_group_response_1, 2: _encode_leave_group_response_1, 3: _encode_leave_group_response_3, 4: _encode_leave_group_response_4, 5: _encode_leave_group_response_4}
