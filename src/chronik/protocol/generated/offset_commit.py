"""OffsetCommit: request in versions 2 to 9 and response in versions 2 to 9.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, NO_UUID, U8, UUID, Message, Packing, Struct, beyond, new, null, skip_tags, unsupported, varint, varint_rest

P_h = Packing('>h').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ih = Packing('>ih').pack
P_ihx = Packing('>ihx').pack
P_ii = Packing('>ii').pack
P_iqh = Packing('>iqh').pack
P_iqi = Packing('>iqi').pack
P_iqiB = Packing('>iqiB').pack
P_iqih = Packing('>iqih').pack
P_qi = Packing('>qi').pack
U_h = Packing('>h').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ih = Packing('>ih').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_ii = Packing('>ii').unpack_from
U_iqh = Packing('>iqh').unpack_from
U_iqiB = Packing('>iqiB').unpack_from
U_iqih = Packing('>iqih').unpack_from
U_qi = Packing('>qi').unpack_from


class OffsetCommitRequestPartition(Struct):
 __slots__ = ('partition_index', 'committed_offset', 'committed_leader_epoch', 'committed_metadata', )
 partition_index: int
 committed_offset: int
 committed_leader_epoch: int
 committed_metadata: str | None
 def __init__(self, partition_index: int = 0, committed_offset: int = 0, committed_leader_epoch: int = -1, committed_metadata: str | None = '') -> None:
  self.partition_index = partition_index
  self.committed_offset = committed_offset
  self.committed_leader_epoch = committed_leader_epoch
  self.committed_metadata = committed_metadata


class OffsetCommitRequestTopic(Struct):
 __slots__ = ('name', 'topic_id', 'partitions', )
 name: str
 topic_id: UUID
 partitions: list[OffsetCommitRequestPartition]
 def __init__(self, name: str = '', topic_id: UUID = NO_UUID, partitions: list[OffsetCommitRequestPartition] = FRESH) -> None:
  self.name = name
  self.topic_id = topic_id
  self.partitions = [] if partitions is FRESH else partitions


class OffsetCommitRequest(Message):
 __slots__ = ('group_id', 'generation_id_or_member_epoch', 'member_id', 'group_instance_id', 'retention_time_ms', 'topics', )
 api_key: ClassVar[int] = 8
 versions: ClassVar[range] = range(2, 10)
 first_flexible: ClassVar[int | None] = 8
 group_id: str
 generation_id_or_member_epoch: int
 member_id: str
 group_instance_id: str | None
 retention_time_ms: int
 topics: list[OffsetCommitRequestTopic]
 def __init__(self, group_id: str = '', generation_id_or_member_epoch: int = -1, member_id: str = '', group_instance_id: str | None = None, retention_time_ms: int = -1, topics: list[OffsetCommitRequestTopic] = FRESH) -> None:
  self.group_id = group_id
  self.generation_id_or_member_epoch = generation_id_or_member_epoch
  self.member_id = member_id
  self.group_instance_id = group_instance_id
  self.retention_time_ms = retention_time_ms
  self.topics = [] if topics is FRESH else topics

def _decode_offset_commit_request_2(view, size):
 pos = 0
 o0 = new(OffsetCommitRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('OffsetCommitRequest.group_id')
 end = pos + n0
 if end > size: raise beyond('OffsetCommitRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.generation_id_or_member_epoch, n1 = U_ih(view, pos)
 pos += 6
 if n1 < 0: raise null('OffsetCommitRequest.member_id')
 end = pos + n1
 if end > size: raise beyond('OffsetCommitRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 o0.group_instance_id = None
 o0.retention_time_ms, n2 = U_qi(view, pos)
 pos += 12
 if n2 < 0: raise null('OffsetCommitRequest.topics')
 if n2 * 6 > size - pos: raise beyond('OffsetCommitRequest.topics')
 a0 = []
 for _ in range(n2):
  o1 = new(OffsetCommitRequestTopic)
  n3, = U_h(view, pos)
  pos += 2
  if n3 < 0: raise null('OffsetCommitRequestTopic.name')
  end = pos + n3
  if end > size: raise beyond('OffsetCommitRequestTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n4, = U_i(view, pos)
  pos += 4
  if n4 < 0: raise null('OffsetCommitRequestTopic.partitions')
  if n4 * 14 > size - pos: raise beyond('OffsetCommitRequestTopic.partitions')
  a1 = []
  for _ in range(n4):
   o2 = new(OffsetCommitRequestPartition)
   o2.committed_leader_epoch = -1
   o2.partition_index, o2.committed_offset, n5 = U_iqh(view, pos)
   pos += 14
   if n5 < 0: o2.committed_metadata = None
   else:
    end = pos + n5
    if end > size: raise beyond('OffsetCommitRequestPartition.committed_metadata')
    o2.committed_metadata = view[pos:end].tobytes().decode()
    pos = end
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
def _decode_offset_commit_request_5(view, size):
 pos = 0
 o0 = new(OffsetCommitRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('OffsetCommitRequest.group_id')
 end = pos + n0
 if end > size: raise beyond('OffsetCommitRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.generation_id_or_member_epoch, n1 = U_ih(view, pos)
 pos += 6
 if n1 < 0: raise null('OffsetCommitRequest.member_id')
 end = pos + n1
 if end > size: raise beyond('OffsetCommitRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 o0.group_instance_id = None
 o0.retention_time_ms = -1
 n2, = U_i(view, pos)
 pos += 4
 if n2 < 0: raise null('OffsetCommitRequest.topics')
 if n2 * 6 > size - pos: raise beyond('OffsetCommitRequest.topics')
 a0 = []
 for _ in range(n2):
  o1 = new(OffsetCommitRequestTopic)
  n3, = U_h(view, pos)
  pos += 2
  if n3 < 0: raise null('OffsetCommitRequestTopic.name')
  end = pos + n3
  if end > size: raise beyond('OffsetCommitRequestTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n4, = U_i(view, pos)
  pos += 4
  if n4 < 0: raise null('OffsetCommitRequestTopic.partitions')
  if n4 * 14 > size - pos: raise beyond('OffsetCommitRequestTopic.partitions')
  a1 = []
  for _ in range(n4):
   o2 = new(OffsetCommitRequestPartition)
   o2.committed_leader_epoch = -1
   o2.partition_index, o2.committed_offset, n5 = U_iqh(view, pos)
   pos += 14
   if n5 < 0: o2.committed_metadata = None
   else:
    end = pos + n5
    if end > size: raise beyond('OffsetCommitRequestPartition.committed_metadata')
    o2.committed_metadata = view[pos:end].tobytes().decode()
    pos = end
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
def _decode_offset_commit_request_6(view, size):
 pos = 0
 o0 = new(OffsetCommitRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('OffsetCommitRequest.group_id')
 end = pos + n0
 if end > size: raise beyond('OffsetCommitRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.generation_id_or_member_epoch, n1 = U_ih(view, pos)
 pos += 6
 if n1 < 0: raise null('OffsetCommitRequest.member_id')
 end = pos + n1
 if end > size: raise beyond('OffsetCommitRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 o0.group_instance_id = None
 o0.retention_time_ms = -1
 n2, = U_i(view, pos)
 pos += 4
 if n2 < 0: raise null('OffsetCommitRequest.topics')
 if n2 * 6 > size - pos: raise beyond('OffsetCommitRequest.topics')
 a0 = []
 for _ in range(n2):
  o1 = new(OffsetCommitRequestTopic)
  n3, = U_h(view, pos)
  pos += 2
  if n3 < 0: raise null('OffsetCommitRequestTopic.name')
  end = pos + n3
  if end > size: raise beyond('OffsetCommitRequestTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n4, = U_i(view, pos)
  pos += 4
  if n4 < 0: raise null('OffsetCommitRequestTopic.partitions')
  if n4 * 18 > size - pos: raise beyond('OffsetCommitRequestTopic.partitions')
  a1 = []
  for _ in range(n4):
   o2 = new(OffsetCommitRequestPartition)
   o2.partition_index, o2.committed_offset, o2.committed_leader_epoch, n5 = U_iqih(view, pos)
   pos += 18
   if n5 < 0: o2.committed_metadata = None
   else:
    end = pos + n5
    if end > size: raise beyond('OffsetCommitRequestPartition.committed_metadata')
    o2.committed_metadata = view[pos:end].tobytes().decode()
    pos = end
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
def _decode_offset_commit_request_7(view, size):
 pos = 0
 o0 = new(OffsetCommitRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('OffsetCommitRequest.group_id')
 end = pos + n0
 if end > size: raise beyond('OffsetCommitRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.generation_id_or_member_epoch, n1 = U_ih(view, pos)
 pos += 6
 if n1 < 0: raise null('OffsetCommitRequest.member_id')
 end = pos + n1
 if end > size: raise beyond('OffsetCommitRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 n2, = U_h(view, pos)
 pos += 2
 if n2 < 0: o0.group_instance_id = None
 else:
  end = pos + n2
  if end > size: raise beyond('OffsetCommitRequest.group_instance_id')
  o0.group_instance_id = view[pos:end].tobytes().decode()
  pos = end
 o0.retention_time_ms = -1
 n3, = U_i(view, pos)
 pos += 4
 if n3 < 0: raise null('OffsetCommitRequest.topics')
 if n3 * 6 > size - pos: raise beyond('OffsetCommitRequest.topics')
 a0 = []
 for _ in range(n3):
  o1 = new(OffsetCommitRequestTopic)
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('OffsetCommitRequestTopic.name')
  end = pos + n4
  if end > size: raise beyond('OffsetCommitRequestTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n5, = U_i(view, pos)
  pos += 4
  if n5 < 0: raise null('OffsetCommitRequestTopic.partitions')
  if n5 * 18 > size - pos: raise beyond('OffsetCommitRequestTopic.partitions')
  a1 = []
  for _ in range(n5):
   o2 = new(OffsetCommitRequestPartition)
   o2.partition_index, o2.committed_offset, o2.committed_leader_epoch, n6 = U_iqih(view, pos)
   pos += 18
   if n6 < 0: o2.committed_metadata = None
   else:
    end = pos + n6
    if end > size: raise beyond('OffsetCommitRequestPartition.committed_metadata')
    o2.committed_metadata = view[pos:end].tobytes().decode()
    pos = end
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
def _decode_offset_commit_request_8(view, size):
 pos = 0
 o0 = new(OffsetCommitRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('OffsetCommitRequest.group_id')
 end = pos + n0 - 1
 if end > size: raise beyond('OffsetCommitRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 o0.generation_id_or_member_epoch, n1 = U_iB(view, pos)
 pos += 5
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('OffsetCommitRequest.member_id')
 end = pos + n1 - 1
 if end > size: raise beyond('OffsetCommitRequest.member_id')
 o0.member_id = view[pos:end].tobytes().decode()
 pos = end
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: o0.group_instance_id = None
 else:
  end = pos + n2 - 1
  if end > size: raise beyond('OffsetCommitRequest.group_instance_id')
  o0.group_instance_id = view[pos:end].tobytes().decode()
  pos = end
 o0.retention_time_ms = -1
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: raise null('OffsetCommitRequest.topics')
 n3 -= 1
 if n3 * 3 > size - pos: raise beyond('OffsetCommitRequest.topics')
 a0 = []
 for _ in range(n3):
  o1 = new(OffsetCommitRequestTopic)
  n4 = view[pos]
  pos += 1
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('OffsetCommitRequestTopic.name')
  end = pos + n4 - 1
  if end > size: raise beyond('OffsetCommitRequestTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n5 = view[pos]
  pos += 1
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('OffsetCommitRequestTopic.partitions')
  n5 -= 1
  if n5 * 18 > size - pos: raise beyond('OffsetCommitRequestTopic.partitions')
  a1 = []
  for _ in range(n5):
   o2 = new(OffsetCommitRequestPartition)
   o2.partition_index, o2.committed_offset, o2.committed_leader_epoch, n6 = U_iqiB(view, pos)
   pos += 17
   if n6 > 127:
    n6, pos = varint_rest(view, pos, n6)
   if not n6: o2.committed_metadata = None
   else:
    end = pos + n6 - 1
    if end > size: raise beyond('OffsetCommitRequestPartition.committed_metadata')
    o2.committed_metadata = view[pos:end].tobytes().decode()
    pos = end
   t0 = view[pos]
   pos += 1
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
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
OffsetCommitRequest.decoders = {2: _decode_offset_commit_request_2, 3: _decode_offset_commit_request_2, 4: _decode_offset_commit_request_2, 5: _decode_offset_commit_request_5, 6: _decode_offset_commit_request_6, 7: _decode_offset_commit_request_7, 8: _decode_offset_commit_request_8, 9: _decode_offset_commit_request_8}

def _encode_offset_commit_request_2(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.member_id.encode()
 n1 = len(b1)
 out.append(P_ih(m.generation_id_or_member_epoch, n1))
 out.append(b1)
 if m.group_instance_id is not None: raise unsupported('OffsetCommitRequest.group_instance_id')
 a0 = m.topics
 n2 = len(a0)
 out.append(P_qi(m.retention_time_ms, n2))
 for m0 in a0:
  b2 = m0.name.encode()
  n3 = len(b2)
  out.append(P_h(n3))
  out.append(b2)
  a1 = m0.partitions
  n4 = len(a1)
  out.append(P_i(n4))
  for m1 in a1:
   b3 = m1.committed_metadata
   if b3 is None:
    b3 = b''; n5 = -1
   else:
    b3 = b3.encode()
    n5 = len(b3)
   out.append(P_iqh(m1.partition_index, m1.committed_offset, n5))
   out.append(b3)
 return [b''.join(out)]
def _encode_offset_commit_request_5(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.member_id.encode()
 n1 = len(b1)
 out.append(P_ih(m.generation_id_or_member_epoch, n1))
 out.append(b1)
 if m.group_instance_id is not None: raise unsupported('OffsetCommitRequest.group_instance_id')
 a0 = m.topics
 n2 = len(a0)
 out.append(P_i(n2))
 for m0 in a0:
  b2 = m0.name.encode()
  n3 = len(b2)
  out.append(P_h(n3))
  out.append(b2)
  a1 = m0.partitions
  n4 = len(a1)
  out.append(P_i(n4))
  for m1 in a1:
   b3 = m1.committed_metadata
   if b3 is None:
    b3 = b''; n5 = -1
   else:
    b3 = b3.encode()
    n5 = len(b3)
   out.append(P_iqh(m1.partition_index, m1.committed_offset, n5))
   out.append(b3)
 return [b''.join(out)]
def _encode_offset_commit_request_6(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.member_id.encode()
 n1 = len(b1)
 out.append(P_ih(m.generation_id_or_member_epoch, n1))
 out.append(b1)
 if m.group_instance_id is not None: raise unsupported('OffsetCommitRequest.group_instance_id')
 a0 = m.topics
 n2 = len(a0)
 out.append(P_i(n2))
 for m0 in a0:
  b2 = m0.name.encode()
  n3 = len(b2)
  out.append(P_h(n3))
  out.append(b2)
  a1 = m0.partitions
  n4 = len(a1)
  out.append(P_i(n4))
  for m1 in a1:
   b3 = m1.committed_metadata
   if b3 is None:
    b3 = b''; n5 = -1
   else:
    b3 = b3.encode()
    n5 = len(b3)
   out.append(P_iqih(m1.partition_index, m1.committed_offset, m1.committed_leader_epoch, n5))
   out.append(b3)
 return [b''.join(out)]
def _encode_offset_commit_request_7(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.member_id.encode()
 n1 = len(b1)
 out.append(P_ih(m.generation_id_or_member_epoch, n1))
 out.append(b1)
 b2 = m.group_instance_id
 if b2 is None:
  b2 = b''; n2 = -1
 else:
  b2 = b2.encode()
  n2 = len(b2)
 out.append(P_h(n2))
 out.append(b2)
 a0 = m.topics
 n3 = len(a0)
 out.append(P_i(n3))
 for m0 in a0:
  b3 = m0.name.encode()
  n4 = len(b3)
  out.append(P_h(n4))
  out.append(b3)
  a1 = m0.partitions
  n5 = len(a1)
  out.append(P_i(n5))
  for m1 in a1:
   b4 = m1.committed_metadata
   if b4 is None:
    b4 = b''; n6 = -1
   else:
    b4 = b4.encode()
    n6 = len(b4)
   out.append(P_iqih(m1.partition_index, m1.committed_offset, m1.committed_leader_epoch, n6))
   out.append(b4)
 return [b''.join(out)]
def _encode_offset_commit_request_8(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 b1 = m.member_id.encode()
 n1 = len(b1) + 1
 out.append(P_iB(m.generation_id_or_member_epoch, n1) if n1 < 128 else P_i(m.generation_id_or_member_epoch) + varint(n1))
 out.append(b1)
 b2 = m.group_instance_id
 if b2 is None:
  b2 = b''; n2 = 0
 else:
  b2 = b2.encode()
  n2 = len(b2) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 out.append(b2)
 a0 = m.topics
 n3 = len(a0) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 for m0 in a0:
  b3 = m0.name.encode()
  n4 = len(b3) + 1
  out.append(U8[n4] if n4 < 128 else varint(n4))
  out.append(b3)
  a1 = m0.partitions
  n5 = len(a1) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  for m1 in a1:
   b4 = m1.committed_metadata
   if b4 is None:
    b4 = b''; n6 = 0
   else:
    b4 = b4.encode()
    n6 = len(b4) + 1
   out.append(P_iqiB(m1.partition_index, m1.committed_offset, m1.committed_leader_epoch, n6) if n6 < 128 else P_iqi(m1.partition_index, m1.committed_offset, m1.committed_leader_epoch) + varint(n6))
   out.append(b4)
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
OffsetCommitRequest.encoders = {2: _encode_offset_commit_request_2, 3: _encode_offset_commit_request_2, 4: _encode_offset_commit_request_2, 5: _encode_offset_commit_request_5, 6: _encode_offset_commit_request_6, 7: _encode_offset_commit_request_7, 8: _encode_offset_commit_request_8, 9: _encode_offset_commit_request_8}


class OffsetCommitResponsePartition(Struct):
 __slots__ = ('partition_index', 'error_code', )
 partition_index: int
 error_code: int
 def __init__(self, partition_index: int = 0, error_code: int = 0) -> None:
  self.partition_index = partition_index
  self.error_code = error_code


class OffsetCommitResponseTopic(Struct):
 __slots__ = ('name', 'topic_id', 'partitions', )
 name: str
 topic_id: UUID
 partitions: list[OffsetCommitResponsePartition]
 def __init__(self, name: str = '', topic_id: UUID = NO_UUID, partitions: list[OffsetCommitResponsePartition] = FRESH) -> None:
  self.name = name
  self.topic_id = topic_id
  self.partitions = [] if partitions is FRESH else partitions


class OffsetCommitResponse(Message):
 __slots__ = ('throttle_time_ms', 'topics', )
 api_key: ClassVar[int] = 8
 versions: ClassVar[range] = range(2, 10)
 first_flexible: ClassVar[int | None] = 8
 throttle_time_ms: int
 topics: list[OffsetCommitResponseTopic]
 def __init__(self, throttle_time_ms: int = 0, topics: list[OffsetCommitResponseTopic] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.topics = [] if topics is FRESH else topics

def _decode_offset_commit_response_2(view, size):
 pos = 0
 o0 = new(OffsetCommitResponse)
 o0.throttle_time_ms = 0
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('OffsetCommitResponse.topics')
 if n0 * 6 > size - pos: raise beyond('OffsetCommitResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(OffsetCommitResponseTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('OffsetCommitResponseTopic.name')
  end = pos + n1
  if end > size: raise beyond('OffsetCommitResponseTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('OffsetCommitResponseTopic.partitions')
  if n2 * 6 > size - pos: raise beyond('OffsetCommitResponseTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(OffsetCommitResponsePartition)
   o2.partition_index, o2.error_code = U_ih(view, pos)
   pos += 6
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
def _decode_offset_commit_response_3(view, size):
 pos = 0
 o0 = new(OffsetCommitResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('OffsetCommitResponse.topics')
 if n0 * 6 > size - pos: raise beyond('OffsetCommitResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(OffsetCommitResponseTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('OffsetCommitResponseTopic.name')
  end = pos + n1
  if end > size: raise beyond('OffsetCommitResponseTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('OffsetCommitResponseTopic.partitions')
  if n2 * 6 > size - pos: raise beyond('OffsetCommitResponseTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(OffsetCommitResponsePartition)
   o2.partition_index, o2.error_code = U_ih(view, pos)
   pos += 6
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
def _decode_offset_commit_response_8(view, size):
 pos = 0
 o0 = new(OffsetCommitResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('OffsetCommitResponse.topics')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('OffsetCommitResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(OffsetCommitResponseTopic)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('OffsetCommitResponseTopic.name')
  end = pos + n1 - 1
  if end > size: raise beyond('OffsetCommitResponseTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('OffsetCommitResponseTopic.partitions')
  n2 -= 1
  if n2 * 7 > size - pos: raise beyond('OffsetCommitResponseTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(OffsetCommitResponsePartition)
   o2.partition_index, o2.error_code, t0 = U_ihB(view, pos)
   pos += 7
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
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
OffsetCommitResponse.decoders = {2: _decode_offset_commit_response_2, 3: _decode_offset_commit_response_3, 4: _decode_offset_commit_response_3, 5: _decode_offset_commit_response_3, 6: _decode_offset_commit_response_3, 7: _decode_offset_commit_response_3, 8: _decode_offset_commit_response_8, 9: _decode_offset_commit_response_8}

def _encode_offset_commit_response_2(m):
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
   out.append(P_ih(m1.partition_index, m1.error_code))
 return [b''.join(out)]
def _encode_offset_commit_response_3(m):
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
   out.append(P_ih(m1.partition_index, m1.error_code))
 return [b''.join(out)]
def _encode_offset_commit_response_8(m):
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
   out.append(P_ihx(m1.partition_index, m1.error_code))
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
OffsetCommitResponse.encoders = {2: _encode_offset_commit_response_2, 3: _encode_offset_commit_response_3, 4: _encode_offset_commit_response_3, 5: _encode_offset_commit_response_3, 6: _encode_offset_commit_response_3, 7: _encode_offset_commit_response_3, 8: _encode_offset_commit_response_8, 9: _encode_offset_commit_response_8}
