"""OffsetCommitRecord: coordinator-key in versions 0 to 0 and coordinator-value in versions 0 to 4.

Generated from the message definitions of kafka-group-coordinator 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import NO_UUID, UUID, UUIDS, Message, Packing, beyond, new, null, tagged, unused, uuid_of, varint, varint_rest

P_16s = Packing('>16s').pack
P_h = Packing('>h').pack
P_i = Packing('>i').pack
P_q = Packing('>q').pack
P_qh = Packing('>qh').pack
P_qi = Packing('>qi').pack
P_qiB = Packing('>qiB').pack
P_qih = Packing('>qih').pack
P_qq = Packing('>qq').pack
U_16s = Packing('>16s').unpack_from
U_h = Packing('>h').unpack_from
U_i = Packing('>i').unpack_from
U_q = Packing('>q').unpack_from
U_qB = Packing('>qB').unpack_from
U_qh = Packing('>qh').unpack_from
U_qiB = Packing('>qiB').unpack_from
U_qih = Packing('>qih').unpack_from
U_qq = Packing('>qq').unpack_from


class OffsetCommitKey(Message):
 __slots__ = ('group', 'topic', 'partition', )
 api_key: ClassVar[int] = 1
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = None
 group: str
 topic: str
 partition: int
 def __init__(self, group: str = '', topic: str = '', partition: int = 0) -> None:
  self.group = group
  self.topic = topic
  self.partition = partition

def _decode_offset_commit_key_0(view, size):
 pos = 0
 o0 = new(OffsetCommitKey)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('OffsetCommitKey.group')
 end = pos + n0
 if end > size: raise beyond('OffsetCommitKey.group')
 o0.group = view[pos:end].tobytes().decode()
 pos = end
 n1, = U_h(view, pos)
 pos += 2
 if n1 < 0: raise null('OffsetCommitKey.topic')
 end = pos + n1
 if end > size: raise beyond('OffsetCommitKey.topic')
 o0.topic = view[pos:end].tobytes().decode()
 pos = end
 o0.partition, = U_i(view, pos)
 pos += 4
 return o0, pos
OffsetCommitKey.decoders = {0: _decode_offset_commit_key_0}

def _encode_offset_commit_key_0(m):
 out = []
 b0 = m.group.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.topic.encode()
 n1 = len(b1)
 out.append(P_h(n1))
 out.append(b1)
 out.append(P_i(m.partition))
 return [b''.join(out)]
OffsetCommitKey.encoders = {0: _encode_offset_commit_key_0}


class OffsetCommitValue(Message):
 __slots__ = ('offset', 'leader_epoch', 'metadata', 'commit_timestamp', 'expire_timestamp', 'topic_id', )
 api_key: ClassVar[int] = 1
 versions: ClassVar[range] = range(0, 5)
 first_flexible: ClassVar[int | None] = 4
 offset: int
 leader_epoch: int
 metadata: str
 commit_timestamp: int
 expire_timestamp: int
 topic_id: UUID
 def __init__(self, offset: int = 0, leader_epoch: int = -1, metadata: str = '', commit_timestamp: int = 0, expire_timestamp: int = -1, topic_id: UUID = NO_UUID) -> None:
  self.offset = offset
  self.leader_epoch = leader_epoch
  self.metadata = metadata
  self.commit_timestamp = commit_timestamp
  self.expire_timestamp = expire_timestamp
  self.topic_id = topic_id

def _decode_offset_commit_value_0(view, size):
 pos = 0
 o0 = new(OffsetCommitValue)
 o0.leader_epoch = -1
 o0.offset, n0 = U_qh(view, pos)
 pos += 10
 if n0 < 0: raise null('OffsetCommitValue.metadata')
 end = pos + n0
 if end > size: raise beyond('OffsetCommitValue.metadata')
 o0.metadata = view[pos:end].tobytes().decode()
 pos = end
 o0.expire_timestamp = -1
 o0.topic_id = NO_UUID
 o0.commit_timestamp, = U_q(view, pos)
 pos += 8
 return o0, pos
def _decode_offset_commit_value_1(view, size):
 pos = 0
 o0 = new(OffsetCommitValue)
 o0.leader_epoch = -1
 o0.offset, n0 = U_qh(view, pos)
 pos += 10
 if n0 < 0: raise null('OffsetCommitValue.metadata')
 end = pos + n0
 if end > size: raise beyond('OffsetCommitValue.metadata')
 o0.metadata = view[pos:end].tobytes().decode()
 pos = end
 o0.topic_id = NO_UUID
 o0.commit_timestamp, o0.expire_timestamp = U_qq(view, pos)
 pos += 16
 return o0, pos
def _decode_offset_commit_value_3(view, size):
 pos = 0
 o0 = new(OffsetCommitValue)
 o0.offset, o0.leader_epoch, n0 = U_qih(view, pos)
 pos += 14
 if n0 < 0: raise null('OffsetCommitValue.metadata')
 end = pos + n0
 if end > size: raise beyond('OffsetCommitValue.metadata')
 o0.metadata = view[pos:end].tobytes().decode()
 pos = end
 o0.expire_timestamp = -1
 o0.topic_id = NO_UUID
 o0.commit_timestamp, = U_q(view, pos)
 pos += 8
 return o0, pos
def _decode_offset_commit_value_4(view, size):
 pos = 0
 o0 = new(OffsetCommitValue)
 o0.offset, o0.leader_epoch, n0 = U_qiB(view, pos)
 pos += 13
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('OffsetCommitValue.metadata')
 end = pos + n0 - 1
 if end > size: raise beyond('OffsetCommitValue.metadata')
 o0.metadata = view[pos:end].tobytes().decode()
 pos = end
 o0.expire_timestamp = -1
 o0.topic_id = NO_UUID
 o0.commit_timestamp, t0 = U_qB(view, pos)
 pos += 9
 if t0:
  if t0 > 127:
   t0, pos = varint_rest(view, pos, t0)
  for _ in range(t0):
   tag0 = view[pos]
   pos += 1
   if tag0 > 127:
    tag0, pos = varint_rest(view, pos, tag0)
   stop0 = view[pos]
   pos += 1
   if stop0 > 127:
    stop0, pos = varint_rest(view, pos, stop0)
   stop0 += pos
   if stop0 > size: raise beyond('OffsetCommitValue')
   if tag0 == 0:
    o0.topic_id, = U_16s(view, pos)
    pos += 16
    o0.topic_id = UUIDS.get(o0.topic_id) or uuid_of(o0.topic_id)
    if pos != stop0: raise unused('OffsetCommitValue.topic_id')
   else:
    pos = stop0
 return o0, pos
OffsetCommitValue.decoders = {0: _decode_offset_commit_value_0, 1: _decode_offset_commit_value_1, 2: _decode_offset_commit_value_0, 3: _decode_offset_commit_value_3, 4: _decode_offset_commit_value_4}

def _encode_offset_commit_value_0(m):
 out = []
 b0 = m.metadata.encode()
 n0 = len(b0)
 out.append(P_qh(m.offset, n0))
 out.append(b0)
 out.append(P_q(m.commit_timestamp))
 return [b''.join(out)]
def _encode_offset_commit_value_1(m):
 out = []
 b0 = m.metadata.encode()
 n0 = len(b0)
 out.append(P_qh(m.offset, n0))
 out.append(b0)
 out.append(P_qq(m.commit_timestamp, m.expire_timestamp))
 return [b''.join(out)]
def _encode_offset_commit_value_3(m):
 out = []
 b0 = m.metadata.encode()
 n0 = len(b0)
 out.append(P_qih(m.offset, m.leader_epoch, n0))
 out.append(b0)
 out.append(P_q(m.commit_timestamp))
 return [b''.join(out)]
def _encode_offset_commit_value_4(m):
 out = []
 b0 = m.metadata.encode()
 n0 = len(b0) + 1
 out.append(P_qiB(m.offset, m.leader_epoch, n0) if n0 < 128 else P_qi(m.offset, m.leader_epoch) + varint(n0))
 out.append(b0)
 out.append(P_q(m.commit_timestamp))
 if (m.topic_id is not NO_UUID and m.topic_id != NO_UUID):
  t0 = []
  if m.topic_id is not NO_UUID and m.topic_id != NO_UUID:
   part0 = []
   part0.append(P_16s(m.topic_id.bytes))
   t0.append(tagged(0, part0))
  out.append(varint(len(t0)))
  out += t0
 else:
  out.append(b'\x00')
 return [b''.join(out)]
OffsetCommitValue.encoders = {0: _encode_offset_commit_value_0, 1: _encode_offset_commit_value_1, 2: _encode_offset_commit_value_0, 3: _encode_offset_commit_value_3, 4: _encode_offset_commit_value_4}
