"""DescribeGroups: request in versions 0 to 6 and response in versions 0 to 6.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, unsupported, varint, varint_rest

P_t = Packing('>?').pack
P_tx = Packing('>?x').pack
P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_hh = Packing('>hh').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ii = Packing('>ii').pack
P_ix = Packing('>ix').pack
U_t = Packing('>?').unpack_from
U_tB = Packing('>?B').unpack_from
U_h = Packing('>h').unpack_from
U_hB = Packing('>hB').unpack_from
U_hh = Packing('>hh').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ii = Packing('>ii').unpack_from


class DescribeGroupsRequest(Message):
 __slots__ = ('groups', 'include_authorized_operations', )
 api_key: ClassVar[int] = 15
 versions: ClassVar[range] = range(0, 7)
 first_flexible: ClassVar[int | None] = 5
 groups: list[str]
 include_authorized_operations: bool
 def __init__(self, groups: list[str] = FRESH, include_authorized_operations: bool = False) -> None:
  self.groups = [] if groups is FRESH else groups
  self.include_authorized_operations = include_authorized_operations

def _decode_describe_groups_request_0(view, size):
 pos = 0
 o0 = new(DescribeGroupsRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('DescribeGroupsRequest.groups')
 if n0 * 2 > size - pos: raise beyond('DescribeGroupsRequest.groups')
 a0 = []
 for _ in range(n0):
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('DescribeGroupsRequest.groups')
  end = pos + n1
  if end > size: raise beyond('DescribeGroupsRequest.groups')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.groups = a0
 o0.include_authorized_operations = False
 return o0, pos
def _decode_describe_groups_request_3(view, size):
 pos = 0
 o0 = new(DescribeGroupsRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('DescribeGroupsRequest.groups')
 if n0 * 2 > size - pos: raise beyond('DescribeGroupsRequest.groups')
 a0 = []
 for _ in range(n0):
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('DescribeGroupsRequest.groups')
  end = pos + n1
  if end > size: raise beyond('DescribeGroupsRequest.groups')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.groups = a0
 o0.include_authorized_operations, = U_t(view, pos)
 pos += 1
 return o0, pos
def _decode_describe_groups_request_5(view, size):
 pos = 0
 o0 = new(DescribeGroupsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DescribeGroupsRequest.groups')
 n0 -= 1
 if n0 > size - pos: raise beyond('DescribeGroupsRequest.groups')
 a0 = []
 for _ in range(n0):
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('DescribeGroupsRequest.groups')
  end = pos + n1 - 1
  if end > size: raise beyond('DescribeGroupsRequest.groups')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.groups = a0
 o0.include_authorized_operations, t0 = U_tB(view, pos)
 pos += 2
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
DescribeGroupsRequest.decoders = {0: _decode_describe_groups_request_0, 1: _decode_describe_groups_request_0, 2: _decode_describe_groups_request_0, 3: _decode_describe_groups_request_3, 4: _decode_describe_groups_request_3, 5: _decode_describe_groups_request_5, 6: _decode_describe_groups_request_5}

def _encode_describe_groups_request_0(m):
 out = []
 a0 = m.groups
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0)
  out.append(P_h(n1))
  out.append(m0)
 if m.include_authorized_operations: raise unsupported('DescribeGroupsRequest.include_authorized_operations')
 return [b''.join(out)]
def _encode_describe_groups_request_3(m):
 out = []
 a0 = m.groups
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0)
  out.append(P_h(n1))
  out.append(m0)
 out.append(P_t(m.include_authorized_operations))
 return [b''.join(out)]
def _encode_describe_groups_request_5(m):
 out = []
 a0 = m.groups
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(m0)
 out.append(P_tx(m.include_authorized_operations))
 return [b''.join(out)]
DescribeGroupsRequest.encoders = {0: _encode_describe_groups_request_0, 1: _encode_describe_groups_request_0, 2: _encode_describe_groups_request_0, 3: _encode_describe_groups_request_3, 4: _encode_describe_groups_request_3, 5: _encode_describe_groups_request_5, 6: _encode_describe_groups_request_5}


class DescribedGroupMember(Struct):
 __slots__ = ('member_id', 'group_instance_id', 'client_id', 'client_host', 'member_metadata', 'member_assignment', )
 member_id: str
 group_instance_id: str | None
 client_id: str
 client_host: str
 member_metadata: bytes
 member_assignment: bytes
 def __init__(self, member_id: str = '', group_instance_id: str | None = None, client_id: str = '', client_host: str = '', member_metadata: bytes = b'', member_assignment: bytes = b'') -> None:
  self.member_id = member_id
  self.group_instance_id = group_instance_id
  self.client_id = client_id
  self.client_host = client_host
  self.member_metadata = member_metadata
  self.member_assignment = member_assignment


class DescribedGroup(Struct):
 __slots__ = ('error_code', 'error_message', 'group_id', 'group_state', 'protocol_type', 'protocol_data', 'members', 'authorized_operations', )
 error_code: int
 error_message: str | None
 group_id: str
 group_state: str
 protocol_type: str
 protocol_data: str
 members: list[DescribedGroupMember]
 authorized_operations: int
 def __init__(self, error_code: int = 0, error_message: str | None = None, group_id: str = '', group_state: str = '', protocol_type: str = '', protocol_data: str = '', members: list[DescribedGroupMember] = FRESH, authorized_operations: int = -2147483648) -> None:
  self.error_code = error_code
  self.error_message = error_message
  self.group_id = group_id
  self.group_state = group_state
  self.protocol_type = protocol_type
  self.protocol_data = protocol_data
  self.members = [] if members is FRESH else members
  self.authorized_operations = authorized_operations


class DescribeGroupsResponse(Message):
 __slots__ = ('throttle_time_ms', 'groups', )
 api_key: ClassVar[int] = 15
 versions: ClassVar[range] = range(0, 7)
 first_flexible: ClassVar[int | None] = 5
 throttle_time_ms: int
 groups: list[DescribedGroup]
 def __init__(self, throttle_time_ms: int = 0, groups: list[DescribedGroup] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.groups = [] if groups is FRESH else groups

def _decode_describe_groups_response_0(view, size):
 pos = 0
 o0 = new(DescribeGroupsResponse)
 o0.throttle_time_ms = 0
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('DescribeGroupsResponse.groups')
 if n0 * 14 > size - pos: raise beyond('DescribeGroupsResponse.groups')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribedGroup)
  o1.error_message = None
  o1.error_code, n1 = U_hh(view, pos)
  pos += 4
  if n1 < 0: raise null('DescribedGroup.group_id')
  end = pos + n1
  if end > size: raise beyond('DescribedGroup.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_h(view, pos)
  pos += 2
  if n2 < 0: raise null('DescribedGroup.group_state')
  end = pos + n2
  if end > size: raise beyond('DescribedGroup.group_state')
  o1.group_state = view[pos:end].tobytes().decode()
  pos = end
  n3, = U_h(view, pos)
  pos += 2
  if n3 < 0: raise null('DescribedGroup.protocol_type')
  end = pos + n3
  if end > size: raise beyond('DescribedGroup.protocol_type')
  o1.protocol_type = view[pos:end].tobytes().decode()
  pos = end
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('DescribedGroup.protocol_data')
  end = pos + n4
  if end > size: raise beyond('DescribedGroup.protocol_data')
  o1.protocol_data = view[pos:end].tobytes().decode()
  pos = end
  n5, = U_i(view, pos)
  pos += 4
  if n5 < 0: raise null('DescribedGroup.members')
  if n5 * 14 > size - pos: raise beyond('DescribedGroup.members')
  a1 = []
  for _ in range(n5):
   o2 = new(DescribedGroupMember)
   n6, = U_h(view, pos)
   pos += 2
   if n6 < 0: raise null('DescribedGroupMember.member_id')
   end = pos + n6
   if end > size: raise beyond('DescribedGroupMember.member_id')
   o2.member_id = view[pos:end].tobytes().decode()
   pos = end
   o2.group_instance_id = None
   n7, = U_h(view, pos)
   pos += 2
   if n7 < 0: raise null('DescribedGroupMember.client_id')
   end = pos + n7
   if end > size: raise beyond('DescribedGroupMember.client_id')
   o2.client_id = view[pos:end].tobytes().decode()
   pos = end
   n8, = U_h(view, pos)
   pos += 2
   if n8 < 0: raise null('DescribedGroupMember.client_host')
   end = pos + n8
   if end > size: raise beyond('DescribedGroupMember.client_host')
   o2.client_host = view[pos:end].tobytes().decode()
   pos = end
   n9, = U_i(view, pos)
   pos += 4
   if n9 < 0: raise null('DescribedGroupMember.member_metadata')
   end = pos + n9
   if end > size: raise beyond('DescribedGroupMember.member_metadata')
   o2.member_metadata = view[pos:end].tobytes()
   pos = end
   n10, = U_i(view, pos)
   pos += 4
   if n10 < 0: raise null('DescribedGroupMember.member_assignment')
   end = pos + n10
   if end > size: raise beyond('DescribedGroupMember.member_assignment')
   o2.member_assignment = view[pos:end].tobytes()
   pos = end
   a1.append(o2)
  o1.members = a1
  o1.authorized_operations = -2147483648
  a0.append(o1)
 o0.groups = a0
 return o0, pos
def _decode_describe_groups_response_1(view, size):
 pos = 0
 o0 = new(DescribeGroupsResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('DescribeGroupsResponse.groups')
 if n0 * 14 > size - pos: raise beyond('DescribeGroupsResponse.groups')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribedGroup)
  o1.error_message = None
  o1.error_code, n1 = U_hh(view, pos)
  pos += 4
  if n1 < 0: raise null('DescribedGroup.group_id')
  end = pos + n1
  if end > size: raise beyond('DescribedGroup.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_h(view, pos)
  pos += 2
  if n2 < 0: raise null('DescribedGroup.group_state')
  end = pos + n2
  if end > size: raise beyond('DescribedGroup.group_state')
  o1.group_state = view[pos:end].tobytes().decode()
  pos = end
  n3, = U_h(view, pos)
  pos += 2
  if n3 < 0: raise null('DescribedGroup.protocol_type')
  end = pos + n3
  if end > size: raise beyond('DescribedGroup.protocol_type')
  o1.protocol_type = view[pos:end].tobytes().decode()
  pos = end
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('DescribedGroup.protocol_data')
  end = pos + n4
  if end > size: raise beyond('DescribedGroup.protocol_data')
  o1.protocol_data = view[pos:end].tobytes().decode()
  pos = end
  n5, = U_i(view, pos)
  pos += 4
  if n5 < 0: raise null('DescribedGroup.members')
  if n5 * 14 > size - pos: raise beyond('DescribedGroup.members')
  a1 = []
  for _ in range(n5):
   o2 = new(DescribedGroupMember)
   n6, = U_h(view, pos)
   pos += 2
   if n6 < 0: raise null('DescribedGroupMember.member_id')
   end = pos + n6
   if end > size: raise beyond('DescribedGroupMember.member_id')
   o2.member_id = view[pos:end].tobytes().decode()
   pos = end
   o2.group_instance_id = None
   n7, = U_h(view, pos)
   pos += 2
   if n7 < 0: raise null('DescribedGroupMember.client_id')
   end = pos + n7
   if end > size: raise beyond('DescribedGroupMember.client_id')
   o2.client_id = view[pos:end].tobytes().decode()
   pos = end
   n8, = U_h(view, pos)
   pos += 2
   if n8 < 0: raise null('DescribedGroupMember.client_host')
   end = pos + n8
   if end > size: raise beyond('DescribedGroupMember.client_host')
   o2.client_host = view[pos:end].tobytes().decode()
   pos = end
   n9, = U_i(view, pos)
   pos += 4
   if n9 < 0: raise null('DescribedGroupMember.member_metadata')
   end = pos + n9
   if end > size: raise beyond('DescribedGroupMember.member_metadata')
   o2.member_metadata = view[pos:end].tobytes()
   pos = end
   n10, = U_i(view, pos)
   pos += 4
   if n10 < 0: raise null('DescribedGroupMember.member_assignment')
   end = pos + n10
   if end > size: raise beyond('DescribedGroupMember.member_assignment')
   o2.member_assignment = view[pos:end].tobytes()
   pos = end
   a1.append(o2)
  o1.members = a1
  o1.authorized_operations = -2147483648
  a0.append(o1)
 o0.groups = a0
 return o0, pos
def _decode_describe_groups_response_3(view, size):
 pos = 0
 o0 = new(DescribeGroupsResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('DescribeGroupsResponse.groups')
 if n0 * 18 > size - pos: raise beyond('DescribeGroupsResponse.groups')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribedGroup)
  o1.error_message = None
  o1.error_code, n1 = U_hh(view, pos)
  pos += 4
  if n1 < 0: raise null('DescribedGroup.group_id')
  end = pos + n1
  if end > size: raise beyond('DescribedGroup.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_h(view, pos)
  pos += 2
  if n2 < 0: raise null('DescribedGroup.group_state')
  end = pos + n2
  if end > size: raise beyond('DescribedGroup.group_state')
  o1.group_state = view[pos:end].tobytes().decode()
  pos = end
  n3, = U_h(view, pos)
  pos += 2
  if n3 < 0: raise null('DescribedGroup.protocol_type')
  end = pos + n3
  if end > size: raise beyond('DescribedGroup.protocol_type')
  o1.protocol_type = view[pos:end].tobytes().decode()
  pos = end
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('DescribedGroup.protocol_data')
  end = pos + n4
  if end > size: raise beyond('DescribedGroup.protocol_data')
  o1.protocol_data = view[pos:end].tobytes().decode()
  pos = end
  n5, = U_i(view, pos)
  pos += 4
  if n5 < 0: raise null('DescribedGroup.members')
  if n5 * 14 > size - pos: raise beyond('DescribedGroup.members')
  a1 = []
  for _ in range(n5):
   o2 = new(DescribedGroupMember)
   n6, = U_h(view, pos)
   pos += 2
   if n6 < 0: raise null('DescribedGroupMember.member_id')
   end = pos + n6
   if end > size: raise beyond('DescribedGroupMember.member_id')
   o2.member_id = view[pos:end].tobytes().decode()
   pos = end
   o2.group_instance_id = None
   n7, = U_h(view, pos)
   pos += 2
   if n7 < 0: raise null('DescribedGroupMember.client_id')
   end = pos + n7
   if end > size: raise beyond('DescribedGroupMember.client_id')
   o2.client_id = view[pos:end].tobytes().decode()
   pos = end
   n8, = U_h(view, pos)
   pos += 2
   if n8 < 0: raise null('DescribedGroupMember.client_host')
   end = pos + n8
   if end > size: raise beyond('DescribedGroupMember.client_host')
   o2.client_host = view[pos:end].tobytes().decode()
   pos = end
   n9, = U_i(view, pos)
   pos += 4
   if n9 < 0: raise null('DescribedGroupMember.member_metadata')
   end = pos + n9
   if end > size: raise beyond('DescribedGroupMember.member_metadata')
   o2.member_metadata = view[pos:end].tobytes()
   pos = end
   n10, = U_i(view, pos)
   pos += 4
   if n10 < 0: raise null('DescribedGroupMember.member_assignment')
   end = pos + n10
   if end > size: raise beyond('DescribedGroupMember.member_assignment')
   o2.member_assignment = view[pos:end].tobytes()
   pos = end
   a1.append(o2)
  o1.members = a1
  o1.authorized_operations, = U_i(view, pos)
  pos += 4
  a0.append(o1)
 o0.groups = a0
 return o0, pos
def _decode_describe_groups_response_4(view, size):
 pos = 0
 o0 = new(DescribeGroupsResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('DescribeGroupsResponse.groups')
 if n0 * 18 > size - pos: raise beyond('DescribeGroupsResponse.groups')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribedGroup)
  o1.error_message = None
  o1.error_code, n1 = U_hh(view, pos)
  pos += 4
  if n1 < 0: raise null('DescribedGroup.group_id')
  end = pos + n1
  if end > size: raise beyond('DescribedGroup.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_h(view, pos)
  pos += 2
  if n2 < 0: raise null('DescribedGroup.group_state')
  end = pos + n2
  if end > size: raise beyond('DescribedGroup.group_state')
  o1.group_state = view[pos:end].tobytes().decode()
  pos = end
  n3, = U_h(view, pos)
  pos += 2
  if n3 < 0: raise null('DescribedGroup.protocol_type')
  end = pos + n3
  if end > size: raise beyond('DescribedGroup.protocol_type')
  o1.protocol_type = view[pos:end].tobytes().decode()
  pos = end
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('DescribedGroup.protocol_data')
  end = pos + n4
  if end > size: raise beyond('DescribedGroup.protocol_data')
  o1.protocol_data = view[pos:end].tobytes().decode()
  pos = end
  n5, = U_i(view, pos)
  pos += 4
  if n5 < 0: raise null('DescribedGroup.members')
  if n5 * 16 > size - pos: raise beyond('DescribedGroup.members')
  a1 = []
  for _ in range(n5):
   o2 = new(DescribedGroupMember)
   n6, = U_h(view, pos)
   pos += 2
   if n6 < 0: raise null('DescribedGroupMember.member_id')
   end = pos + n6
   if end > size: raise beyond('DescribedGroupMember.member_id')
   o2.member_id = view[pos:end].tobytes().decode()
   pos = end
   n7, = U_h(view, pos)
   pos += 2
   if n7 < 0: o2.group_instance_id = None
   else:
    end = pos + n7
    if end > size: raise beyond('DescribedGroupMember.group_instance_id')
    o2.group_instance_id = view[pos:end].tobytes().decode()
    pos = end
   n8, = U_h(view, pos)
   pos += 2
   if n8 < 0: raise null('DescribedGroupMember.client_id')
   end = pos + n8
   if end > size: raise beyond('DescribedGroupMember.client_id')
   o2.client_id = view[pos:end].tobytes().decode()
   pos = end
   n9, = U_h(view, pos)
   pos += 2
   if n9 < 0: raise null('DescribedGroupMember.client_host')
   end = pos + n9
   if end > size: raise beyond('DescribedGroupMember.client_host')
   o2.client_host = view[pos:end].tobytes().decode()
   pos = end
   n10, = U_i(view, pos)
   pos += 4
   if n10 < 0: raise null('DescribedGroupMember.member_metadata')
   end = pos + n10
   if end > size: raise beyond('DescribedGroupMember.member_metadata')
   o2.member_metadata = view[pos:end].tobytes()
   pos = end
   n11, = U_i(view, pos)
   pos += 4
   if n11 < 0: raise null('DescribedGroupMember.member_assignment')
   end = pos + n11
   if end > size: raise beyond('DescribedGroupMember.member_assignment')
   o2.member_assignment = view[pos:end].tobytes()
   pos = end
   a1.append(o2)
  o1.members = a1
  o1.authorized_operations, = U_i(view, pos)
  pos += 4
  a0.append(o1)
 o0.groups = a0
 return o0, pos
def _decode_describe_groups_response_5(view, size):
 pos = 0
 o0 = new(DescribeGroupsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DescribeGroupsResponse.groups')
 n0 -= 1
 if n0 * 12 > size - pos: raise beyond('DescribeGroupsResponse.groups')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribedGroup)
  o1.error_message = None
  o1.error_code, n1 = U_hB(view, pos)
  pos += 3
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('DescribedGroup.group_id')
  end = pos + n1 - 1
  if end > size: raise beyond('DescribedGroup.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('DescribedGroup.group_state')
  end = pos + n2 - 1
  if end > size: raise beyond('DescribedGroup.group_state')
  o1.group_state = view[pos:end].tobytes().decode()
  pos = end
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('DescribedGroup.protocol_type')
  end = pos + n3 - 1
  if end > size: raise beyond('DescribedGroup.protocol_type')
  o1.protocol_type = view[pos:end].tobytes().decode()
  pos = end
  n4 = view[pos]
  pos += 1
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('DescribedGroup.protocol_data')
  end = pos + n4 - 1
  if end > size: raise beyond('DescribedGroup.protocol_data')
  o1.protocol_data = view[pos:end].tobytes().decode()
  pos = end
  n5 = view[pos]
  pos += 1
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('DescribedGroup.members')
  n5 -= 1
  if n5 * 7 > size - pos: raise beyond('DescribedGroup.members')
  a1 = []
  for _ in range(n5):
   o2 = new(DescribedGroupMember)
   n6 = view[pos]
   pos += 1
   if n6 > 127:
    n6, pos = varint_rest(view, pos, n6)
   if not n6: raise null('DescribedGroupMember.member_id')
   end = pos + n6 - 1
   if end > size: raise beyond('DescribedGroupMember.member_id')
   o2.member_id = view[pos:end].tobytes().decode()
   pos = end
   n7 = view[pos]
   pos += 1
   if n7 > 127:
    n7, pos = varint_rest(view, pos, n7)
   if not n7: o2.group_instance_id = None
   else:
    end = pos + n7 - 1
    if end > size: raise beyond('DescribedGroupMember.group_instance_id')
    o2.group_instance_id = view[pos:end].tobytes().decode()
    pos = end
   n8 = view[pos]
   pos += 1
   if n8 > 127:
    n8, pos = varint_rest(view, pos, n8)
   if not n8: raise null('DescribedGroupMember.client_id')
   end = pos + n8 - 1
   if end > size: raise beyond('DescribedGroupMember.client_id')
   o2.client_id = view[pos:end].tobytes().decode()
   pos = end
   n9 = view[pos]
   pos += 1
   if n9 > 127:
    n9, pos = varint_rest(view, pos, n9)
   if not n9: raise null('DescribedGroupMember.client_host')
   end = pos + n9 - 1
   if end > size: raise beyond('DescribedGroupMember.client_host')
   o2.client_host = view[pos:end].tobytes().decode()
   pos = end
   n10 = view[pos]
   pos += 1
   if n10 > 127:
    n10, pos = varint_rest(view, pos, n10)
   if not n10: raise null('DescribedGroupMember.member_metadata')
   end = pos + n10 - 1
   if end > size: raise beyond('DescribedGroupMember.member_metadata')
   o2.member_metadata = view[pos:end].tobytes()
   pos = end
   n11 = view[pos]
   pos += 1
   if n11 > 127:
    n11, pos = varint_rest(view, pos, n11)
   if not n11: raise null('DescribedGroupMember.member_assignment')
   end = pos + n11 - 1
   if end > size: raise beyond('DescribedGroupMember.member_assignment')
   o2.member_assignment = view[pos:end].tobytes()
   pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.members = a1
  o1.authorized_operations, t1 = U_iB(view, pos)
  pos += 5
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.groups = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
def _decode_describe_groups_response_6(view, size):
 pos = 0
 o0 = new(DescribeGroupsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DescribeGroupsResponse.groups')
 n0 -= 1
 if n0 * 13 > size - pos: raise beyond('DescribeGroupsResponse.groups')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribedGroup)
  o1.error_code, n1 = U_hB(view, pos)
  pos += 3
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: o1.error_message = None
  else:
   end = pos + n1 - 1
   if end > size: raise beyond('DescribedGroup.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('DescribedGroup.group_id')
  end = pos + n2 - 1
  if end > size: raise beyond('DescribedGroup.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('DescribedGroup.group_state')
  end = pos + n3 - 1
  if end > size: raise beyond('DescribedGroup.group_state')
  o1.group_state = view[pos:end].tobytes().decode()
  pos = end
  n4 = view[pos]
  pos += 1
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('DescribedGroup.protocol_type')
  end = pos + n4 - 1
  if end > size: raise beyond('DescribedGroup.protocol_type')
  o1.protocol_type = view[pos:end].tobytes().decode()
  pos = end
  n5 = view[pos]
  pos += 1
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('DescribedGroup.protocol_data')
  end = pos + n5 - 1
  if end > size: raise beyond('DescribedGroup.protocol_data')
  o1.protocol_data = view[pos:end].tobytes().decode()
  pos = end
  n6 = view[pos]
  pos += 1
  if n6 > 127:
   n6, pos = varint_rest(view, pos, n6)
  if not n6: raise null('DescribedGroup.members')
  n6 -= 1
  if n6 * 7 > size - pos: raise beyond('DescribedGroup.members')
  a1 = []
  for _ in range(n6):
   o2 = new(DescribedGroupMember)
   n7 = view[pos]
   pos += 1
   if n7 > 127:
    n7, pos = varint_rest(view, pos, n7)
   if not n7: raise null('DescribedGroupMember.member_id')
   end = pos + n7 - 1
   if end > size: raise beyond('DescribedGroupMember.member_id')
   o2.member_id = view[pos:end].tobytes().decode()
   pos = end
   n8 = view[pos]
   pos += 1
   if n8 > 127:
    n8, pos = varint_rest(view, pos, n8)
   if not n8: o2.group_instance_id = None
   else:
    end = pos + n8 - 1
    if end > size: raise beyond('DescribedGroupMember.group_instance_id')
    o2.group_instance_id = view[pos:end].tobytes().decode()
    pos = end
   n9 = view[pos]
   pos += 1
   if n9 > 127:
    n9, pos = varint_rest(view, pos, n9)
   if not n9: raise null('DescribedGroupMember.client_id')
   end = pos + n9 - 1
   if end > size: raise beyond('DescribedGroupMember.client_id')
   o2.client_id = view[pos:end].tobytes().decode()
   pos = end
   n10 = view[pos]
   pos += 1
   if n10 > 127:
    n10, pos = varint_rest(view, pos, n10)
   if not n10: raise null('DescribedGroupMember.client_host')
   end = pos + n10 - 1
   if end > size: raise beyond('DescribedGroupMember.client_host')
   o2.client_host = view[pos:end].tobytes().decode()
   pos = end
   n11 = view[pos]
   pos += 1
   if n11 > 127:
    n11, pos = varint_rest(view, pos, n11)
   if not n11: raise null('DescribedGroupMember.member_metadata')
   end = pos + n11 - 1
   if end > size: raise beyond('DescribedGroupMember.member_metadata')
   o2.member_metadata = view[pos:end].tobytes()
   pos = end
   n12 = view[pos]
   pos += 1
   if n12 > 127:
    n12, pos = varint_rest(view, pos, n12)
   if not n12: raise null('DescribedGroupMember.member_assignment')
   end = pos + n12 - 1
   if end > size: raise beyond('DescribedGroupMember.member_assignment')
   o2.member_assignment = view[pos:end].tobytes()
   pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.members = a1
  o1.authorized_operations, t1 = U_iB(view, pos)
  pos += 5
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.groups = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
DescribeGroupsResponse.decoders = {0: _decode_describe_groups_response_0, 1: _decode_describe_groups_response_1, 2: _decode_describe_groups_response_1, 3: _decode_describe_groups_response_3, 4: _decode_describe_groups_response_4, 5: _decode_describe_groups_response_5, 6: _decode_describe_groups_response_6}

def _encode_describe_groups_response_0(m):
 out = []
 a0 = m.groups
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  if m0.error_message is not None: raise unsupported('DescribedGroup.error_message')
  b0 = m0.group_id.encode()
  n1 = len(b0)
  out.append(P_hh(m0.error_code, n1))
  out.append(b0)
  b1 = m0.group_state.encode()
  n2 = len(b1)
  out.append(P_h(n2))
  out.append(b1)
  b2 = m0.protocol_type.encode()
  n3 = len(b2)
  out.append(P_h(n3))
  out.append(b2)
  b3 = m0.protocol_data.encode()
  n4 = len(b3)
  out.append(P_h(n4))
  out.append(b3)
  a1 = m0.members
  n5 = len(a1)
  out.append(P_i(n5))
  for m1 in a1:
   b4 = m1.member_id.encode()
   n6 = len(b4)
   out.append(P_h(n6))
   out.append(b4)
   b5 = m1.client_id.encode()
   n7 = len(b5)
   out.append(P_h(n7))
   out.append(b5)
   b6 = m1.client_host.encode()
   n8 = len(b6)
   out.append(P_h(n8))
   out.append(b6)
   b7 = m1.member_metadata
   n9 = len(b7)
   out.append(P_i(n9))
   out.append(b7)
   b8 = m1.member_assignment
   n10 = len(b8)
   out.append(P_i(n10))
   out.append(b8)
  if m0.authorized_operations != -2147483648: raise unsupported('DescribedGroup.authorized_operations')
 return [b''.join(out)]
def _encode_describe_groups_response_1(m):
 out = []
 a0 = m.groups
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  if m0.error_message is not None: raise unsupported('DescribedGroup.error_message')
  b0 = m0.group_id.encode()
  n1 = len(b0)
  out.append(P_hh(m0.error_code, n1))
  out.append(b0)
  b1 = m0.group_state.encode()
  n2 = len(b1)
  out.append(P_h(n2))
  out.append(b1)
  b2 = m0.protocol_type.encode()
  n3 = len(b2)
  out.append(P_h(n3))
  out.append(b2)
  b3 = m0.protocol_data.encode()
  n4 = len(b3)
  out.append(P_h(n4))
  out.append(b3)
  a1 = m0.members
  n5 = len(a1)
  out.append(P_i(n5))
  for m1 in a1:
   b4 = m1.member_id.encode()
   n6 = len(b4)
   out.append(P_h(n6))
   out.append(b4)
   b5 = m1.client_id.encode()
   n7 = len(b5)
   out.append(P_h(n7))
   out.append(b5)
   b6 = m1.client_host.encode()
   n8 = len(b6)
   out.append(P_h(n8))
   out.append(b6)
   b7 = m1.member_metadata
   n9 = len(b7)
   out.append(P_i(n9))
   out.append(b7)
   b8 = m1.member_assignment
   n10 = len(b8)
   out.append(P_i(n10))
   out.append(b8)
  if m0.authorized_operations != -2147483648: raise unsupported('DescribedGroup.authorized_operations')
 return [b''.join(out)]
def _encode_describe_groups_response_3(m):
 out = []
 a0 = m.groups
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  if m0.error_message is not None: raise unsupported('DescribedGroup.error_message')
  b0 = m0.group_id.encode()
  n1 = len(b0)
  out.append(P_hh(m0.error_code, n1))
  out.append(b0)
  b1 = m0.group_state.encode()
  n2 = len(b1)
  out.append(P_h(n2))
  out.append(b1)
  b2 = m0.protocol_type.encode()
  n3 = len(b2)
  out.append(P_h(n3))
  out.append(b2)
  b3 = m0.protocol_data.encode()
  n4 = len(b3)
  out.append(P_h(n4))
  out.append(b3)
  a1 = m0.members
  n5 = len(a1)
  out.append(P_i(n5))
  for m1 in a1:
   b4 = m1.member_id.encode()
   n6 = len(b4)
   out.append(P_h(n6))
   out.append(b4)
   b5 = m1.client_id.encode()
   n7 = len(b5)
   out.append(P_h(n7))
   out.append(b5)
   b6 = m1.client_host.encode()
   n8 = len(b6)
   out.append(P_h(n8))
   out.append(b6)
   b7 = m1.member_metadata
   n9 = len(b7)
   out.append(P_i(n9))
   out.append(b7)
   b8 = m1.member_assignment
   n10 = len(b8)
   out.append(P_i(n10))
   out.append(b8)
  out.append(P_i(m0.authorized_operations))
 return [b''.join(out)]
def _encode_describe_groups_response_4(m):
 out = []
 a0 = m.groups
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  if m0.error_message is not None: raise unsupported('DescribedGroup.error_message')
  b0 = m0.group_id.encode()
  n1 = len(b0)
  out.append(P_hh(m0.error_code, n1))
  out.append(b0)
  b1 = m0.group_state.encode()
  n2 = len(b1)
  out.append(P_h(n2))
  out.append(b1)
  b2 = m0.protocol_type.encode()
  n3 = len(b2)
  out.append(P_h(n3))
  out.append(b2)
  b3 = m0.protocol_data.encode()
  n4 = len(b3)
  out.append(P_h(n4))
  out.append(b3)
  a1 = m0.members
  n5 = len(a1)
  out.append(P_i(n5))
  for m1 in a1:
   b4 = m1.member_id.encode()
   n6 = len(b4)
   out.append(P_h(n6))
   out.append(b4)
   b5 = m1.group_instance_id
   if b5 is None:
    b5 = b''; n7 = -1
   else:
    b5 = b5.encode()
    n7 = len(b5)
   out.append(P_h(n7))
   out.append(b5)
   b6 = m1.client_id.encode()
   n8 = len(b6)
   out.append(P_h(n8))
   out.append(b6)
   b7 = m1.client_host.encode()
   n9 = len(b7)
   out.append(P_h(n9))
   out.append(b7)
   b8 = m1.member_metadata
   n10 = len(b8)
   out.append(P_i(n10))
   out.append(b8)
   b9 = m1.member_assignment
   n11 = len(b9)
   out.append(P_i(n11))
   out.append(b9)
  out.append(P_i(m0.authorized_operations))
 return [b''.join(out)]
def _encode_describe_groups_response_5(m):
 out = []
 a0 = m.groups
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  if m0.error_message is not None: raise unsupported('DescribedGroup.error_message')
  b0 = m0.group_id.encode()
  n1 = len(b0) + 1
  out.append(P_hB(m0.error_code, n1) if n1 < 128 else P_h(m0.error_code) + varint(n1))
  out.append(b0)
  b1 = m0.group_state.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  b2 = m0.protocol_type.encode()
  n3 = len(b2) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  out.append(b2)
  b3 = m0.protocol_data.encode()
  n4 = len(b3) + 1
  out.append(U8[n4] if n4 < 128 else varint(n4))
  out.append(b3)
  a1 = m0.members
  n5 = len(a1) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  for m1 in a1:
   b4 = m1.member_id.encode()
   n6 = len(b4) + 1
   out.append(U8[n6] if n6 < 128 else varint(n6))
   out.append(b4)
   b5 = m1.group_instance_id
   if b5 is None:
    b5 = b''; n7 = 0
   else:
    b5 = b5.encode()
    n7 = len(b5) + 1
   out.append(U8[n7] if n7 < 128 else varint(n7))
   out.append(b5)
   b6 = m1.client_id.encode()
   n8 = len(b6) + 1
   out.append(U8[n8] if n8 < 128 else varint(n8))
   out.append(b6)
   b7 = m1.client_host.encode()
   n9 = len(b7) + 1
   out.append(U8[n9] if n9 < 128 else varint(n9))
   out.append(b7)
   b8 = m1.member_metadata
   n10 = len(b8) + 1
   out.append(U8[n10] if n10 < 128 else varint(n10))
   out.append(b8)
   b9 = m1.member_assignment
   n11 = len(b9) + 1
   out.append(U8[n11] if n11 < 128 else varint(n11))
   out.append(b9)
   out.append(b'\x00')
  out.append(P_ix(m0.authorized_operations))
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_describe_groups_response_6(m):
 out = []
 a0 = m.groups
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.error_message
  if b0 is None:
   b0 = b''; n1 = 0
  else:
   b0 = b0.encode()
   n1 = len(b0) + 1
  out.append(P_hB(m0.error_code, n1) if n1 < 128 else P_h(m0.error_code) + varint(n1))
  out.append(b0)
  b1 = m0.group_id.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  b2 = m0.group_state.encode()
  n3 = len(b2) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  out.append(b2)
  b3 = m0.protocol_type.encode()
  n4 = len(b3) + 1
  out.append(U8[n4] if n4 < 128 else varint(n4))
  out.append(b3)
  b4 = m0.protocol_data.encode()
  n5 = len(b4) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  out.append(b4)
  a1 = m0.members
  n6 = len(a1) + 1
  out.append(U8[n6] if n6 < 128 else varint(n6))
  for m1 in a1:
   b5 = m1.member_id.encode()
   n7 = len(b5) + 1
   out.append(U8[n7] if n7 < 128 else varint(n7))
   out.append(b5)
   b6 = m1.group_instance_id
   if b6 is None:
    b6 = b''; n8 = 0
   else:
    b6 = b6.encode()
    n8 = len(b6) + 1
   out.append(U8[n8] if n8 < 128 else varint(n8))
   out.append(b6)
   b7 = m1.client_id.encode()
   n9 = len(b7) + 1
   out.append(U8[n9] if n9 < 128 else varint(n9))
   out.append(b7)
   b8 = m1.client_host.encode()
   n10 = len(b8) + 1
   out.append(U8[n10] if n10 < 128 else varint(n10))
   out.append(b8)
   b9 = m1.member_metadata
   n11 = len(b9) + 1
   out.append(U8[n11] if n11 < 128 else varint(n11))
   out.append(b9)
   b10 = m1.member_assignment
   n12 = len(b10) + 1
   out.append(U8[n12] if n12 < 128 else varint(n12))
   out.append(b10)
   out.append(b'\x00')
  out.append(P_ix(m0.authorized_operations))
 out.append(b'\x00')
 return [b''.join(out)]
DescribeGroupsResponse.encoders = {0: _encode_describe_groups_response_0, 1: _encode_describe_groups_response_1, 2: _encode_describe_groups_response_1, 3: _encode_describe_groups_response_3, 4: _encode_describe_groups_response_4, 5: _encode_describe_groups_response_5, 6: _encode_describe_groups_response_6}
