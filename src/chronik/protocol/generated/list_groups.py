"""ListGroups: request in versions 0 to 5 and response in versions 0 to 5.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, unsupported, varint, varint_rest

P_h = Packing('>h').pack
P_hi = Packing('>hi').pack
P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
P_ihi = Packing('>ihi').pack
U_h = Packing('>h').unpack_from
U_hi = Packing('>hi').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_ihi = Packing('>ihi').unpack_from


class ListGroupsRequest(Message):
 __slots__ = ('states_filter', 'types_filter', )
 api_key: ClassVar[int] = 16
 versions: ClassVar[range] = range(0, 6)
 first_flexible: ClassVar[int | None] = 3
 states_filter: list[str]
 types_filter: list[str]
 def __init__(self, states_filter: list[str] = FRESH, types_filter: list[str] = FRESH) -> None:
  self.states_filter = [] if states_filter is FRESH else states_filter
  self.types_filter = [] if types_filter is FRESH else types_filter

def _decode_list_groups_request_0(view, size):
 pos = 0
 o0 = new(ListGroupsRequest)
 o0.states_filter = []
 o0.types_filter = []
 return o0, pos
def _decode_list_groups_request_3(view, size):
 pos = 0
 o0 = new(ListGroupsRequest)
 o0.states_filter = []
 o0.types_filter = []
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
def _decode_list_groups_request_4(view, size):
 pos = 0
 o0 = new(ListGroupsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ListGroupsRequest.states_filter')
 n0 -= 1
 if n0 > size - pos: raise beyond('ListGroupsRequest.states_filter')
 a0 = []
 for _ in range(n0):
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ListGroupsRequest.states_filter')
  end = pos + n1 - 1
  if end > size: raise beyond('ListGroupsRequest.states_filter')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.states_filter = a0
 o0.types_filter = []
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
def _decode_list_groups_request_5(view, size):
 pos = 0
 o0 = new(ListGroupsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ListGroupsRequest.states_filter')
 n0 -= 1
 if n0 > size - pos: raise beyond('ListGroupsRequest.states_filter')
 a0 = []
 for _ in range(n0):
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ListGroupsRequest.states_filter')
  end = pos + n1 - 1
  if end > size: raise beyond('ListGroupsRequest.states_filter')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.states_filter = a0
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('ListGroupsRequest.types_filter')
 n2 -= 1
 if n2 > size - pos: raise beyond('ListGroupsRequest.types_filter')
 a1 = []
 for _ in range(n2):
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('ListGroupsRequest.types_filter')
  end = pos + n3 - 1
  if end > size: raise beyond('ListGroupsRequest.types_filter')
  e1 = view[pos:end].tobytes().decode()
  pos = end
  a1.append(e1)
 o0.types_filter = a1
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
ListGroupsRequest.decoders = {0: _decode_list_groups_request_0, 1: _decode_list_groups_request_0, 2: _decode_list_groups_request_0, 3: _decode_list_groups_request_3, 4: _decode_list_groups_request_4, 5: _decode_list_groups_request_5}

def _encode_list_groups_request_0(m):
 out = []
 if m.states_filter: raise unsupported('ListGroupsRequest.states_filter')
 if m.types_filter: raise unsupported('ListGroupsRequest.types_filter')
 return [b''.join(out)]
def _encode_list_groups_request_3(m):
 out = []
 if m.states_filter: raise unsupported('ListGroupsRequest.states_filter')
 if m.types_filter: raise unsupported('ListGroupsRequest.types_filter')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_list_groups_request_4(m):
 out = []
 a0 = m.states_filter
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(m0)
 if m.types_filter: raise unsupported('ListGroupsRequest.types_filter')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_list_groups_request_5(m):
 out = []
 a0 = m.states_filter
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(m0)
 a1 = m.types_filter
 n2 = len(a1) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 for m1 in a1:
  m1 = m1.encode()
  n3 = len(m1) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  out.append(m1)
 out.append(b'\x00')
 return [b''.join(out)]
ListGroupsRequest.encoders = {0: _encode_list_groups_request_0, 1: _encode_list_groups_request_0, 2: _encode_list_groups_request_0, 3: _encode_list_groups_request_3, 4: _encode_list_groups_request_4, 5: _encode_list_groups_request_5}


class ListedGroup(Struct):
 __slots__ = ('group_id', 'protocol_type', 'group_state', 'group_type', )
 group_id: str
 protocol_type: str
 group_state: str
 group_type: str
 def __init__(self, group_id: str = '', protocol_type: str = '', group_state: str = '', group_type: str = '') -> None:
  self.group_id = group_id
  self.protocol_type = protocol_type
  self.group_state = group_state
  self.group_type = group_type


class ListGroupsResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'groups', )
 api_key: ClassVar[int] = 16
 versions: ClassVar[range] = range(0, 6)
 first_flexible: ClassVar[int | None] = 3
 throttle_time_ms: int
 error_code: int
 groups: list[ListedGroup]
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, groups: list[ListedGroup] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.groups = [] if groups is FRESH else groups

def _decode_list_groups_response_0(view, size):
 pos = 0
 o0 = new(ListGroupsResponse)
 o0.throttle_time_ms = 0
 o0.error_code, n0 = U_hi(view, pos)
 pos += 6
 if n0 < 0: raise null('ListGroupsResponse.groups')
 if n0 * 4 > size - pos: raise beyond('ListGroupsResponse.groups')
 a0 = []
 for _ in range(n0):
  o1 = new(ListedGroup)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('ListedGroup.group_id')
  end = pos + n1
  if end > size: raise beyond('ListedGroup.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_h(view, pos)
  pos += 2
  if n2 < 0: raise null('ListedGroup.protocol_type')
  end = pos + n2
  if end > size: raise beyond('ListedGroup.protocol_type')
  o1.protocol_type = view[pos:end].tobytes().decode()
  pos = end
  o1.group_state = ''
  o1.group_type = ''
  a0.append(o1)
 o0.groups = a0
 return o0, pos
def _decode_list_groups_response_1(view, size):
 pos = 0
 o0 = new(ListGroupsResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihi(view, pos)
 pos += 10
 if n0 < 0: raise null('ListGroupsResponse.groups')
 if n0 * 4 > size - pos: raise beyond('ListGroupsResponse.groups')
 a0 = []
 for _ in range(n0):
  o1 = new(ListedGroup)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('ListedGroup.group_id')
  end = pos + n1
  if end > size: raise beyond('ListedGroup.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_h(view, pos)
  pos += 2
  if n2 < 0: raise null('ListedGroup.protocol_type')
  end = pos + n2
  if end > size: raise beyond('ListedGroup.protocol_type')
  o1.protocol_type = view[pos:end].tobytes().decode()
  pos = end
  o1.group_state = ''
  o1.group_type = ''
  a0.append(o1)
 o0.groups = a0
 return o0, pos
def _decode_list_groups_response_3(view, size):
 pos = 0
 o0 = new(ListGroupsResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ListGroupsResponse.groups')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('ListGroupsResponse.groups')
 a0 = []
 for _ in range(n0):
  o1 = new(ListedGroup)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ListedGroup.group_id')
  end = pos + n1 - 1
  if end > size: raise beyond('ListedGroup.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('ListedGroup.protocol_type')
  end = pos + n2 - 1
  if end > size: raise beyond('ListedGroup.protocol_type')
  o1.protocol_type = view[pos:end].tobytes().decode()
  pos = end
  o1.group_state = ''
  o1.group_type = ''
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.groups = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
def _decode_list_groups_response_4(view, size):
 pos = 0
 o0 = new(ListGroupsResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ListGroupsResponse.groups')
 n0 -= 1
 if n0 * 4 > size - pos: raise beyond('ListGroupsResponse.groups')
 a0 = []
 for _ in range(n0):
  o1 = new(ListedGroup)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ListedGroup.group_id')
  end = pos + n1 - 1
  if end > size: raise beyond('ListedGroup.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('ListedGroup.protocol_type')
  end = pos + n2 - 1
  if end > size: raise beyond('ListedGroup.protocol_type')
  o1.protocol_type = view[pos:end].tobytes().decode()
  pos = end
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('ListedGroup.group_state')
  end = pos + n3 - 1
  if end > size: raise beyond('ListedGroup.group_state')
  o1.group_state = view[pos:end].tobytes().decode()
  pos = end
  o1.group_type = ''
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.groups = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
def _decode_list_groups_response_5(view, size):
 pos = 0
 o0 = new(ListGroupsResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ListGroupsResponse.groups')
 n0 -= 1
 if n0 * 5 > size - pos: raise beyond('ListGroupsResponse.groups')
 a0 = []
 for _ in range(n0):
  o1 = new(ListedGroup)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ListedGroup.group_id')
  end = pos + n1 - 1
  if end > size: raise beyond('ListedGroup.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('ListedGroup.protocol_type')
  end = pos + n2 - 1
  if end > size: raise beyond('ListedGroup.protocol_type')
  o1.protocol_type = view[pos:end].tobytes().decode()
  pos = end
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('ListedGroup.group_state')
  end = pos + n3 - 1
  if end > size: raise beyond('ListedGroup.group_state')
  o1.group_state = view[pos:end].tobytes().decode()
  pos = end
  n4 = view[pos]
  pos += 1
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('ListedGroup.group_type')
  end = pos + n4 - 1
  if end > size: raise beyond('ListedGroup.group_type')
  o1.group_type = view[pos:end].tobytes().decode()
  pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.groups = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
ListGroupsResponse.decoders = {0: _decode_list_groups_response_0, 1: _decode_list_groups_response_1, 2: _decode_list_groups_response_1, 3: _decode_list_groups_response_3, 4: _decode_list_groups_response_4, 5: _decode_list_groups_response_5}

def _encode_list_groups_response_0(m):
 out = []
 a0 = m.groups
 n0 = len(a0)
 out.append(P_hi(m.error_code, n0))
 for m0 in a0:
  b0 = m0.group_id.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  b1 = m0.protocol_type.encode()
  n2 = len(b1)
  out.append(P_h(n2))
  out.append(b1)
 return [b''.join(out)]
def _encode_list_groups_response_1(m):
 out = []
 a0 = m.groups
 n0 = len(a0)
 out.append(P_ihi(m.throttle_time_ms, m.error_code, n0))
 for m0 in a0:
  b0 = m0.group_id.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  b1 = m0.protocol_type.encode()
  n2 = len(b1)
  out.append(P_h(n2))
  out.append(b1)
 return [b''.join(out)]
def _encode_list_groups_response_3(m):
 out = []
 a0 = m.groups
 n0 = len(a0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 for m0 in a0:
  b0 = m0.group_id.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  b1 = m0.protocol_type.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_list_groups_response_4(m):
 out = []
 a0 = m.groups
 n0 = len(a0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 for m0 in a0:
  b0 = m0.group_id.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  b1 = m0.protocol_type.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  b2 = m0.group_state.encode()
  n3 = len(b2) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  out.append(b2)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_list_groups_response_5(m):
 out = []
 a0 = m.groups
 n0 = len(a0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 for m0 in a0:
  b0 = m0.group_id.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  b1 = m0.protocol_type.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  b2 = m0.group_state.encode()
  n3 = len(b2) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  out.append(b2)
  b3 = m0.group_type.encode()
  n4 = len(b3) + 1
  out.append(U8[n4] if n4 < 128 else varint(n4))
  out.append(b3)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
ListGroupsResponse.encoders = {0: _encode_list_groups_response_0, 1: _encode_list_groups_response_1, 2: _encode_list_groups_response_1, 3: _encode_list_groups_response_3, 4: _encode_list_groups_response_4, 5: _encode_list_groups_response_5}
