"""OffsetForLeaderEpoch: request in versions 2 to 4 and response in versions 2 to 4.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, varint, varint_rest

P_h = Packing('>h').pack
P_hiiq = Packing('>hiiq').pack
P_hiiqx = Packing('>hiiqx').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ii = Packing('>ii').pack
P_iii = Packing('>iii').pack
P_iiix = Packing('>iiix').pack
U_h = Packing('>h').unpack_from
U_hiiq = Packing('>hiiq').unpack_from
U_hiiqB = Packing('>hiiqB').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ii = Packing('>ii').unpack_from
U_iii = Packing('>iii').unpack_from
U_iiiB = Packing('>iiiB').unpack_from


class OffsetForLeaderPartition(Struct):
 __slots__ = ('partition', 'current_leader_epoch', 'leader_epoch', )
 partition: int
 current_leader_epoch: int
 leader_epoch: int
 def __init__(self, partition: int = 0, current_leader_epoch: int = -1, leader_epoch: int = 0) -> None:
  self.partition = partition
  self.current_leader_epoch = current_leader_epoch
  self.leader_epoch = leader_epoch


class OffsetForLeaderTopic(Struct):
 __slots__ = ('topic', 'partitions', )
 topic: str
 partitions: list[OffsetForLeaderPartition]
 def __init__(self, topic: str = '', partitions: list[OffsetForLeaderPartition] = FRESH) -> None:
  self.topic = topic
  self.partitions = [] if partitions is FRESH else partitions


class OffsetForLeaderEpochRequest(Message):
 __slots__ = ('replica_id', 'topics', )
 api_key: ClassVar[int] = 23
 versions: ClassVar[range] = range(2, 5)
 first_flexible: ClassVar[int | None] = 4
 replica_id: int
 topics: list[OffsetForLeaderTopic]
 def __init__(self, replica_id: int = -2, topics: list[OffsetForLeaderTopic] = FRESH) -> None:
  self.replica_id = replica_id
  self.topics = [] if topics is FRESH else topics

def _decode_offset_for_leader_epoch_request_2(view, size):
 pos = 0
 o0 = new(OffsetForLeaderEpochRequest)
 o0.replica_id = -2
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('OffsetForLeaderEpochRequest.topics')
 if n0 * 6 > size - pos: raise beyond('OffsetForLeaderEpochRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(OffsetForLeaderTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('OffsetForLeaderTopic.topic')
  end = pos + n1
  if end > size: raise beyond('OffsetForLeaderTopic.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('OffsetForLeaderTopic.partitions')
  if n2 * 12 > size - pos: raise beyond('OffsetForLeaderTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(OffsetForLeaderPartition)
   o2.partition, o2.current_leader_epoch, o2.leader_epoch = U_iii(view, pos)
   pos += 12
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
def _decode_offset_for_leader_epoch_request_3(view, size):
 pos = 0
 o0 = new(OffsetForLeaderEpochRequest)
 o0.replica_id, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('OffsetForLeaderEpochRequest.topics')
 if n0 * 6 > size - pos: raise beyond('OffsetForLeaderEpochRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(OffsetForLeaderTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('OffsetForLeaderTopic.topic')
  end = pos + n1
  if end > size: raise beyond('OffsetForLeaderTopic.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('OffsetForLeaderTopic.partitions')
  if n2 * 12 > size - pos: raise beyond('OffsetForLeaderTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(OffsetForLeaderPartition)
   o2.partition, o2.current_leader_epoch, o2.leader_epoch = U_iii(view, pos)
   pos += 12
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
def _decode_offset_for_leader_epoch_request_4(view, size):
 pos = 0
 o0 = new(OffsetForLeaderEpochRequest)
 o0.replica_id, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('OffsetForLeaderEpochRequest.topics')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('OffsetForLeaderEpochRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(OffsetForLeaderTopic)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('OffsetForLeaderTopic.topic')
  end = pos + n1 - 1
  if end > size: raise beyond('OffsetForLeaderTopic.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('OffsetForLeaderTopic.partitions')
  n2 -= 1
  if n2 * 13 > size - pos: raise beyond('OffsetForLeaderTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(OffsetForLeaderPartition)
   o2.partition, o2.current_leader_epoch, o2.leader_epoch, t0 = U_iiiB(view, pos)
   pos += 13
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
OffsetForLeaderEpochRequest.decoders = {2: _decode_offset_for_leader_epoch_request_2, 3: _decode_offset_for_leader_epoch_request_3, 4: _decode_offset_for_leader_epoch_request_4}

def _encode_offset_for_leader_epoch_request_2(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   out.append(P_iii(m1.partition, m1.current_leader_epoch, m1.leader_epoch))
 return [b''.join(out)]
def _encode_offset_for_leader_epoch_request_3(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_ii(m.replica_id, n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   out.append(P_iii(m1.partition, m1.current_leader_epoch, m1.leader_epoch))
 return [b''.join(out)]
def _encode_offset_for_leader_epoch_request_4(m):
 out = []
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(P_iB(m.replica_id, n0) if n0 < 128 else P_i(m.replica_id) + varint(n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   out.append(P_iiix(m1.partition, m1.current_leader_epoch, m1.leader_epoch))
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
OffsetForLeaderEpochRequest.encoders = {2: _encode_offset_for_leader_epoch_request_2, 3: _encode_offset_for_leader_epoch_request_3, 4: _encode_offset_for_leader_epoch_request_4}


class EpochEndOffset(Struct):
 __slots__ = ('error_code', 'partition', 'leader_epoch', 'end_offset', )
 error_code: int
 partition: int
 leader_epoch: int
 end_offset: int
 def __init__(self, error_code: int = 0, partition: int = 0, leader_epoch: int = -1, end_offset: int = -1) -> None:
  self.error_code = error_code
  self.partition = partition
  self.leader_epoch = leader_epoch
  self.end_offset = end_offset


class OffsetForLeaderTopicResult(Struct):
 __slots__ = ('topic', 'partitions', )
 topic: str
 partitions: list[EpochEndOffset]
 def __init__(self, topic: str = '', partitions: list[EpochEndOffset] = FRESH) -> None:
  self.topic = topic
  self.partitions = [] if partitions is FRESH else partitions


class OffsetForLeaderEpochResponse(Message):
 __slots__ = ('throttle_time_ms', 'topics', )
 api_key: ClassVar[int] = 23
 versions: ClassVar[range] = range(2, 5)
 first_flexible: ClassVar[int | None] = 4
 throttle_time_ms: int
 topics: list[OffsetForLeaderTopicResult]
 def __init__(self, throttle_time_ms: int = 0, topics: list[OffsetForLeaderTopicResult] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.topics = [] if topics is FRESH else topics

def _decode_offset_for_leader_epoch_response_2(view, size):
 pos = 0
 o0 = new(OffsetForLeaderEpochResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('OffsetForLeaderEpochResponse.topics')
 if n0 * 6 > size - pos: raise beyond('OffsetForLeaderEpochResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(OffsetForLeaderTopicResult)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('OffsetForLeaderTopicResult.topic')
  end = pos + n1
  if end > size: raise beyond('OffsetForLeaderTopicResult.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('OffsetForLeaderTopicResult.partitions')
  if n2 * 18 > size - pos: raise beyond('OffsetForLeaderTopicResult.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(EpochEndOffset)
   o2.error_code, o2.partition, o2.leader_epoch, o2.end_offset = U_hiiq(view, pos)
   pos += 18
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
def _decode_offset_for_leader_epoch_response_4(view, size):
 pos = 0
 o0 = new(OffsetForLeaderEpochResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('OffsetForLeaderEpochResponse.topics')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('OffsetForLeaderEpochResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(OffsetForLeaderTopicResult)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('OffsetForLeaderTopicResult.topic')
  end = pos + n1 - 1
  if end > size: raise beyond('OffsetForLeaderTopicResult.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('OffsetForLeaderTopicResult.partitions')
  n2 -= 1
  if n2 * 19 > size - pos: raise beyond('OffsetForLeaderTopicResult.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(EpochEndOffset)
   o2.error_code, o2.partition, o2.leader_epoch, o2.end_offset, t0 = U_hiiqB(view, pos)
   pos += 19
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
OffsetForLeaderEpochResponse.decoders = {2: _decode_offset_for_leader_epoch_response_2, 3: _decode_offset_for_leader_epoch_response_2, 4: _decode_offset_for_leader_epoch_response_4}

def _encode_offset_for_leader_epoch_response_2(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   out.append(P_hiiq(m1.error_code, m1.partition, m1.leader_epoch, m1.end_offset))
 return [b''.join(out)]
def _encode_offset_for_leader_epoch_response_4(m):
 out = []
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   out.append(P_hiiqx(m1.error_code, m1.partition, m1.leader_epoch, m1.end_offset))
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
OffsetForLeaderEpochResponse.encoders = {2: _encode_offset_for_leader_epoch_response_2, 3: _encode_offset_for_leader_epoch_response_2, 4: _encode_offset_for_leader_epoch_response_4}
