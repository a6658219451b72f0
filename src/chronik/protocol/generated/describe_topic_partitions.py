"""DescribeTopicPartitions: request in versions 0 to 0 and response in versions 0 to 0.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, NO_UUID, U8, UUID, UUIDS, Message, Packing, Struct, beyond, new, null, pack, skip_tags, unpack_from, uuid_of, varint, varint_rest

P_16st = Packing('>16s?').pack
P_16stB = Packing('>16s?B').pack
P_b = Packing('>b').pack
P_bB = Packing('>bB').pack
P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_hiii = Packing('>hiii').pack
P_hiiiB = Packing('>hiiiB').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ix = Packing('>ix').pack
U_16stB = Packing('>16s?B').unpack_from
U_b = Packing('>b').unpack_from
U_hB = Packing('>hB').unpack_from
U_hiiiB = Packing('>hiiiB').unpack_from
U_iB = Packing('>iB').unpack_from
U_ib = Packing('>ib').unpack_from


class TopicRequest(Struct):
 __slots__ = ('name', )
 name: str
 def __init__(self, name: str = '') -> None:
  self.name = name


class Cursor(Struct):
 __slots__ = ('topic_name', 'partition_index', )
 topic_name: str
 partition_index: int
 def __init__(self, topic_name: str = '', partition_index: int = 0) -> None:
  self.topic_name = topic_name
  self.partition_index = partition_index


class DescribeTopicPartitionsRequest(Message):
 __slots__ = ('topics', 'response_partition_limit', 'cursor', )
 api_key: ClassVar[int] = 75
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = 0
 topics: list[TopicRequest]
 response_partition_limit: int
 cursor: Cursor | None
 def __init__(self, topics: list[TopicRequest] = FRESH, response_partition_limit: int = 2000, cursor: Cursor | None = None) -> None:
  self.topics = [] if topics is FRESH else topics
  self.response_partition_limit = response_partition_limit
  self.cursor = cursor

def _decode_describe_topic_partitions_request_0(view, size):
 pos = 0
 o0 = new(DescribeTopicPartitionsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DescribeTopicPartitionsRequest.topics')
 n0 -= 1
 if n0 * 2 > size - pos: raise beyond('DescribeTopicPartitionsRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(TopicRequest)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('TopicRequest.name')
  end = pos + n1 - 1
  if end > size: raise beyond('TopicRequest.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.topics = a0
 o0.response_partition_limit, n2 = U_ib(view, pos)
 pos += 5
 if n2 < 0:
  o0.cursor = None
 else:
  o2 = new(Cursor)
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('Cursor.topic_name')
  end = pos + n3 - 1
  if end > size: raise beyond('Cursor.topic_name')
  o2.topic_name = view[pos:end].tobytes().decode()
  pos = end
  o2.partition_index, t1 = U_iB(view, pos)
  pos += 5
  if t1:
   pos = skip_tags(view, pos, t1, size)
  o0.cursor = o2
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
DescribeTopicPartitionsRequest.decoders = {0: _decode_describe_topic_partitions_request_0}

def _encode_describe_topic_partitions_request_0(m):
 out = []
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  out.append(b'\x00')
 m1 = m.cursor
 out.append(P_i(m.response_partition_limit))
 if m1 is None:
  out.append(b'\xff')
 else:
  b1 = m1.topic_name.encode()
  n2 = len(b1) + 1
  out.append(P_bB(1, n2) if n2 < 128 else P_b(1) + varint(n2))
  out.append(b1)
  out.append(P_ix(m1.partition_index))
 out.append(b'\x00')
 return [b''.join(out)]
DescribeTopicPartitionsRequest.encoders = {0: _encode_describe_topic_partitions_request_0}


class DescribeTopicPartitionsResponsePartition(Struct):
 __slots__ = ('error_code', 'partition_index', 'leader_id', 'leader_epoch', 'replica_nodes', 'isr_nodes', 'eligible_leader_replicas', 'last_known_elr', 'offline_replicas', )
 error_code: int
 partition_index: int
 leader_id: int
 leader_epoch: int
 replica_nodes: list[int]
 isr_nodes: list[int]
 eligible_leader_replicas: list[int] | None
 last_known_elr: list[int] | None
 offline_replicas: list[int]
 def __init__(self, error_code: int = 0, partition_index: int = 0, leader_id: int = 0, leader_epoch: int = -1, replica_nodes: list[int] = FRESH, isr_nodes: list[int] = FRESH, eligible_leader_replicas: list[int] | None = None, last_known_elr: list[int] | None = None, offline_replicas: list[int] = FRESH) -> None:
  self.error_code = error_code
  self.partition_index = partition_index
  self.leader_id = leader_id
  self.leader_epoch = leader_epoch
  self.replica_nodes = [] if replica_nodes is FRESH else replica_nodes
  self.isr_nodes = [] if isr_nodes is FRESH else isr_nodes
  self.eligible_leader_replicas = eligible_leader_replicas
  self.last_known_elr = last_known_elr
  self.offline_replicas = [] if offline_replicas is FRESH else offline_replicas


class DescribeTopicPartitionsResponseTopic(Struct):
 __slots__ = ('error_code', 'name', 'topic_id', 'is_internal', 'partitions', 'topic_authorized_operations', )
 error_code: int
 name: str | None
 topic_id: UUID
 is_internal: bool
 partitions: list[DescribeTopicPartitionsResponsePartition]
 topic_authorized_operations: int
 def __init__(self, error_code: int = 0, name: str | None = '', topic_id: UUID = NO_UUID, is_internal: bool = False, partitions: list[DescribeTopicPartitionsResponsePartition] = FRESH, topic_authorized_operations: int = -2147483648) -> None:
  self.error_code = error_code
  self.name = name
  self.topic_id = topic_id
  self.is_internal = is_internal
  self.partitions = [] if partitions is FRESH else partitions
  self.topic_authorized_operations = topic_authorized_operations


class DescribeTopicPartitionsResponse(Message):
 __slots__ = ('throttle_time_ms', 'topics', 'next_cursor', )
 api_key: ClassVar[int] = 75
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = 0
 throttle_time_ms: int
 topics: list[DescribeTopicPartitionsResponseTopic]
 next_cursor: Cursor | None
 def __init__(self, throttle_time_ms: int = 0, topics: list[DescribeTopicPartitionsResponseTopic] = FRESH, next_cursor: Cursor | None = None) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.topics = [] if topics is FRESH else topics
  self.next_cursor = next_cursor

def _decode_describe_topic_partitions_response_0(view, size):
 pos = 0
 o0 = new(DescribeTopicPartitionsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DescribeTopicPartitionsResponse.topics')
 n0 -= 1
 if n0 * 26 > size - pos: raise beyond('DescribeTopicPartitionsResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribeTopicPartitionsResponseTopic)
  o1.error_code, n1 = U_hB(view, pos)
  pos += 3
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: o1.name = None
  else:
   end = pos + n1 - 1
   if end > size: raise beyond('DescribeTopicPartitionsResponseTopic.name')
   o1.name = view[pos:end].tobytes().decode()
   pos = end
  o1.topic_id, o1.is_internal, n2 = U_16stB(view, pos)
  pos += 18
  o1.topic_id = UUIDS.get(o1.topic_id) or uuid_of(o1.topic_id)
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('DescribeTopicPartitionsResponseTopic.partitions')
  n2 -= 1
  if n2 * 20 > size - pos: raise beyond('DescribeTopicPartitionsResponseTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(DescribeTopicPartitionsResponsePartition)
   o2.error_code, o2.partition_index, o2.leader_id, o2.leader_epoch, n3 = U_hiiiB(view, pos)
   pos += 15
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: raise null('DescribeTopicPartitionsResponsePartition.replica_nodes')
   n3 -= 1
   if n3 * 4 > size - pos: raise beyond('DescribeTopicPartitionsResponsePartition.replica_nodes')
   o2.replica_nodes = list(unpack_from(f'>{n3}i', view, pos))
   pos += n3 * 4
   n4 = view[pos]
   pos += 1
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: raise null('DescribeTopicPartitionsResponsePartition.isr_nodes')
   n4 -= 1
   if n4 * 4 > size - pos: raise beyond('DescribeTopicPartitionsResponsePartition.isr_nodes')
   o2.isr_nodes = list(unpack_from(f'>{n4}i', view, pos))
   pos += n4 * 4
   n5 = view[pos]
   pos += 1
   if n5 > 127:
    n5, pos = varint_rest(view, pos, n5)
   if not n5: o2.eligible_leader_replicas = None
   else:
    n5 -= 1
    if n5 * 4 > size - pos: raise beyond('DescribeTopicPartitionsResponsePartition.eligible_leader_replicas')
    o2.eligible_leader_replicas = list(unpack_from(f'>{n5}i', view, pos))
    pos += n5 * 4
   n6 = view[pos]
   pos += 1
   if n6 > 127:
    n6, pos = varint_rest(view, pos, n6)
   if not n6: o2.last_known_elr = None
   else:
    n6 -= 1
    if n6 * 4 > size - pos: raise beyond('DescribeTopicPartitionsResponsePartition.last_known_elr')
    o2.last_known_elr = list(unpack_from(f'>{n6}i', view, pos))
    pos += n6 * 4
   n7 = view[pos]
   pos += 1
   if n7 > 127:
    n7, pos = varint_rest(view, pos, n7)
   if not n7: raise null('DescribeTopicPartitionsResponsePartition.offline_replicas')
   n7 -= 1
   if n7 * 4 > size - pos: raise beyond('DescribeTopicPartitionsResponsePartition.offline_replicas')
   o2.offline_replicas = list(unpack_from(f'>{n7}i', view, pos))
   pos += n7 * 4
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.partitions = a1
  o1.topic_authorized_operations, t1 = U_iB(view, pos)
  pos += 5
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.topics = a0
 n8, = U_b(view, pos)
 pos += 1
 if n8 < 0:
  o0.next_cursor = None
 else:
  o3 = new(Cursor)
  n9 = view[pos]
  pos += 1
  if n9 > 127:
   n9, pos = varint_rest(view, pos, n9)
  if not n9: raise null('Cursor.topic_name')
  end = pos + n9 - 1
  if end > size: raise beyond('Cursor.topic_name')
  o3.topic_name = view[pos:end].tobytes().decode()
  pos = end
  o3.partition_index, t2 = U_iB(view, pos)
  pos += 5
  if t2:
   pos = skip_tags(view, pos, t2, size)
  o0.next_cursor = o3
 t3 = view[pos]
 pos += 1
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
DescribeTopicPartitionsResponse.decoders = {0: _decode_describe_topic_partitions_response_0}

def _encode_describe_topic_partitions_response_0(m):
 out = []
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.name
  if b0 is None:
   b0 = b''; n1 = 0
  else:
   b0 = b0.encode()
   n1 = len(b0) + 1
  out.append(P_hB(m0.error_code, n1) if n1 < 128 else P_h(m0.error_code) + varint(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1) + 1
  out.append(P_16stB(m0.topic_id.bytes, m0.is_internal, n2) if n2 < 128 else P_16st(m0.topic_id.bytes, m0.is_internal) + varint(n2))
  for m1 in a1:
   a2 = m1.replica_nodes
   n3 = len(a2) + 1
   out.append(P_hiiiB(m1.error_code, m1.partition_index, m1.leader_id, m1.leader_epoch, n3) if n3 < 128 else P_hiii(m1.error_code, m1.partition_index, m1.leader_id, m1.leader_epoch) + varint(n3))
   if a2: out.append(pack(f'>{len(a2)}i', *a2))
   a3 = m1.isr_nodes
   n4 = len(a3) + 1
   out.append(U8[n4] if n4 < 128 else varint(n4))
   if a3: out.append(pack(f'>{len(a3)}i', *a3))
   a4 = m1.eligible_leader_replicas
   n5 = 0 if a4 is None else len(a4) + 1
   out.append(U8[n5] if n5 < 128 else varint(n5))
   if a4: out.append(pack(f'>{len(a4)}i', *a4))
   a5 = m1.last_known_elr
   n6 = 0 if a5 is None else len(a5) + 1
   out.append(U8[n6] if n6 < 128 else varint(n6))
   if a5: out.append(pack(f'>{len(a5)}i', *a5))
   a6 = m1.offline_replicas
   n7 = len(a6) + 1
   out.append(U8[n7] if n7 < 128 else varint(n7))
   if a6: out.append(pack(f'>{len(a6)}i', *a6))
   out.append(b'\x00')
  out.append(P_ix(m0.topic_authorized_operations))
 m2 = m.next_cursor
 if m2 is None:
  out.append(b'\xff')
 else:
  b1 = m2.topic_name.encode()
  n8 = len(b1) + 1
  out.append(P_bB(1, n8) if n8 < 128 else P_b(1) + varint(n8))
  out.append(b1)
  out.append(P_ix(m2.partition_index))
 out.append(b'\x00')
 return [b''.join(out)]
DescribeTopicPartitionsResponse.encoders = {0: _encode_describe_topic_partitions_response_0}
