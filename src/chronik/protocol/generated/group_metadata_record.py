"""GroupMetadataRecord: coordinator-key in versions 0 to 0 and coordinator-value in versions 0 to 4.

Generated from the message definitions of kafka-group-coordinator 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, varint, varint_rest

P_h = Packing('>h').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ih = Packing('>ih').pack
P_ii = Packing('>ii').pack
P_iiB = Packing('>iiB').pack
P_iii = Packing('>iii').pack
P_q = Packing('>q').pack
P_qB = Packing('>qB').pack
P_qi = Packing('>qi').pack
U_h = Packing('>h').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ih = Packing('>ih').unpack_from
U_ii = Packing('>ii').unpack_from
U_iiB = Packing('>iiB').unpack_from
U_iii = Packing('>iii').unpack_from
U_qB = Packing('>qB').unpack_from
U_qi = Packing('>qi').unpack_from


class GroupMetadataKey(Message):
 __slots__ = ('group', )
 api_key: ClassVar[int] = 2
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = None
 group: str
 def __init__(self, group: str = '') -> None:
  self.group = group

def _decode_group_metadata_key_0(view, size):
 pos = 0
 o0 = new(GroupMetadataKey)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('GroupMetadataKey.group')
 end = pos + n0
 if end > size: raise beyond('GroupMetadataKey.group')
 o0.group = view[pos:end].tobytes().decode()
 pos = end
 return o0, pos
GroupMetadataKey.decoders = {0: _decode_group_metadata_key_0}

def _encode_group_metadata_key_0(m):
 out = []
 b0 = m.group.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 return [b''.join(out)]
GroupMetadataKey.encoders = {0: _encode_group_metadata_key_0}


class MemberMetadata(Struct):
 __slots__ = ('member_id', 'group_instance_id', 'client_id', 'client_host', 'rebalance_timeout', 'session_timeout', 'subscription', 'assignment', )
 member_id: str
 group_instance_id: str | None
 client_id: str
 client_host: str
 rebalance_timeout: int
 session_timeout: int
 subscription: bytes
 assignment: bytes
 def __init__(self, member_id: str = '', group_instance_id: str | None = None, client_id: str = '', client_host: str = '', rebalance_timeout: int = -1, session_timeout: int = 0, subscription: bytes = b'', assignment: bytes = b'') -> None:
  self.member_id = member_id
  self.group_instance_id = group_instance_id
  self.client_id = client_id
  self.client_host = client_host
  self.rebalance_timeout = rebalance_timeout
  self.session_timeout = session_timeout
  self.subscription = subscription
  self.assignment = assignment


class GroupMetadataValue(Message):
 __slots__ = ('protocol_type', 'generation', 'protocol', 'leader', 'current_state_timestamp', 'members', )
 api_key: ClassVar[int] = 2
 versions: ClassVar[range] = range(0, 5)
 first_flexible: ClassVar[int | None] = 4
 protocol_type: str
 generation: int
 protocol: str | None
 leader: str | None
 current_state_timestamp: int
 members: list[MemberMetadata]
 def __init__(self, protocol_type: str = '', generation: int = 0, protocol: str | None = '', leader: str | None = '', current_state_timestamp: int = -1, members: list[MemberMetadata] = FRESH) -> None:
  self.protocol_type = protocol_type
  self.generation = generation
  self.protocol = protocol
  self.leader = leader
  self.current_state_timestamp = current_state_timestamp
  self.members = [] if members is FRESH else members

def _decode_group_metadata_value_0(view, size):
 pos = 0
 o0 = new(GroupMetadataValue)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('GroupMetadataValue.protocol_type')
 end = pos + n0
 if end > size: raise beyond('GroupMetadataValue.protocol_type')
 o0.protocol_type = view[pos:end].tobytes().decode()
 pos = end
 o0.generation, n1 = U_ih(view, pos)
 pos += 6
 if n1 < 0: o0.protocol = None
 else:
  end = pos + n1
  if end > size: raise beyond('GroupMetadataValue.protocol')
  o0.protocol = view[pos:end].tobytes().decode()
  pos = end
 n2, = U_h(view, pos)
 pos += 2
 if n2 < 0: o0.leader = None
 else:
  end = pos + n2
  if end > size: raise beyond('GroupMetadataValue.leader')
  o0.leader = view[pos:end].tobytes().decode()
  pos = end
 o0.current_state_timestamp = -1
 n3, = U_i(view, pos)
 pos += 4
 if n3 < 0: raise null('GroupMetadataValue.members')
 if n3 * 18 > size - pos: raise beyond('GroupMetadataValue.members')
 a0 = []
 for _ in range(n3):
  o1 = new(MemberMetadata)
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('MemberMetadata.member_id')
  end = pos + n4
  if end > size: raise beyond('MemberMetadata.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  o1.group_instance_id = None
  n5, = U_h(view, pos)
  pos += 2
  if n5 < 0: raise null('MemberMetadata.client_id')
  end = pos + n5
  if end > size: raise beyond('MemberMetadata.client_id')
  o1.client_id = view[pos:end].tobytes().decode()
  pos = end
  n6, = U_h(view, pos)
  pos += 2
  if n6 < 0: raise null('MemberMetadata.client_host')
  end = pos + n6
  if end > size: raise beyond('MemberMetadata.client_host')
  o1.client_host = view[pos:end].tobytes().decode()
  pos = end
  o1.rebalance_timeout = -1
  o1.session_timeout, n7 = U_ii(view, pos)
  pos += 8
  if n7 < 0: raise null('MemberMetadata.subscription')
  end = pos + n7
  if end > size: raise beyond('MemberMetadata.subscription')
  o1.subscription = view[pos:end].tobytes()
  pos = end
  n8, = U_i(view, pos)
  pos += 4
  if n8 < 0: raise null('MemberMetadata.assignment')
  end = pos + n8
  if end > size: raise beyond('MemberMetadata.assignment')
  o1.assignment = view[pos:end].tobytes()
  pos = end
  a0.append(o1)
 o0.members = a0
 return o0, pos
def _decode_group_metadata_value_1(view, size):
 pos = 0
 o0 = new(GroupMetadataValue)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('GroupMetadataValue.protocol_type')
 end = pos + n0
 if end > size: raise beyond('GroupMetadataValue.protocol_type')
 o0.protocol_type = view[pos:end].tobytes().decode()
 pos = end
 o0.generation, n1 = U_ih(view, pos)
 pos += 6
 if n1 < 0: o0.protocol = None
 else:
  end = pos + n1
  if end > size: raise beyond('GroupMetadataValue.protocol')
  o0.protocol = view[pos:end].tobytes().decode()
  pos = end
 n2, = U_h(view, pos)
 pos += 2
 if n2 < 0: o0.leader = None
 else:
  end = pos + n2
  if end > size: raise beyond('GroupMetadataValue.leader')
  o0.leader = view[pos:end].tobytes().decode()
  pos = end
 o0.current_state_timestamp = -1
 n3, = U_i(view, pos)
 pos += 4
 if n3 < 0: raise null('GroupMetadataValue.members')
 if n3 * 22 > size - pos: raise beyond('GroupMetadataValue.members')
 a0 = []
 for _ in range(n3):
  o1 = new(MemberMetadata)
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('MemberMetadata.member_id')
  end = pos + n4
  if end > size: raise beyond('MemberMetadata.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  o1.group_instance_id = None
  n5, = U_h(view, pos)
  pos += 2
  if n5 < 0: raise null('MemberMetadata.client_id')
  end = pos + n5
  if end > size: raise beyond('MemberMetadata.client_id')
  o1.client_id = view[pos:end].tobytes().decode()
  pos = end
  n6, = U_h(view, pos)
  pos += 2
  if n6 < 0: raise null('MemberMetadata.client_host')
  end = pos + n6
  if end > size: raise beyond('MemberMetadata.client_host')
  o1.client_host = view[pos:end].tobytes().decode()
  pos = end
  o1.rebalance_timeout, o1.session_timeout, n7 = U_iii(view, pos)
  pos += 12
  if n7 < 0: raise null('MemberMetadata.subscription')
  end = pos + n7
  if end > size: raise beyond('MemberMetadata.subscription')
  o1.subscription = view[pos:end].tobytes()
  pos = end
  n8, = U_i(view, pos)
  pos += 4
  if n8 < 0: raise null('MemberMetadata.assignment')
  end = pos + n8
  if end > size: raise beyond('MemberMetadata.assignment')
  o1.assignment = view[pos:end].tobytes()
  pos = end
  a0.append(o1)
 o0.members = a0
 return o0, pos
def _decode_group_metadata_value_2(view, size):
 pos = 0
 o0 = new(GroupMetadataValue)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('GroupMetadataValue.protocol_type')
 end = pos + n0
 if end > size: raise beyond('GroupMetadataValue.protocol_type')
 o0.protocol_type = view[pos:end].tobytes().decode()
 pos = end
 o0.generation, n1 = U_ih(view, pos)
 pos += 6
 if n1 < 0: o0.protocol = None
 else:
  end = pos + n1
  if end > size: raise beyond('GroupMetadataValue.protocol')
  o0.protocol = view[pos:end].tobytes().decode()
  pos = end
 n2, = U_h(view, pos)
 pos += 2
 if n2 < 0: o0.leader = None
 else:
  end = pos + n2
  if end > size: raise beyond('GroupMetadataValue.leader')
  o0.leader = view[pos:end].tobytes().decode()
  pos = end
 o0.current_state_timestamp, n3 = U_qi(view, pos)
 pos += 12
 if n3 < 0: raise null('GroupMetadataValue.members')
 if n3 * 22 > size - pos: raise beyond('GroupMetadataValue.members')
 a0 = []
 for _ in range(n3):
  o1 = new(MemberMetadata)
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('MemberMetadata.member_id')
  end = pos + n4
  if end > size: raise beyond('MemberMetadata.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  o1.group_instance_id = None
  n5, = U_h(view, pos)
  pos += 2
  if n5 < 0: raise null('MemberMetadata.client_id')
  end = pos + n5
  if end > size: raise beyond('MemberMetadata.client_id')
  o1.client_id = view[pos:end].tobytes().decode()
  pos = end
  n6, = U_h(view, pos)
  pos += 2
  if n6 < 0: raise null('MemberMetadata.client_host')
  end = pos + n6
  if end > size: raise beyond('MemberMetadata.client_host')
  o1.client_host = view[pos:end].tobytes().decode()
  pos = end
  o1.rebalance_timeout, o1.session_timeout, n7 = U_iii(view, pos)
  pos += 12
  if n7 < 0: raise null('MemberMetadata.subscription')
  end = pos + n7
  if end > size: raise beyond('MemberMetadata.subscription')
  o1.subscription = view[pos:end].tobytes()
  pos = end
  n8, = U_i(view, pos)
  pos += 4
  if n8 < 0: raise null('MemberMetadata.assignment')
  end = pos + n8
  if end > size: raise beyond('MemberMetadata.assignment')
  o1.assignment = view[pos:end].tobytes()
  pos = end
  a0.append(o1)
 o0.members = a0
 return o0, pos
def _decode_group_metadata_value_3(view, size):
 pos = 0
 o0 = new(GroupMetadataValue)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('GroupMetadataValue.protocol_type')
 end = pos + n0
 if end > size: raise beyond('GroupMetadataValue.protocol_type')
 o0.protocol_type = view[pos:end].tobytes().decode()
 pos = end
 o0.generation, n1 = U_ih(view, pos)
 pos += 6
 if n1 < 0: o0.protocol = None
 else:
  end = pos + n1
  if end > size: raise beyond('GroupMetadataValue.protocol')
  o0.protocol = view[pos:end].tobytes().decode()
  pos = end
 n2, = U_h(view, pos)
 pos += 2
 if n2 < 0: o0.leader = None
 else:
  end = pos + n2
  if end > size: raise beyond('GroupMetadataValue.leader')
  o0.leader = view[pos:end].tobytes().decode()
  pos = end
 o0.current_state_timestamp, n3 = U_qi(view, pos)
 pos += 12
 if n3 < 0: raise null('GroupMetadataValue.members')
 if n3 * 24 > size - pos: raise beyond('GroupMetadataValue.members')
 a0 = []
 for _ in range(n3):
  o1 = new(MemberMetadata)
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('MemberMetadata.member_id')
  end = pos + n4
  if end > size: raise beyond('MemberMetadata.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  n5, = U_h(view, pos)
  pos += 2
  if n5 < 0: o1.group_instance_id = None
  else:
   end = pos + n5
   if end > size: raise beyond('MemberMetadata.group_instance_id')
   o1.group_instance_id = view[pos:end].tobytes().decode()
   pos = end
  n6, = U_h(view, pos)
  pos += 2
  if n6 < 0: raise null('MemberMetadata.client_id')
  end = pos + n6
  if end > size: raise beyond('MemberMetadata.client_id')
  o1.client_id = view[pos:end].tobytes().decode()
  pos = end
  n7, = U_h(view, pos)
  pos += 2
  if n7 < 0: raise null('MemberMetadata.client_host')
  end = pos + n7
  if end > size: raise beyond('MemberMetadata.client_host')
  o1.client_host = view[pos:end].tobytes().decode()
  pos = end
  o1.rebalance_timeout, o1.session_timeout, n8 = U_iii(view, pos)
  pos += 12
  if n8 < 0: raise null('MemberMetadata.subscription')
  end = pos + n8
  if end > size: raise beyond('MemberMetadata.subscription')
  o1.subscription = view[pos:end].tobytes()
  pos = end
  n9, = U_i(view, pos)
  pos += 4
  if n9 < 0: raise null('MemberMetadata.assignment')
  end = pos + n9
  if end > size: raise beyond('MemberMetadata.assignment')
  o1.assignment = view[pos:end].tobytes()
  pos = end
  a0.append(o1)
 o0.members = a0
 return o0, pos
def _decode_group_metadata_value_4(view, size):
 pos = 0
 o0 = new(GroupMetadataValue)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('GroupMetadataValue.protocol_type')
 end = pos + n0 - 1
 if end > size: raise beyond('GroupMetadataValue.protocol_type')
 o0.protocol_type = view[pos:end].tobytes().decode()
 pos = end
 o0.generation, n1 = U_iB(view, pos)
 pos += 5
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: o0.protocol = None
 else:
  end = pos + n1 - 1
  if end > size: raise beyond('GroupMetadataValue.protocol')
  o0.protocol = view[pos:end].tobytes().decode()
  pos = end
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: o0.leader = None
 else:
  end = pos + n2 - 1
  if end > size: raise beyond('GroupMetadataValue.leader')
  o0.leader = view[pos:end].tobytes().decode()
  pos = end
 o0.current_state_timestamp, n3 = U_qB(view, pos)
 pos += 9
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: raise null('GroupMetadataValue.members')
 n3 -= 1
 if n3 * 15 > size - pos: raise beyond('GroupMetadataValue.members')
 a0 = []
 for _ in range(n3):
  o1 = new(MemberMetadata)
  n4 = view[pos]
  pos += 1
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('MemberMetadata.member_id')
  end = pos + n4 - 1
  if end > size: raise beyond('MemberMetadata.member_id')
  o1.member_id = view[pos:end].tobytes().decode()
  pos = end
  n5 = view[pos]
  pos += 1
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: o1.group_instance_id = None
  else:
   end = pos + n5 - 1
   if end > size: raise beyond('MemberMetadata.group_instance_id')
   o1.group_instance_id = view[pos:end].tobytes().decode()
   pos = end
  n6 = view[pos]
  pos += 1
  if n6 > 127:
   n6, pos = varint_rest(view, pos, n6)
  if not n6: raise null('MemberMetadata.client_id')
  end = pos + n6 - 1
  if end > size: raise beyond('MemberMetadata.client_id')
  o1.client_id = view[pos:end].tobytes().decode()
  pos = end
  n7 = view[pos]
  pos += 1
  if n7 > 127:
   n7, pos = varint_rest(view, pos, n7)
  if not n7: raise null('MemberMetadata.client_host')
  end = pos + n7 - 1
  if end > size: raise beyond('MemberMetadata.client_host')
  o1.client_host = view[pos:end].tobytes().decode()
  pos = end
  o1.rebalance_timeout, o1.session_timeout, n8 = U_iiB(view, pos)
  pos += 9
  if n8 > 127:
   n8, pos = varint_rest(view, pos, n8)
  if not n8: raise null('MemberMetadata.subscription')
  end = pos + n8 - 1
  if end > size: raise beyond('MemberMetadata.subscription')
  o1.subscription = view[pos:end].tobytes()
  pos = end
  n9 = view[pos]
  pos += 1
  if n9 > 127:
   n9, pos = varint_rest(view, pos, n9)
  if not n9: raise null('MemberMetadata.assignment')
  end = pos + n9 - 1
  if end > size: raise beyond('MemberMetadata.assignment')
  o1.assignment = view[pos:end].tobytes()
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
GroupMetadataValue.decoders = {0: _decode_group_metadata_value_0, 1: _decode_group_metadata_value_1, 2: _decode_group_metadata_value_2, 3: _decode_group_metadata_value_3, 4: _decode_group_metadata_value_4}

def _encode_group_metadata_value_0(m):
 out = []
 b0 = m.protocol_type.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.protocol
 if b1 is None:
  b1 = b''; n1 = -1
 else:
  b1 = b1.encode()
  n1 = len(b1)
 out.append(P_ih(m.generation, n1))
 out.append(b1)
 b2 = m.leader
 if b2 is None:
  b2 = b''; n2 = -1
 else:
  b2 = b2.encode()
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
  b4 = m0.client_id.encode()
  n5 = len(b4)
  out.append(P_h(n5))
  out.append(b4)
  b5 = m0.client_host.encode()
  n6 = len(b5)
  out.append(P_h(n6))
  out.append(b5)
  b6 = m0.subscription
  n7 = len(b6)
  out.append(P_ii(m0.session_timeout, n7))
  out.append(b6)
  b7 = m0.assignment
  n8 = len(b7)
  out.append(P_i(n8))
  out.append(b7)
 return [b''.join(out)]
def _encode_group_metadata_value_1(m):
 out = []
 b0 = m.protocol_type.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.protocol
 if b1 is None:
  b1 = b''; n1 = -1
 else:
  b1 = b1.encode()
  n1 = len(b1)
 out.append(P_ih(m.generation, n1))
 out.append(b1)
 b2 = m.leader
 if b2 is None:
  b2 = b''; n2 = -1
 else:
  b2 = b2.encode()
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
  b4 = m0.client_id.encode()
  n5 = len(b4)
  out.append(P_h(n5))
  out.append(b4)
  b5 = m0.client_host.encode()
  n6 = len(b5)
  out.append(P_h(n6))
  out.append(b5)
  b6 = m0.subscription
  n7 = len(b6)
  out.append(P_iii(m0.rebalance_timeout, m0.session_timeout, n7))
  out.append(b6)
  b7 = m0.assignment
  n8 = len(b7)
  out.append(P_i(n8))
  out.append(b7)
 return [b''.join(out)]
def _encode_group_metadata_value_2(m):
 out = []
 b0 = m.protocol_type.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.protocol
 if b1 is None:
  b1 = b''; n1 = -1
 else:
  b1 = b1.encode()
  n1 = len(b1)
 out.append(P_ih(m.generation, n1))
 out.append(b1)
 b2 = m.leader
 if b2 is None:
  b2 = b''; n2 = -1
 else:
  b2 = b2.encode()
  n2 = len(b2)
 out.append(P_h(n2))
 out.append(b2)
 a0 = m.members
 n3 = len(a0)
 out.append(P_qi(m.current_state_timestamp, n3))
 for m0 in a0:
  b3 = m0.member_id.encode()
  n4 = len(b3)
  out.append(P_h(n4))
  out.append(b3)
  b4 = m0.client_id.encode()
  n5 = len(b4)
  out.append(P_h(n5))
  out.append(b4)
  b5 = m0.client_host.encode()
  n6 = len(b5)
  out.append(P_h(n6))
  out.append(b5)
  b6 = m0.subscription
  n7 = len(b6)
  out.append(P_iii(m0.rebalance_timeout, m0.session_timeout, n7))
  out.append(b6)
  b7 = m0.assignment
  n8 = len(b7)
  out.append(P_i(n8))
  out.append(b7)
 return [b''.join(out)]
def _encode_group_metadata_value_3(m):
 out = []
 b0 = m.protocol_type.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.protocol
 if b1 is None:
  b1 = b''; n1 = -1
 else:
  b1 = b1.encode()
  n1 = len(b1)
 out.append(P_ih(m.generation, n1))
 out.append(b1)
 b2 = m.leader
 if b2 is None:
  b2 = b''; n2 = -1
 else:
  b2 = b2.encode()
  n2 = len(b2)
 out.append(P_h(n2))
 out.append(b2)
 a0 = m.members
 n3 = len(a0)
 out.append(P_qi(m.current_state_timestamp, n3))
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
  b5 = m0.client_id.encode()
  n6 = len(b5)
  out.append(P_h(n6))
  out.append(b5)
  b6 = m0.client_host.encode()
  n7 = len(b6)
  out.append(P_h(n7))
  out.append(b6)
  b7 = m0.subscription
  n8 = len(b7)
  out.append(P_iii(m0.rebalance_timeout, m0.session_timeout, n8))
  out.append(b7)
  b8 = m0.assignment
  n9 = len(b8)
  out.append(P_i(n9))
  out.append(b8)
 return [b''.join(out)]
def _encode_group_metadata_value_4(m):
 out = []
 b0 = m.protocol_type.encode()
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 b1 = m.protocol
 if b1 is None:
  b1 = b''; n1 = 0
 else:
  b1 = b1.encode()
  n1 = len(b1) + 1
 out.append(P_iB(m.generation, n1) if n1 < 128 else P_i(m.generation) + varint(n1))
 out.append(b1)
 b2 = m.leader
 if b2 is None:
  b2 = b''; n2 = 0
 else:
  b2 = b2.encode()
  n2 = len(b2) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 out.append(b2)
 a0 = m.members
 n3 = len(a0) + 1
 out.append(P_qB(m.current_state_timestamp, n3) if n3 < 128 else P_q(m.current_state_timestamp) + varint(n3))
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
  b5 = m0.client_id.encode()
  n6 = len(b5) + 1
  out.append(U8[n6] if n6 < 128 else varint(n6))
  out.append(b5)
  b6 = m0.client_host.encode()
  n7 = len(b6) + 1
  out.append(U8[n7] if n7 < 128 else varint(n7))
  out.append(b6)
  b7 = m0.subscription
  n8 = len(b7) + 1
  out.append(P_iiB(m0.rebalance_timeout, m0.session_timeout, n8) if n8 < 128 else P_ii(m0.rebalance_timeout, m0.session_timeout) + varint(n8))
  out.append(b7)
  b8 = m0.assignment
  n9 = len(b8) + 1
  out.append(U8[n9] if n9 < 128 else varint(n9))
  out.append(b8)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
GroupMetadataValue.encoders = {0: _encode_group_metadata_value_0, 1: _encode_group_metadata_value_1, 2: _encode_group_metadata_value_2, 3: _encode_group_metadata_value_3, 4: _encode_group_metadata_value_4}
