"""OffsetFetch: request in versions 1 to 9 and response in versions 1 to 9.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, NO_UUID, U8, UUID, Message, Packing, Struct, beyond, new, null, pack, skip_tags, unpack_from, unsupported, varint, varint_rest

P_tx = Packing('>?x').pack
P_h = Packing('>h').pack
P_hx = Packing('>hx').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ii = Packing('>ii').pack
P_iqh = Packing('>iqh').pack
P_iqi = Packing('>iqi').pack
P_iqiB = Packing('>iqiB').pack
P_iqih = Packing('>iqih').pack
U_tB = Packing('>?B').unpack_from
U_h = Packing('>h').unpack_from
U_hB = Packing('>hB').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ii = Packing('>ii').unpack_from
U_iqh = Packing('>iqh').unpack_from
U_iqiB = Packing('>iqiB').unpack_from
U_iqih = Packing('>iqih').unpack_from


class OffsetFetchRequestTopic(Struct):
 __slots__ = ('name', 'partition_indexes', )
 name: str
 partition_indexes: list[int]
 def __init__(self, name: str = '', partition_indexes: list[int] = FRESH) -> None:
  self.name = name
  self.partition_indexes = [] if partition_indexes is FRESH else partition_indexes


class OffsetFetchRequestTopics(Struct):
 __slots__ = ('name', 'topic_id', 'partition_indexes', )
 name: str
 topic_id: UUID
 partition_indexes: list[int]
 def __init__(self, name: str = '', topic_id: UUID = NO_UUID, partition_indexes: list[int] = FRESH) -> None:
  self.name = name
  self.topic_id = topic_id
  self.partition_indexes = [] if partition_indexes is FRESH else partition_indexes


class OffsetFetchRequestGroup(Struct):
 __slots__ = ('group_id', 'member_id', 'member_epoch', 'topics', )
 group_id: str
 member_id: str | None
 member_epoch: int
 topics: list[OffsetFetchRequestTopics] | None
 def __init__(self, group_id: str = '', member_id: str | None = None, member_epoch: int = -1, topics: list[OffsetFetchRequestTopics] | None = FRESH) -> None:
  self.group_id = group_id
  self.member_id = member_id
  self.member_epoch = member_epoch
  self.topics = [] if topics is FRESH else topics


class OffsetFetchRequest(Message):
 __slots__ = ('group_id', 'topics', 'groups', 'require_stable', )
 api_key: ClassVar[int] = 9
 versions: ClassVar[range] = range(1, 10)
 first_flexible: ClassVar[int | None] = 6
 group_id: str
 topics: list[OffsetFetchRequestTopic] | None
 groups: list[OffsetFetchRequestGroup]
 require_stable: bool
 def __init__(self, group_id: str = '', topics: list[OffsetFetchRequestTopic] | None = FRESH, groups: list[OffsetFetchRequestGroup] = FRESH, require_stable: bool = False) -> None:
  self.group_id = group_id
  self.topics = [] if topics is FRESH else topics
  self.groups = [] if groups is FRESH else groups
  self.require_stable = require_stable

def _decode_offset_fetch_request_1(view, size):
 pos = 0
 o0 = new(OffsetFetchRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('OffsetFetchRequest.group_id')
 end = pos + n0
 if end > size: raise beyond('OffsetFetchRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 n1, = U_i(view, pos)
 pos += 4
 if n1 < 0: raise null('OffsetFetchRequest.topics')
 if n1 * 6 > size - pos: raise beyond('OffsetFetchRequest.topics')
 a0 = []
 for _ in range(n1):
  o1 = new(OffsetFetchRequestTopic)
  n2, = U_h(view, pos)
  pos += 2
  if n2 < 0: raise null('OffsetFetchRequestTopic.name')
  end = pos + n2
  if end > size: raise beyond('OffsetFetchRequestTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n3, = U_i(view, pos)
  pos += 4
  if n3 < 0: raise null('OffsetFetchRequestTopic.partition_indexes')
  if n3 * 4 > size - pos: raise beyond('OffsetFetchRequestTopic.partition_indexes')
  o1.partition_indexes = list(unpack_from(f'>{n3}i', view, pos))
  pos += n3 * 4
  a0.append(o1)
 o0.topics = a0
 o0.groups = []
 o0.require_stable = False
 return o0, pos
def _decode_offset_fetch_request_2(view, size):
 pos = 0
 o0 = new(OffsetFetchRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('OffsetFetchRequest.group_id')
 end = pos + n0
 if end > size: raise beyond('OffsetFetchRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 n1, = U_i(view, pos)
 pos += 4
 if n1 < 0: o0.topics = None
 else:
  if n1 * 6 > size - pos: raise beyond('OffsetFetchRequest.topics')
  a0 = []
  for _ in range(n1):
   o1 = new(OffsetFetchRequestTopic)
   n2, = U_h(view, pos)
   pos += 2
   if n2 < 0: raise null('OffsetFetchRequestTopic.name')
   end = pos + n2
   if end > size: raise beyond('OffsetFetchRequestTopic.name')
   o1.name = view[pos:end].tobytes().decode()
   pos = end
   n3, = U_i(view, pos)
   pos += 4
   if n3 < 0: raise null('OffsetFetchRequestTopic.partition_indexes')
   if n3 * 4 > size - pos: raise beyond('OffsetFetchRequestTopic.partition_indexes')
   o1.partition_indexes = list(unpack_from(f'>{n3}i', view, pos))
   pos += n3 * 4
   a0.append(o1)
  o0.topics = a0
 o0.groups = []
 o0.require_stable = False
 return o0, pos
def _decode_offset_fetch_request_6(view, size):
 pos = 0
 o0 = new(OffsetFetchRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('OffsetFetchRequest.group_id')
 end = pos + n0 - 1
 if end > size: raise beyond('OffsetFetchRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: o0.topics = None
 else:
  n1 -= 1
  if n1 * 3 > size - pos: raise beyond('OffsetFetchRequest.topics')
  a0 = []
  for _ in range(n1):
   o1 = new(OffsetFetchRequestTopic)
   n2 = view[pos]
   pos += 1
   if n2 > 127:
    n2, pos = varint_rest(view, pos, n2)
   if not n2: raise null('OffsetFetchRequestTopic.name')
   end = pos + n2 - 1
   if end > size: raise beyond('OffsetFetchRequestTopic.name')
   o1.name = view[pos:end].tobytes().decode()
   pos = end
   n3 = view[pos]
   pos += 1
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: raise null('OffsetFetchRequestTopic.partition_indexes')
   n3 -= 1
   if n3 * 4 > size - pos: raise beyond('OffsetFetchRequestTopic.partition_indexes')
   o1.partition_indexes = list(unpack_from(f'>{n3}i', view, pos))
   pos += n3 * 4
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a0.append(o1)
  o0.topics = a0
 o0.groups = []
 o0.require_stable = False
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
def _decode_offset_fetch_request_7(view, size):
 pos = 0
 o0 = new(OffsetFetchRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('OffsetFetchRequest.group_id')
 end = pos + n0 - 1
 if end > size: raise beyond('OffsetFetchRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: o0.topics = None
 else:
  n1 -= 1
  if n1 * 3 > size - pos: raise beyond('OffsetFetchRequest.topics')
  a0 = []
  for _ in range(n1):
   o1 = new(OffsetFetchRequestTopic)
   n2 = view[pos]
   pos += 1
   if n2 > 127:
    n2, pos = varint_rest(view, pos, n2)
   if not n2: raise null('OffsetFetchRequestTopic.name')
   end = pos + n2 - 1
   if end > size: raise beyond('OffsetFetchRequestTopic.name')
   o1.name = view[pos:end].tobytes().decode()
   pos = end
   n3 = view[pos]
   pos += 1
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: raise null('OffsetFetchRequestTopic.partition_indexes')
   n3 -= 1
   if n3 * 4 > size - pos: raise beyond('OffsetFetchRequestTopic.partition_indexes')
   o1.partition_indexes = list(unpack_from(f'>{n3}i', view, pos))
   pos += n3 * 4
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a0.append(o1)
  o0.topics = a0
 o0.groups = []
 o0.require_stable, t1 = U_tB(view, pos)
 pos += 2
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
def _decode_offset_fetch_request_8(view, size):
 pos = 0
 o0 = new(OffsetFetchRequest)
 o0.group_id = ''
 o0.topics = []
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('OffsetFetchRequest.groups')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('OffsetFetchRequest.groups')
 a0 = []
 for _ in range(n0):
  o1 = new(OffsetFetchRequestGroup)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('OffsetFetchRequestGroup.group_id')
  end = pos + n1 - 1
  if end > size: raise beyond('OffsetFetchRequestGroup.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  o1.member_id = None
  o1.member_epoch = -1
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.topics = None
  else:
   n2 -= 1
   if n2 * 3 > size - pos: raise beyond('OffsetFetchRequestGroup.topics')
   a1 = []
   for _ in range(n2):
    o2 = new(OffsetFetchRequestTopics)
    n3 = view[pos]
    pos += 1
    if n3 > 127:
     n3, pos = varint_rest(view, pos, n3)
    if not n3: raise null('OffsetFetchRequestTopics.name')
    end = pos + n3 - 1
    if end > size: raise beyond('OffsetFetchRequestTopics.name')
    o2.name = view[pos:end].tobytes().decode()
    pos = end
    o2.topic_id = NO_UUID
    n4 = view[pos]
    pos += 1
    if n4 > 127:
     n4, pos = varint_rest(view, pos, n4)
    if not n4: raise null('OffsetFetchRequestTopics.partition_indexes')
    n4 -= 1
    if n4 * 4 > size - pos: raise beyond('OffsetFetchRequestTopics.partition_indexes')
    o2.partition_indexes = list(unpack_from(f'>{n4}i', view, pos))
    pos += n4 * 4
    t0 = view[pos]
    pos += 1
    if t0:
     pos = skip_tags(view, pos, t0, size)
    a1.append(o2)
   o1.topics = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.groups = a0
 o0.require_stable, t2 = U_tB(view, pos)
 pos += 2
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
def _decode_offset_fetch_request_9(view, size):
 pos = 0
 o0 = new(OffsetFetchRequest)
 o0.group_id = ''
 o0.topics = []
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('OffsetFetchRequest.groups')
 n0 -= 1
 if n0 * 8 > size - pos: raise beyond('OffsetFetchRequest.groups')
 a0 = []
 for _ in range(n0):
  o1 = new(OffsetFetchRequestGroup)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('OffsetFetchRequestGroup.group_id')
  end = pos + n1 - 1
  if end > size: raise beyond('OffsetFetchRequestGroup.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.member_id = None
  else:
   end = pos + n2 - 1
   if end > size: raise beyond('OffsetFetchRequestGroup.member_id')
   o1.member_id = view[pos:end].tobytes().decode()
   pos = end
  o1.member_epoch, n3 = U_iB(view, pos)
  pos += 5
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: o1.topics = None
  else:
   n3 -= 1
   if n3 * 3 > size - pos: raise beyond('OffsetFetchRequestGroup.topics')
   a1 = []
   for _ in range(n3):
    o2 = new(OffsetFetchRequestTopics)
    n4 = view[pos]
    pos += 1
    if n4 > 127:
     n4, pos = varint_rest(view, pos, n4)
    if not n4: raise null('OffsetFetchRequestTopics.name')
    end = pos + n4 - 1
    if end > size: raise beyond('OffsetFetchRequestTopics.name')
    o2.name = view[pos:end].tobytes().decode()
    pos = end
    o2.topic_id = NO_UUID
    n5 = view[pos]
    pos += 1
    if n5 > 127:
     n5, pos = varint_rest(view, pos, n5)
    if not n5: raise null('OffsetFetchRequestTopics.partition_indexes')
    n5 -= 1
    if n5 * 4 > size - pos: raise beyond('OffsetFetchRequestTopics.partition_indexes')
    o2.partition_indexes = list(unpack_from(f'>{n5}i', view, pos))
    pos += n5 * 4
    t0 = view[pos]
    pos += 1
    if t0:
     pos = skip_tags(view, pos, t0, size)
    a1.append(o2)
   o1.topics = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.groups = a0
 o0.require_stable, t2 = U_tB(view, pos)
 pos += 2
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
OffsetFetchRequest.decoders = {1: _decode_offset_fetch_request_1, 2: _decode_offset_fetch_request_2, 3: _decode_offset_fetch_request_2, 4: _decode_offset_fetch_request_2, 5: _decode_offset_fetch_request_2, 6: _decode_offset_fetch_request_6, 7: _decode_offset_fetch_request_7, 8: _decode_offset_fetch_request_8, 9: _decode_offset_fetch_request_9}

def _encode_offset_fetch_request_1(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 a0 = m.topics
 n1 = len(a0)
 out.append(P_i(n1))
 for m0 in a0:
  b1 = m0.name.encode()
  n2 = len(b1)
  out.append(P_h(n2))
  out.append(b1)
  a1 = m0.partition_indexes
  n3 = len(a1)
  out.append(P_i(n3))
  if a1: out.append(pack(f'>{len(a1)}i', *a1))
 if m.groups: raise unsupported('OffsetFetchRequest.groups')
 if m.require_stable: raise unsupported('OffsetFetchRequest.require_stable')
 return [b''.join(out)]
def _encode_offset_fetch_request_2(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 a0 = m.topics
 n1 = -1 if a0 is None else len(a0)
 out.append(P_i(n1))
 for m0 in a0 or ():
  b1 = m0.name.encode()
  n2 = len(b1)
  out.append(P_h(n2))
  out.append(b1)
  a1 = m0.partition_indexes
  n3 = len(a1)
  out.append(P_i(n3))
  if a1: out.append(pack(f'>{len(a1)}i', *a1))
 if m.groups: raise unsupported('OffsetFetchRequest.groups')
 if m.require_stable: raise unsupported('OffsetFetchRequest.require_stable')
 return [b''.join(out)]
def _encode_offset_fetch_request_6(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 a0 = m.topics
 n1 = 0 if a0 is None else len(a0) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 for m0 in a0 or ():
  b1 = m0.name.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  a1 = m0.partition_indexes
  n3 = len(a1) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  if a1: out.append(pack(f'>{len(a1)}i', *a1))
  out.append(b'\x00')
 if m.groups: raise unsupported('OffsetFetchRequest.groups')
 if m.require_stable: raise unsupported('OffsetFetchRequest.require_stable')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_offset_fetch_request_7(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 a0 = m.topics
 n1 = 0 if a0 is None else len(a0) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 for m0 in a0 or ():
  b1 = m0.name.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  a1 = m0.partition_indexes
  n3 = len(a1) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  if a1: out.append(pack(f'>{len(a1)}i', *a1))
  out.append(b'\x00')
 if m.groups: raise unsupported('OffsetFetchRequest.groups')
 out.append(P_tx(m.require_stable))
 return [b''.join(out)]
def _encode_offset_fetch_request_8(m):
 out = []
 if m.group_id != '': raise unsupported('OffsetFetchRequest.group_id')
 if (m.topics is None or m.topics): raise unsupported('OffsetFetchRequest.topics')
 a0 = m.groups
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.group_id.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.topics
  n2 = 0 if a1 is None else len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1 or ():
   b1 = m1.name.encode()
   n3 = len(b1) + 1
   out.append(U8[n3] if n3 < 128 else varint(n3))
   out.append(b1)
   a2 = m1.partition_indexes
   n4 = len(a2) + 1
   out.append(U8[n4] if n4 < 128 else varint(n4))
   if a2: out.append(pack(f'>{len(a2)}i', *a2))
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(P_tx(m.require_stable))
 return [b''.join(out)]
def _encode_offset_fetch_request_9(m):
 out = []
 if m.group_id != '': raise unsupported('OffsetFetchRequest.group_id')
 if (m.topics is None or m.topics): raise unsupported('OffsetFetchRequest.topics')
 a0 = m.groups
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.group_id.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  b1 = m0.member_id
  if b1 is None:
   b1 = b''; n2 = 0
  else:
   b1 = b1.encode()
   n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  a1 = m0.topics
  n3 = 0 if a1 is None else len(a1) + 1
  out.append(P_iB(m0.member_epoch, n3) if n3 < 128 else P_i(m0.member_epoch) + varint(n3))
  for m1 in a1 or ():
   b2 = m1.name.encode()
   n4 = len(b2) + 1
   out.append(U8[n4] if n4 < 128 else varint(n4))
   out.append(b2)
   a2 = m1.partition_indexes
   n5 = len(a2) + 1
   out.append(U8[n5] if n5 < 128 else varint(n5))
   if a2: out.append(pack(f'>{len(a2)}i', *a2))
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(P_tx(m.require_stable))
 return [b''.join(out)]
OffsetFetchRequest.encoders = {1: _encode_offset_fetch_request_1, 2: _encode_offset_fetch_request_2, 3: _encode_offset_fetch_request_2, 4: _encode_offset_fetch_request_2, 5: _encode_offset_fetch_request_2, 6: _encode_offset_fetch_request_6, 7: _encode_offset_fetch_request_7, 8: _encode_offset_fetch_request_8, 9: _encode_offset_fetch_request_9}


class OffsetFetchResponsePartition(Struct):
 __slots__ = ('partition_index', 'committed_offset', 'committed_leader_epoch', 'metadata', 'error_code', )
 partition_index: int
 committed_offset: int
 committed_leader_epoch: int
 metadata: str | None
 error_code: int
 def __init__(self, partition_index: int = 0, committed_offset: int = 0, committed_leader_epoch: int = -1, metadata: str | None = '', error_code: int = 0) -> None:
  self.partition_index = partition_index
  self.committed_offset = committed_offset
  self.committed_leader_epoch = committed_leader_epoch
  self.metadata = metadata
  self.error_code = error_code


class OffsetFetchResponseTopic(Struct):
 __slots__ = ('name', 'partitions', )
 name: str
 partitions: list[OffsetFetchResponsePartition]
 def __init__(self, name: str = '', partitions: list[OffsetFetchResponsePartition] = FRESH) -> None:
  self.name = name
  self.partitions = [] if partitions is FRESH else partitions


class OffsetFetchResponsePartitions(Struct):
 __slots__ = ('partition_index', 'committed_offset', 'committed_leader_epoch', 'metadata', 'error_code', )
 partition_index: int
 committed_offset: int
 committed_leader_epoch: int
 metadata: str | None
 error_code: int
 def __init__(self, partition_index: int = 0, committed_offset: int = 0, committed_leader_epoch: int = -1, metadata: str | None = '', error_code: int = 0) -> None:
  self.partition_index = partition_index
  self.committed_offset = committed_offset
  self.committed_leader_epoch = committed_leader_epoch
  self.metadata = metadata
  self.error_code = error_code


class OffsetFetchResponseTopics(Struct):
 __slots__ = ('name', 'topic_id', 'partitions', )
 name: str
 topic_id: UUID
 partitions: list[OffsetFetchResponsePartitions]
 def __init__(self, name: str = '', topic_id: UUID = NO_UUID, partitions: list[OffsetFetchResponsePartitions] = FRESH) -> None:
  self.name = name
  self.topic_id = topic_id
  self.partitions = [] if partitions is FRESH else partitions


class OffsetFetchResponseGroup(Struct):
 __slots__ = ('group_id', 'topics', 'error_code', )
 group_id: str
 topics: list[OffsetFetchResponseTopics]
 error_code: int
 def __init__(self, group_id: str = '', topics: list[OffsetFetchResponseTopics] = FRESH, error_code: int = 0) -> None:
  self.group_id = group_id
  self.topics = [] if topics is FRESH else topics
  self.error_code = error_code


class OffsetFetchResponse(Message):
 __slots__ = ('throttle_time_ms', 'topics', 'error_code', 'groups', )
 api_key: ClassVar[int] = 9
 versions: ClassVar[range] = range(1, 10)
 first_flexible: ClassVar[int | None] = 6
 throttle_time_ms: int
 topics: list[OffsetFetchResponseTopic]
 error_code: int
 groups: list[OffsetFetchResponseGroup]
 def __init__(self, throttle_time_ms: int = 0, topics: list[OffsetFetchResponseTopic] = FRESH, error_code: int = 0, groups: list[OffsetFetchResponseGroup] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.topics = [] if topics is FRESH else topics
  self.error_code = error_code
  self.groups = [] if groups is FRESH else groups

def _decode_offset_fetch_response_1(view, size):
 pos = 0
 o0 = new(OffsetFetchResponse)
 o0.throttle_time_ms = 0
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('OffsetFetchResponse.topics')
 if n0 * 6 > size - pos: raise beyond('OffsetFetchResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(OffsetFetchResponseTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('OffsetFetchResponseTopic.name')
  end = pos + n1
  if end > size: raise beyond('OffsetFetchResponseTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('OffsetFetchResponseTopic.partitions')
  if n2 * 16 > size - pos: raise beyond('OffsetFetchResponseTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(OffsetFetchResponsePartition)
   o2.committed_leader_epoch = -1
   o2.partition_index, o2.committed_offset, n3 = U_iqh(view, pos)
   pos += 14
   if n3 < 0: o2.metadata = None
   else:
    end = pos + n3
    if end > size: raise beyond('OffsetFetchResponsePartition.metadata')
    o2.metadata = view[pos:end].tobytes().decode()
    pos = end
   o2.error_code, = U_h(view, pos)
   pos += 2
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 o0.error_code = 0
 o0.groups = []
 return o0, pos
def _decode_offset_fetch_response_2(view, size):
 pos = 0
 o0 = new(OffsetFetchResponse)
 o0.throttle_time_ms = 0
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('OffsetFetchResponse.topics')
 if n0 * 6 > size - pos: raise beyond('OffsetFetchResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(OffsetFetchResponseTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('OffsetFetchResponseTopic.name')
  end = pos + n1
  if end > size: raise beyond('OffsetFetchResponseTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('OffsetFetchResponseTopic.partitions')
  if n2 * 16 > size - pos: raise beyond('OffsetFetchResponseTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(OffsetFetchResponsePartition)
   o2.committed_leader_epoch = -1
   o2.partition_index, o2.committed_offset, n3 = U_iqh(view, pos)
   pos += 14
   if n3 < 0: o2.metadata = None
   else:
    end = pos + n3
    if end > size: raise beyond('OffsetFetchResponsePartition.metadata')
    o2.metadata = view[pos:end].tobytes().decode()
    pos = end
   o2.error_code, = U_h(view, pos)
   pos += 2
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 o0.groups = []
 o0.error_code, = U_h(view, pos)
 pos += 2
 return o0, pos
def _decode_offset_fetch_response_3(view, size):
 pos = 0
 o0 = new(OffsetFetchResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('OffsetFetchResponse.topics')
 if n0 * 6 > size - pos: raise beyond('OffsetFetchResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(OffsetFetchResponseTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('OffsetFetchResponseTopic.name')
  end = pos + n1
  if end > size: raise beyond('OffsetFetchResponseTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('OffsetFetchResponseTopic.partitions')
  if n2 * 16 > size - pos: raise beyond('OffsetFetchResponseTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(OffsetFetchResponsePartition)
   o2.committed_leader_epoch = -1
   o2.partition_index, o2.committed_offset, n3 = U_iqh(view, pos)
   pos += 14
   if n3 < 0: o2.metadata = None
   else:
    end = pos + n3
    if end > size: raise beyond('OffsetFetchResponsePartition.metadata')
    o2.metadata = view[pos:end].tobytes().decode()
    pos = end
   o2.error_code, = U_h(view, pos)
   pos += 2
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 o0.groups = []
 o0.error_code, = U_h(view, pos)
 pos += 2
 return o0, pos
def _decode_offset_fetch_response_5(view, size):
 pos = 0
 o0 = new(OffsetFetchResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('OffsetFetchResponse.topics')
 if n0 * 6 > size - pos: raise beyond('OffsetFetchResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(OffsetFetchResponseTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('OffsetFetchResponseTopic.name')
  end = pos + n1
  if end > size: raise beyond('OffsetFetchResponseTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('OffsetFetchResponseTopic.partitions')
  if n2 * 20 > size - pos: raise beyond('OffsetFetchResponseTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(OffsetFetchResponsePartition)
   o2.partition_index, o2.committed_offset, o2.committed_leader_epoch, n3 = U_iqih(view, pos)
   pos += 18
   if n3 < 0: o2.metadata = None
   else:
    end = pos + n3
    if end > size: raise beyond('OffsetFetchResponsePartition.metadata')
    o2.metadata = view[pos:end].tobytes().decode()
    pos = end
   o2.error_code, = U_h(view, pos)
   pos += 2
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 o0.groups = []
 o0.error_code, = U_h(view, pos)
 pos += 2
 return o0, pos
def _decode_offset_fetch_response_6(view, size):
 pos = 0
 o0 = new(OffsetFetchResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('OffsetFetchResponse.topics')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('OffsetFetchResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(OffsetFetchResponseTopic)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('OffsetFetchResponseTopic.name')
  end = pos + n1 - 1
  if end > size: raise beyond('OffsetFetchResponseTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('OffsetFetchResponseTopic.partitions')
  n2 -= 1
  if n2 * 20 > size - pos: raise beyond('OffsetFetchResponseTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(OffsetFetchResponsePartition)
   o2.partition_index, o2.committed_offset, o2.committed_leader_epoch, n3 = U_iqiB(view, pos)
   pos += 17
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: o2.metadata = None
   else:
    end = pos + n3 - 1
    if end > size: raise beyond('OffsetFetchResponsePartition.metadata')
    o2.metadata = view[pos:end].tobytes().decode()
    pos = end
   o2.error_code, t0 = U_hB(view, pos)
   pos += 3
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.partitions = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.topics = a0
 o0.groups = []
 o0.error_code, t2 = U_hB(view, pos)
 pos += 3
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
def _decode_offset_fetch_response_8(view, size):
 pos = 0
 o0 = new(OffsetFetchResponse)
 o0.topics = []
 o0.error_code = 0
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('OffsetFetchResponse.groups')
 n0 -= 1
 if n0 * 5 > size - pos: raise beyond('OffsetFetchResponse.groups')
 a0 = []
 for _ in range(n0):
  o1 = new(OffsetFetchResponseGroup)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('OffsetFetchResponseGroup.group_id')
  end = pos + n1 - 1
  if end > size: raise beyond('OffsetFetchResponseGroup.group_id')
  o1.group_id = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('OffsetFetchResponseGroup.topics')
  n2 -= 1
  if n2 * 3 > size - pos: raise beyond('OffsetFetchResponseGroup.topics')
  a1 = []
  for _ in range(n2):
   o2 = new(OffsetFetchResponseTopics)
   n3 = view[pos]
   pos += 1
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: raise null('OffsetFetchResponseTopics.name')
   end = pos + n3 - 1
   if end > size: raise beyond('OffsetFetchResponseTopics.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
   o2.topic_id = NO_UUID
   n4 = view[pos]
   pos += 1
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: raise null('OffsetFetchResponseTopics.partitions')
   n4 -= 1
   if n4 * 20 > size - pos: raise beyond('OffsetFetchResponseTopics.partitions')
   a2 = []
   for _ in range(n4):
    o3 = new(OffsetFetchResponsePartitions)
    o3.partition_index, o3.committed_offset, o3.committed_leader_epoch, n5 = U_iqiB(view, pos)
    pos += 17
    if n5 > 127:
     n5, pos = varint_rest(view, pos, n5)
    if not n5: o3.metadata = None
    else:
     end = pos + n5 - 1
     if end > size: raise beyond('OffsetFetchResponsePartitions.metadata')
     o3.metadata = view[pos:end].tobytes().decode()
     pos = end
    o3.error_code, t0 = U_hB(view, pos)
    pos += 3
    if t0:
     pos = skip_tags(view, pos, t0, size)
    a2.append(o3)
   o2.partitions = a2
   t1 = view[pos]
   pos += 1
   if t1:
    pos = skip_tags(view, pos, t1, size)
   a1.append(o2)
  o1.topics = a1
  o1.error_code, t2 = U_hB(view, pos)
  pos += 3
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a0.append(o1)
 o0.groups = a0
 t3 = view[pos]
 pos += 1
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
OffsetFetchResponse.decoders = {1: _decode_offset_fetch_response_1, 2: _decode_offset_fetch_response_2, 3: _decode_offset_fetch_response_3, 4: _decode_offset_fetch_response_3, 5: _decode_offset_fetch_response_5, 6: _decode_offset_fetch_response_6, 7: _decode_offset_fetch_response_6, 8: _decode_offset_fetch_response_8, 9: _decode_offset_fetch_response_8}

def _encode_offset_fetch_response_1(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   b1 = m1.metadata
   if b1 is None:
    b1 = b''; n3 = -1
   else:
    b1 = b1.encode()
    n3 = len(b1)
   out.append(P_iqh(m1.partition_index, m1.committed_offset, n3))
   out.append(b1)
   out.append(P_h(m1.error_code))
 if m.groups: raise unsupported('OffsetFetchResponse.groups')
 return [b''.join(out)]
def _encode_offset_fetch_response_2(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   b1 = m1.metadata
   if b1 is None:
    b1 = b''; n3 = -1
   else:
    b1 = b1.encode()
    n3 = len(b1)
   out.append(P_iqh(m1.partition_index, m1.committed_offset, n3))
   out.append(b1)
   out.append(P_h(m1.error_code))
 if m.groups: raise unsupported('OffsetFetchResponse.groups')
 out.append(P_h(m.error_code))
 return [b''.join(out)]
def _encode_offset_fetch_response_3(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   b1 = m1.metadata
   if b1 is None:
    b1 = b''; n3 = -1
   else:
    b1 = b1.encode()
    n3 = len(b1)
   out.append(P_iqh(m1.partition_index, m1.committed_offset, n3))
   out.append(b1)
   out.append(P_h(m1.error_code))
 if m.groups: raise unsupported('OffsetFetchResponse.groups')
 out.append(P_h(m.error_code))
 return [b''.join(out)]
def _encode_offset_fetch_response_5(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   b1 = m1.metadata
   if b1 is None:
    b1 = b''; n3 = -1
   else:
    b1 = b1.encode()
    n3 = len(b1)
   out.append(P_iqih(m1.partition_index, m1.committed_offset, m1.committed_leader_epoch, n3))
   out.append(b1)
   out.append(P_h(m1.error_code))
 if m.groups: raise unsupported('OffsetFetchResponse.groups')
 out.append(P_h(m.error_code))
 return [b''.join(out)]
def _encode_offset_fetch_response_6(m):
 out = []
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   b1 = m1.metadata
   if b1 is None:
    b1 = b''; n3 = 0
   else:
    b1 = b1.encode()
    n3 = len(b1) + 1
   out.append(P_iqiB(m1.partition_index, m1.committed_offset, m1.committed_leader_epoch, n3) if n3 < 128 else P_iqi(m1.partition_index, m1.committed_offset, m1.committed_leader_epoch) + varint(n3))
   out.append(b1)
   out.append(P_hx(m1.error_code))
  out.append(b'\x00')
 if m.groups: raise unsupported('OffsetFetchResponse.groups')
 out.append(P_hx(m.error_code))
 return [b''.join(out)]
def _encode_offset_fetch_response_8(m):
 out = []
 if m.topics: raise unsupported('OffsetFetchResponse.topics')
 a0 = m.groups
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.group_id.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.topics
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   b1 = m1.name.encode()
   n3 = len(b1) + 1
   out.append(U8[n3] if n3 < 128 else varint(n3))
   out.append(b1)
   a2 = m1.partitions
   n4 = len(a2) + 1
   out.append(U8[n4] if n4 < 128 else varint(n4))
   for m2 in a2:
    b2 = m2.metadata
    if b2 is None:
     b2 = b''; n5 = 0
    else:
     b2 = b2.encode()
     n5 = len(b2) + 1
    out.append(P_iqiB(m2.partition_index, m2.committed_offset, m2.committed_leader_epoch, n5) if n5 < 128 else P_iqi(m2.partition_index, m2.committed_offset, m2.committed_leader_epoch) + varint(n5))
    out.append(b2)
    out.append(P_hx(m2.error_code))
   out.append(b'\x00')
  out.append(P_hx(m0.error_code))
 out.append(b'\x00')
 return [b''.join(out)]
OffsetFetchResponse.encoders = {1: _encode_offset_fetch_response_1, 2: _encode_offset_fetch_response_2, 3: _encode_offset_fetch_response_3, 4: _encode_offset_fetch_response_3, 5: _encode_offset_fetch_response_5, 6: _encode_offset_fetch_response_6, 7: _encode_offset_fetch_response_6, 8: _encode_offset_fetch_response_8, 9: _encode_offset_fetch_response_8}
