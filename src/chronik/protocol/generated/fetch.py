"""Fetch: request in versions 4 to 18 and response in versions 4 to 18.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, NO_UUID, U8, UUID, UUIDS, Message, Packing, Records, Struct, beyond, new, null, pack, size_of, skip_tags, tagged, unpack_from, unsupported, unused, uuid_of, varint, varint_rest

P_16s = Packing('>16s').pack
P_16sB = Packing('>16sB').pack
P_h = Packing('>h').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ihi = Packing('>ihi').pack
P_ihiB = Packing('>ihiB').pack
P_ihii = Packing('>ihii').pack
P_ihqqi = Packing('>ihqqi').pack
P_ihqqq = Packing('>ihqqq').pack
P_ihqqqB = Packing('>ihqqqB').pack
P_ihqqqi = Packing('>ihqqqi').pack
P_ii = Packing('>ii').pack
P_iiibii = Packing('>iiibii').pack
P_iiibiiB = Packing('>iiibiiB').pack
P_iiiibi = Packing('>iiiibi').pack
P_iiiibii = Packing('>iiiibii').pack
P_iiiibiiB = Packing('>iiiibiiB').pack
P_iiiibiii = Packing('>iiiibiii').pack
P_iiqiqi = Packing('>iiqiqi').pack
P_iiqiqix = Packing('>iiqiqix').pack
P_iiqqi = Packing('>iiqqi').pack
P_iix = Packing('>iix').pack
P_iqi = Packing('>iqi').pack
P_iqqi = Packing('>iqqi').pack
P_iqx = Packing('>iqx').pack
P_q = Packing('>q').pack
P_qix = Packing('>qix').pack
P_qq = Packing('>qq').pack
P_qqx = Packing('>qqx').pack
U_16s = Packing('>16s').unpack_from
U_16sB = Packing('>16sB').unpack_from
U_h = Packing('>h').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ihiB = Packing('>ihiB').unpack_from
U_ihii = Packing('>ihii').unpack_from
U_ihqqi = Packing('>ihqqi').unpack_from
U_ihqqqB = Packing('>ihqqqB').unpack_from
U_ihqqqi = Packing('>ihqqqi').unpack_from
U_ii = Packing('>ii').unpack_from
U_iiB = Packing('>iiB').unpack_from
U_iiibiiB = Packing('>iiibiiB').unpack_from
U_iiiibi = Packing('>iiiibi').unpack_from
U_iiiibiiB = Packing('>iiiibiiB').unpack_from
U_iiiibiii = Packing('>iiiibiii').unpack_from
U_iiqiqiB = Packing('>iiqiqiB').unpack_from
U_iiqqi = Packing('>iiqqi').unpack_from
U_iqB = Packing('>iqB').unpack_from
U_iqi = Packing('>iqi').unpack_from
U_iqqi = Packing('>iqqi').unpack_from
U_q = Packing('>q').unpack_from
U_qiB = Packing('>qiB').unpack_from
U_qq = Packing('>qq').unpack_from
U_qqB = Packing('>qqB').unpack_from


class ReplicaState(Struct):
 __slots__ = ('replica_id', 'replica_epoch', )
 replica_id: int
 replica_epoch: int
 def __init__(self, replica_id: int = -1, replica_epoch: int = -1) -> None:
  self.replica_id = replica_id
  self.replica_epoch = replica_epoch


class FetchPartition(Struct):
 __slots__ = ('partition', 'current_leader_epoch', 'fetch_offset', 'last_fetched_epoch', 'log_start_offset', 'partition_max_bytes', 'replica_directory_id', 'high_watermark', )
 partition: int
 current_leader_epoch: int
 fetch_offset: int
 last_fetched_epoch: int
 log_start_offset: int
 partition_max_bytes: int
 replica_directory_id: UUID
 high_watermark: int
 def __init__(self, partition: int = 0, current_leader_epoch: int = -1, fetch_offset: int = 0, last_fetched_epoch: int = -1, log_start_offset: int = -1, partition_max_bytes: int = 0, replica_directory_id: UUID = NO_UUID, high_watermark: int = 9223372036854775807) -> None:
  self.partition = partition
  self.current_leader_epoch = current_leader_epoch
  self.fetch_offset = fetch_offset
  self.last_fetched_epoch = last_fetched_epoch
  self.log_start_offset = log_start_offset
  self.partition_max_bytes = partition_max_bytes
  self.replica_directory_id = replica_directory_id
  self.high_watermark = high_watermark


class FetchTopic(Struct):
 __slots__ = ('topic', 'topic_id', 'partitions', )
 topic: str
 topic_id: UUID
 partitions: list[FetchPartition]
 def __init__(self, topic: str = '', topic_id: UUID = NO_UUID, partitions: list[FetchPartition] = FRESH) -> None:
  self.topic = topic
  self.topic_id = topic_id
  self.partitions = [] if partitions is FRESH else partitions


class ForgottenTopic(Struct):
 __slots__ = ('topic', 'topic_id', 'partitions', )
 topic: str
 topic_id: UUID
 partitions: list[int]
 def __init__(self, topic: str = '', topic_id: UUID = NO_UUID, partitions: list[int] = FRESH) -> None:
  self.topic = topic
  self.topic_id = topic_id
  self.partitions = [] if partitions is FRESH else partitions


class FetchRequest(Message):
 __slots__ = ('cluster_id', 'replica_id', 'replica_state', 'max_wait_ms', 'min_bytes', 'max_bytes', 'isolation_level', 'session_id', 'session_epoch', 'topics', 'forgotten_topics_data', 'rack_id', )
 api_key: ClassVar[int] = 1
 versions: ClassVar[range] = range(4, 19)
 first_flexible: ClassVar[int | None] = 12
 cluster_id: str | None
 replica_id: int
 replica_state: ReplicaState | None
 max_wait_ms: int
 min_bytes: int
 max_bytes: int
 isolation_level: int
 session_id: int
 session_epoch: int
 topics: list[FetchTopic]
 forgotten_topics_data: list[ForgottenTopic]
 rack_id: str
 def __init__(self, cluster_id: str | None = None, replica_id: int = -1, replica_state: ReplicaState | None = None, max_wait_ms: int = 0, min_bytes: int = 0, max_bytes: int = 2147483647, isolation_level: int = 0, session_id: int = 0, session_epoch: int = -1, topics: list[FetchTopic] = FRESH, forgotten_topics_data: list[ForgottenTopic] = FRESH, rack_id: str = '') -> None:
  self.cluster_id = cluster_id
  self.replica_id = replica_id
  self.replica_state = replica_state
  self.max_wait_ms = max_wait_ms
  self.min_bytes = min_bytes
  self.max_bytes = max_bytes
  self.isolation_level = isolation_level
  self.session_id = session_id
  self.session_epoch = session_epoch
  self.topics = [] if topics is FRESH else topics
  self.forgotten_topics_data = [] if forgotten_topics_data is FRESH else forgotten_topics_data
  self.rack_id = rack_id

def _decode_fetch_request_4(view, size):
 pos = 0
 o0 = new(FetchRequest)
 o0.cluster_id = None
 o0.replica_state = None
 o0.session_id = 0
 o0.session_epoch = -1
 o0.replica_id, o0.max_wait_ms, o0.min_bytes, o0.max_bytes, o0.isolation_level, n0 = U_iiiibi(view, pos)
 pos += 21
 if n0 < 0: raise null('FetchRequest.topics')
 if n0 * 6 > size - pos: raise beyond('FetchRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(FetchTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('FetchTopic.topic')
  end = pos + n1
  if end > size: raise beyond('FetchTopic.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('FetchTopic.partitions')
  if n2 * 16 > size - pos: raise beyond('FetchTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(FetchPartition)
   o2.current_leader_epoch = -1
   o2.last_fetched_epoch = -1
   o2.log_start_offset = -1
   o2.replica_directory_id = NO_UUID
   o2.high_watermark = 9223372036854775807
   o2.partition, o2.fetch_offset, o2.partition_max_bytes = U_iqi(view, pos)
   pos += 16
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 o0.forgotten_topics_data = []
 o0.rack_id = ''
 return o0, pos
def _decode_fetch_request_5(view, size):
 pos = 0
 o0 = new(FetchRequest)
 o0.cluster_id = None
 o0.replica_state = None
 o0.session_id = 0
 o0.session_epoch = -1
 o0.replica_id, o0.max_wait_ms, o0.min_bytes, o0.max_bytes, o0.isolation_level, n0 = U_iiiibi(view, pos)
 pos += 21
 if n0 < 0: raise null('FetchRequest.topics')
 if n0 * 6 > size - pos: raise beyond('FetchRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(FetchTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('FetchTopic.topic')
  end = pos + n1
  if end > size: raise beyond('FetchTopic.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('FetchTopic.partitions')
  if n2 * 24 > size - pos: raise beyond('FetchTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(FetchPartition)
   o2.current_leader_epoch = -1
   o2.last_fetched_epoch = -1
   o2.replica_directory_id = NO_UUID
   o2.high_watermark = 9223372036854775807
   o2.partition, o2.fetch_offset, o2.log_start_offset, o2.partition_max_bytes = U_iqqi(view, pos)
   pos += 24
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 o0.forgotten_topics_data = []
 o0.rack_id = ''
 return o0, pos
def _decode_fetch_request_7(view, size):
 pos = 0
 o0 = new(FetchRequest)
 o0.cluster_id = None
 o0.replica_state = None
 o0.replica_id, o0.max_wait_ms, o0.min_bytes, o0.max_bytes, o0.isolation_level, o0.session_id, o0.session_epoch, n0 = U_iiiibiii(view, pos)
 pos += 29
 if n0 < 0: raise null('FetchRequest.topics')
 if n0 * 6 > size - pos: raise beyond('FetchRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(FetchTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('FetchTopic.topic')
  end = pos + n1
  if end > size: raise beyond('FetchTopic.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('FetchTopic.partitions')
  if n2 * 24 > size - pos: raise beyond('FetchTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(FetchPartition)
   o2.current_leader_epoch = -1
   o2.last_fetched_epoch = -1
   o2.replica_directory_id = NO_UUID
   o2.high_watermark = 9223372036854775807
   o2.partition, o2.fetch_offset, o2.log_start_offset, o2.partition_max_bytes = U_iqqi(view, pos)
   pos += 24
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 n3, = U_i(view, pos)
 pos += 4
 if n3 < 0: raise null('FetchRequest.forgotten_topics_data')
 if n3 * 6 > size - pos: raise beyond('FetchRequest.forgotten_topics_data')
 a2 = []
 for _ in range(n3):
  o3 = new(ForgottenTopic)
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('ForgottenTopic.topic')
  end = pos + n4
  if end > size: raise beyond('ForgottenTopic.topic')
  o3.topic = view[pos:end].tobytes().decode()
  pos = end
  o3.topic_id = NO_UUID
  n5, = U_i(view, pos)
  pos += 4
  if n5 < 0: raise null('ForgottenTopic.partitions')
  if n5 * 4 > size - pos: raise beyond('ForgottenTopic.partitions')
  o3.partitions = list(unpack_from(f'>{n5}i', view, pos))
  pos += n5 * 4
  a2.append(o3)
 o0.forgotten_topics_data = a2
 o0.rack_id = ''
 return o0, pos
def _decode_fetch_request_9(view, size):
 pos = 0
 o0 = new(FetchRequest)
 o0.cluster_id = None
 o0.replica_state = None
 o0.replica_id, o0.max_wait_ms, o0.min_bytes, o0.max_bytes, o0.isolation_level, o0.session_id, o0.session_epoch, n0 = U_iiiibiii(view, pos)
 pos += 29
 if n0 < 0: raise null('FetchRequest.topics')
 if n0 * 6 > size - pos: raise beyond('FetchRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(FetchTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('FetchTopic.topic')
  end = pos + n1
  if end > size: raise beyond('FetchTopic.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('FetchTopic.partitions')
  if n2 * 28 > size - pos: raise beyond('FetchTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(FetchPartition)
   o2.last_fetched_epoch = -1
   o2.replica_directory_id = NO_UUID
   o2.high_watermark = 9223372036854775807
   o2.partition, o2.current_leader_epoch, o2.fetch_offset, o2.log_start_offset, o2.partition_max_bytes = U_iiqqi(view, pos)
   pos += 28
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 n3, = U_i(view, pos)
 pos += 4
 if n3 < 0: raise null('FetchRequest.forgotten_topics_data')
 if n3 * 6 > size - pos: raise beyond('FetchRequest.forgotten_topics_data')
 a2 = []
 for _ in range(n3):
  o3 = new(ForgottenTopic)
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('ForgottenTopic.topic')
  end = pos + n4
  if end > size: raise beyond('ForgottenTopic.topic')
  o3.topic = view[pos:end].tobytes().decode()
  pos = end
  o3.topic_id = NO_UUID
  n5, = U_i(view, pos)
  pos += 4
  if n5 < 0: raise null('ForgottenTopic.partitions')
  if n5 * 4 > size - pos: raise beyond('ForgottenTopic.partitions')
  o3.partitions = list(unpack_from(f'>{n5}i', view, pos))
  pos += n5 * 4
  a2.append(o3)
 o0.forgotten_topics_data = a2
 o0.rack_id = ''
 return o0, pos
def _decode_fetch_request_11(view, size):
 pos = 0
 o0 = new(FetchRequest)
 o0.cluster_id = None
 o0.replica_state = None
 o0.replica_id, o0.max_wait_ms, o0.min_bytes, o0.max_bytes, o0.isolation_level, o0.session_id, o0.session_epoch, n0 = U_iiiibiii(view, pos)
 pos += 29
 if n0 < 0: raise null('FetchRequest.topics')
 if n0 * 6 > size - pos: raise beyond('FetchRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(FetchTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('FetchTopic.topic')
  end = pos + n1
  if end > size: raise beyond('FetchTopic.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('FetchTopic.partitions')
  if n2 * 28 > size - pos: raise beyond('FetchTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(FetchPartition)
   o2.last_fetched_epoch = -1
   o2.replica_directory_id = NO_UUID
   o2.high_watermark = 9223372036854775807
   o2.partition, o2.current_leader_epoch, o2.fetch_offset, o2.log_start_offset, o2.partition_max_bytes = U_iiqqi(view, pos)
   pos += 28
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 n3, = U_i(view, pos)
 pos += 4
 if n3 < 0: raise null('FetchRequest.forgotten_topics_data')
 if n3 * 6 > size - pos: raise beyond('FetchRequest.forgotten_topics_data')
 a2 = []
 for _ in range(n3):
  o3 = new(ForgottenTopic)
  n4, = U_h(view, pos)
  pos += 2
  if n4 < 0: raise null('ForgottenTopic.topic')
  end = pos + n4
  if end > size: raise beyond('ForgottenTopic.topic')
  o3.topic = view[pos:end].tobytes().decode()
  pos = end
  o3.topic_id = NO_UUID
  n5, = U_i(view, pos)
  pos += 4
  if n5 < 0: raise null('ForgottenTopic.partitions')
  if n5 * 4 > size - pos: raise beyond('ForgottenTopic.partitions')
  o3.partitions = list(unpack_from(f'>{n5}i', view, pos))
  pos += n5 * 4
  a2.append(o3)
 o0.forgotten_topics_data = a2
 n6, = U_h(view, pos)
 pos += 2
 if n6 < 0: raise null('FetchRequest.rack_id')
 end = pos + n6
 if end > size: raise beyond('FetchRequest.rack_id')
 o0.rack_id = view[pos:end].tobytes().decode()
 pos = end
 return o0, pos
def _decode_fetch_request_12(view, size):
 pos = 0
 o0 = new(FetchRequest)
 o0.cluster_id = None
 o0.replica_state = None
 o0.replica_id, o0.max_wait_ms, o0.min_bytes, o0.max_bytes, o0.isolation_level, o0.session_id, o0.session_epoch, n0 = U_iiiibiiB(view, pos)
 pos += 26
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('FetchRequest.topics')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('FetchRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(FetchTopic)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('FetchTopic.topic')
  end = pos + n1 - 1
  if end > size: raise beyond('FetchTopic.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('FetchTopic.partitions')
  n2 -= 1
  if n2 * 33 > size - pos: raise beyond('FetchTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(FetchPartition)
   o2.replica_directory_id = NO_UUID
   o2.high_watermark = 9223372036854775807
   o2.partition, o2.current_leader_epoch, o2.fetch_offset, o2.last_fetched_epoch, o2.log_start_offset, o2.partition_max_bytes, t0 = U_iiqiqiB(view, pos)
   pos += 33
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
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: raise null('FetchRequest.forgotten_topics_data')
 n3 -= 1
 if n3 * 3 > size - pos: raise beyond('FetchRequest.forgotten_topics_data')
 a2 = []
 for _ in range(n3):
  o3 = new(ForgottenTopic)
  n4 = view[pos]
  pos += 1
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('ForgottenTopic.topic')
  end = pos + n4 - 1
  if end > size: raise beyond('ForgottenTopic.topic')
  o3.topic = view[pos:end].tobytes().decode()
  pos = end
  o3.topic_id = NO_UUID
  n5 = view[pos]
  pos += 1
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('ForgottenTopic.partitions')
  n5 -= 1
  if n5 * 4 > size - pos: raise beyond('ForgottenTopic.partitions')
  o3.partitions = list(unpack_from(f'>{n5}i', view, pos))
  pos += n5 * 4
  t2 = view[pos]
  pos += 1
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a2.append(o3)
 o0.forgotten_topics_data = a2
 n6 = view[pos]
 pos += 1
 if n6 > 127:
  n6, pos = varint_rest(view, pos, n6)
 if not n6: raise null('FetchRequest.rack_id')
 end = pos + n6 - 1
 if end > size: raise beyond('FetchRequest.rack_id')
 o0.rack_id = view[pos:end].tobytes().decode()
 pos = end
 t3 = view[pos]
 pos += 1
 if t3:
  if t3 > 127:
   t3, pos = varint_rest(view, pos, t3)
  for _ in range(t3):
   tag0 = view[pos]
   pos += 1
   if tag0 > 127:
    tag0, pos = varint_rest(view, pos, tag0)
   stop0 = view[pos]
   pos += 1
   if stop0 > 127:
    stop0, pos = varint_rest(view, pos, stop0)
   stop0 += pos
   if stop0 > size: raise beyond('FetchRequest')
   if tag0 == 0:
    n7 = view[pos]
    pos += 1
    if n7 > 127:
     n7, pos = varint_rest(view, pos, n7)
    if not n7: o0.cluster_id = None
    else:
     end = pos + n7 - 1
     if end > size: raise beyond('FetchRequest.cluster_id')
     o0.cluster_id = view[pos:end].tobytes().decode()
     pos = end
    if pos != stop0: raise unused('FetchRequest.cluster_id')
   else:
    pos = stop0
 return o0, pos
def _decode_fetch_request_13(view, size):
 pos = 0
 o0 = new(FetchRequest)
 o0.cluster_id = None
 o0.replica_state = None
 o0.replica_id, o0.max_wait_ms, o0.min_bytes, o0.max_bytes, o0.isolation_level, o0.session_id, o0.session_epoch, n0 = U_iiiibiiB(view, pos)
 pos += 26
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('FetchRequest.topics')
 n0 -= 1
 if n0 * 18 > size - pos: raise beyond('FetchRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(FetchTopic)
  o1.topic = ''
  o1.topic_id, n1 = U_16sB(view, pos)
  pos += 17
  o1.topic_id = UUIDS.get(o1.topic_id) or uuid_of(o1.topic_id)
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('FetchTopic.partitions')
  n1 -= 1
  if n1 * 33 > size - pos: raise beyond('FetchTopic.partitions')
  a1 = []
  for _ in range(n1):
   o2 = new(FetchPartition)
   o2.replica_directory_id = NO_UUID
   o2.high_watermark = 9223372036854775807
   o2.partition, o2.current_leader_epoch, o2.fetch_offset, o2.last_fetched_epoch, o2.log_start_offset, o2.partition_max_bytes, t0 = U_iiqiqiB(view, pos)
   pos += 33
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
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('FetchRequest.forgotten_topics_data')
 n2 -= 1
 if n2 * 18 > size - pos: raise beyond('FetchRequest.forgotten_topics_data')
 a2 = []
 for _ in range(n2):
  o3 = new(ForgottenTopic)
  o3.topic = ''
  o3.topic_id, n3 = U_16sB(view, pos)
  pos += 17
  o3.topic_id = UUIDS.get(o3.topic_id) or uuid_of(o3.topic_id)
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('ForgottenTopic.partitions')
  n3 -= 1
  if n3 * 4 > size - pos: raise beyond('ForgottenTopic.partitions')
  o3.partitions = list(unpack_from(f'>{n3}i', view, pos))
  pos += n3 * 4
  t2 = view[pos]
  pos += 1
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a2.append(o3)
 o0.forgotten_topics_data = a2
 n4 = view[pos]
 pos += 1
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: raise null('FetchRequest.rack_id')
 end = pos + n4 - 1
 if end > size: raise beyond('FetchRequest.rack_id')
 o0.rack_id = view[pos:end].tobytes().decode()
 pos = end
 t3 = view[pos]
 pos += 1
 if t3:
  if t3 > 127:
   t3, pos = varint_rest(view, pos, t3)
  for _ in range(t3):
   tag0 = view[pos]
   pos += 1
   if tag0 > 127:
    tag0, pos = varint_rest(view, pos, tag0)
   stop0 = view[pos]
   pos += 1
   if stop0 > 127:
    stop0, pos = varint_rest(view, pos, stop0)
   stop0 += pos
   if stop0 > size: raise beyond('FetchRequest')
   if tag0 == 0:
    n5 = view[pos]
    pos += 1
    if n5 > 127:
     n5, pos = varint_rest(view, pos, n5)
    if not n5: o0.cluster_id = None
    else:
     end = pos + n5 - 1
     if end > size: raise beyond('FetchRequest.cluster_id')
     o0.cluster_id = view[pos:end].tobytes().decode()
     pos = end
    if pos != stop0: raise unused('FetchRequest.cluster_id')
   else:
    pos = stop0
 return o0, pos
def _decode_fetch_request_15(view, size):
 pos = 0
 o0 = new(FetchRequest)
 o0.cluster_id = None
 o0.replica_id = -1
 o0.replica_state = None
 o0.max_wait_ms, o0.min_bytes, o0.max_bytes, o0.isolation_level, o0.session_id, o0.session_epoch, n0 = U_iiibiiB(view, pos)
 pos += 22
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('FetchRequest.topics')
 n0 -= 1
 if n0 * 18 > size - pos: raise beyond('FetchRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(FetchTopic)
  o1.topic = ''
  o1.topic_id, n1 = U_16sB(view, pos)
  pos += 17
  o1.topic_id = UUIDS.get(o1.topic_id) or uuid_of(o1.topic_id)
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('FetchTopic.partitions')
  n1 -= 1
  if n1 * 33 > size - pos: raise beyond('FetchTopic.partitions')
  a1 = []
  for _ in range(n1):
   o2 = new(FetchPartition)
   o2.replica_directory_id = NO_UUID
   o2.high_watermark = 9223372036854775807
   o2.partition, o2.current_leader_epoch, o2.fetch_offset, o2.last_fetched_epoch, o2.log_start_offset, o2.partition_max_bytes, t0 = U_iiqiqiB(view, pos)
   pos += 33
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
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('FetchRequest.forgotten_topics_data')
 n2 -= 1
 if n2 * 18 > size - pos: raise beyond('FetchRequest.forgotten_topics_data')
 a2 = []
 for _ in range(n2):
  o3 = new(ForgottenTopic)
  o3.topic = ''
  o3.topic_id, n3 = U_16sB(view, pos)
  pos += 17
  o3.topic_id = UUIDS.get(o3.topic_id) or uuid_of(o3.topic_id)
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('ForgottenTopic.partitions')
  n3 -= 1
  if n3 * 4 > size - pos: raise beyond('ForgottenTopic.partitions')
  o3.partitions = list(unpack_from(f'>{n3}i', view, pos))
  pos += n3 * 4
  t2 = view[pos]
  pos += 1
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a2.append(o3)
 o0.forgotten_topics_data = a2
 n4 = view[pos]
 pos += 1
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: raise null('FetchRequest.rack_id')
 end = pos + n4 - 1
 if end > size: raise beyond('FetchRequest.rack_id')
 o0.rack_id = view[pos:end].tobytes().decode()
 pos = end
 t3 = view[pos]
 pos += 1
 if t3:
  if t3 > 127:
   t3, pos = varint_rest(view, pos, t3)
  for _ in range(t3):
   tag0 = view[pos]
   pos += 1
   if tag0 > 127:
    tag0, pos = varint_rest(view, pos, tag0)
   stop0 = view[pos]
   pos += 1
   if stop0 > 127:
    stop0, pos = varint_rest(view, pos, stop0)
   stop0 += pos
   if stop0 > size: raise beyond('FetchRequest')
   if tag0 == 0:
    n5 = view[pos]
    pos += 1
    if n5 > 127:
     n5, pos = varint_rest(view, pos, n5)
    if not n5: o0.cluster_id = None
    else:
     end = pos + n5 - 1
     if end > size: raise beyond('FetchRequest.cluster_id')
     o0.cluster_id = view[pos:end].tobytes().decode()
     pos = end
    if pos != stop0: raise unused('FetchRequest.cluster_id')
   elif tag0 == 1:
    o4 = new(ReplicaState)
    o4.replica_id, o4.replica_epoch, t4 = U_iqB(view, pos)
    pos += 13
    if t4:
     pos = skip_tags(view, pos, t4, size)
    o0.replica_state = o4
    if pos != stop0: raise unused('FetchRequest.replica_state')
   else:
    pos = stop0
 return o0, pos
def _decode_fetch_request_17(view, size):
 pos = 0
 o0 = new(FetchRequest)
 o0.cluster_id = None
 o0.replica_id = -1
 o0.replica_state = None
 o0.max_wait_ms, o0.min_bytes, o0.max_bytes, o0.isolation_level, o0.session_id, o0.session_epoch, n0 = U_iiibiiB(view, pos)
 pos += 22
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('FetchRequest.topics')
 n0 -= 1
 if n0 * 18 > size - pos: raise beyond('FetchRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(FetchTopic)
  o1.topic = ''
  o1.topic_id, n1 = U_16sB(view, pos)
  pos += 17
  o1.topic_id = UUIDS.get(o1.topic_id) or uuid_of(o1.topic_id)
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('FetchTopic.partitions')
  n1 -= 1
  if n1 * 33 > size - pos: raise beyond('FetchTopic.partitions')
  a1 = []
  for _ in range(n1):
   o2 = new(FetchPartition)
   o2.replica_directory_id = NO_UUID
   o2.high_watermark = 9223372036854775807
   o2.partition, o2.current_leader_epoch, o2.fetch_offset, o2.last_fetched_epoch, o2.log_start_offset, o2.partition_max_bytes, t0 = U_iiqiqiB(view, pos)
   pos += 33
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
     if stop0 > size: raise beyond('FetchPartition')
     if tag0 == 0:
      o2.replica_directory_id, = U_16s(view, pos)
      pos += 16
      o2.replica_directory_id = UUIDS.get(o2.replica_directory_id) or uuid_of(o2.replica_directory_id)
      if pos != stop0: raise unused('FetchPartition.replica_directory_id')
     else:
      pos = stop0
   a1.append(o2)
  o1.partitions = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.topics = a0
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('FetchRequest.forgotten_topics_data')
 n2 -= 1
 if n2 * 18 > size - pos: raise beyond('FetchRequest.forgotten_topics_data')
 a2 = []
 for _ in range(n2):
  o3 = new(ForgottenTopic)
  o3.topic = ''
  o3.topic_id, n3 = U_16sB(view, pos)
  pos += 17
  o3.topic_id = UUIDS.get(o3.topic_id) or uuid_of(o3.topic_id)
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('ForgottenTopic.partitions')
  n3 -= 1
  if n3 * 4 > size - pos: raise beyond('ForgottenTopic.partitions')
  o3.partitions = list(unpack_from(f'>{n3}i', view, pos))
  pos += n3 * 4
  t2 = view[pos]
  pos += 1
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a2.append(o3)
 o0.forgotten_topics_data = a2
 n4 = view[pos]
 pos += 1
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: raise null('FetchRequest.rack_id')
 end = pos + n4 - 1
 if end > size: raise beyond('FetchRequest.rack_id')
 o0.rack_id = view[pos:end].tobytes().decode()
 pos = end
 t3 = view[pos]
 pos += 1
 if t3:
  if t3 > 127:
   t3, pos = varint_rest(view, pos, t3)
  for _ in range(t3):
   tag1 = view[pos]
   pos += 1
   if tag1 > 127:
    tag1, pos = varint_rest(view, pos, tag1)
   stop1 = view[pos]
   pos += 1
   if stop1 > 127:
    stop1, pos = varint_rest(view, pos, stop1)
   stop1 += pos
   if stop1 > size: raise beyond('FetchRequest')
   if tag1 == 0:
    n5 = view[pos]
    pos += 1
    if n5 > 127:
     n5, pos = varint_rest(view, pos, n5)
    if not n5: o0.cluster_id = None
    else:
     end = pos + n5 - 1
     if end > size: raise beyond('FetchRequest.cluster_id')
     o0.cluster_id = view[pos:end].tobytes().decode()
     pos = end
    if pos != stop1: raise unused('FetchRequest.cluster_id')
   elif tag1 == 1:
    o4 = new(ReplicaState)
    o4.replica_id, o4.replica_epoch, t4 = U_iqB(view, pos)
    pos += 13
    if t4:
     pos = skip_tags(view, pos, t4, size)
    o0.replica_state = o4
    if pos != stop1: raise unused('FetchRequest.replica_state')
   else:
    pos = stop1
 return o0, pos
def _decode_fetch_request_18(view, size):
 pos = 0
 o0 = new(FetchRequest)
 o0.cluster_id = None
 o0.replica_id = -1
 o0.replica_state = None
 o0.max_wait_ms, o0.min_bytes, o0.max_bytes, o0.isolation_level, o0.session_id, o0.session_epoch, n0 = U_iiibiiB(view, pos)
 pos += 22
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('FetchRequest.topics')
 n0 -= 1
 if n0 * 18 > size - pos: raise beyond('FetchRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(FetchTopic)
  o1.topic = ''
  o1.topic_id, n1 = U_16sB(view, pos)
  pos += 17
  o1.topic_id = UUIDS.get(o1.topic_id) or uuid_of(o1.topic_id)
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('FetchTopic.partitions')
  n1 -= 1
  if n1 * 33 > size - pos: raise beyond('FetchTopic.partitions')
  a1 = []
  for _ in range(n1):
   o2 = new(FetchPartition)
   o2.replica_directory_id = NO_UUID
   o2.high_watermark = 9223372036854775807
   o2.partition, o2.current_leader_epoch, o2.fetch_offset, o2.last_fetched_epoch, o2.log_start_offset, o2.partition_max_bytes, t0 = U_iiqiqiB(view, pos)
   pos += 33
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
     if stop0 > size: raise beyond('FetchPartition')
     if tag0 == 0:
      o2.replica_directory_id, = U_16s(view, pos)
      pos += 16
      o2.replica_directory_id = UUIDS.get(o2.replica_directory_id) or uuid_of(o2.replica_directory_id)
      if pos != stop0: raise unused('FetchPartition.replica_directory_id')
     elif tag0 == 1:
      o2.high_watermark, = U_q(view, pos)
      pos += 8
      if pos != stop0: raise unused('FetchPartition.high_watermark')
     else:
      pos = stop0
   a1.append(o2)
  o1.partitions = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.topics = a0
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('FetchRequest.forgotten_topics_data')
 n2 -= 1
 if n2 * 18 > size - pos: raise beyond('FetchRequest.forgotten_topics_data')
 a2 = []
 for _ in range(n2):
  o3 = new(ForgottenTopic)
  o3.topic = ''
  o3.topic_id, n3 = U_16sB(view, pos)
  pos += 17
  o3.topic_id = UUIDS.get(o3.topic_id) or uuid_of(o3.topic_id)
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('ForgottenTopic.partitions')
  n3 -= 1
  if n3 * 4 > size - pos: raise beyond('ForgottenTopic.partitions')
  o3.partitions = list(unpack_from(f'>{n3}i', view, pos))
  pos += n3 * 4
  t2 = view[pos]
  pos += 1
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a2.append(o3)
 o0.forgotten_topics_data = a2
 n4 = view[pos]
 pos += 1
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: raise null('FetchRequest.rack_id')
 end = pos + n4 - 1
 if end > size: raise beyond('FetchRequest.rack_id')
 o0.rack_id = view[pos:end].tobytes().decode()
 pos = end
 t3 = view[pos]
 pos += 1
 if t3:
  if t3 > 127:
   t3, pos = varint_rest(view, pos, t3)
  for _ in range(t3):
   tag1 = view[pos]
   pos += 1
   if tag1 > 127:
    tag1, pos = varint_rest(view, pos, tag1)
   stop1 = view[pos]
   pos += 1
   if stop1 > 127:
    stop1, pos = varint_rest(view, pos, stop1)
   stop1 += pos
   if stop1 > size: raise beyond('FetchRequest')
   if tag1 == 0:
    n5 = view[pos]
    pos += 1
    if n5 > 127:
     n5, pos = varint_rest(view, pos, n5)
    if not n5: o0.cluster_id = None
    else:
     end = pos + n5 - 1
     if end > size: raise beyond('FetchRequest.cluster_id')
     o0.cluster_id = view[pos:end].tobytes().decode()
     pos = end
    if pos != stop1: raise unused('FetchRequest.cluster_id')
   elif tag1 == 1:
    o4 = new(ReplicaState)
    o4.replica_id, o4.replica_epoch, t4 = U_iqB(view, pos)
    pos += 13
    if t4:
     pos = skip_tags(view, pos, t4, size)
    o0.replica_state = o4
    if pos != stop1: raise unused('FetchRequest.replica_state')
   else:
    pos = stop1
 return o0, pos
FetchRequest.decoders = {4: _decode_fetch_request_4, 5: _decode_fetch_request_5, 6: _decode_fetch_request_5, 7: _decode_fetch_request_7, 8: _decode_fetch_request_7, 9: _decode_fetch_request_9, 10: _decode_fetch_request_9, 11: _decode_fetch_request_11, 12: _decode_fetch_request_12, 13: _decode_fetch_request_13, 14: _decode_fetch_request_13, 15: _decode_fetch_request_15, 16: _decode_fetch_request_15, 17: _decode_fetch_request_17, 18: _decode_fetch_request_18}

def _encode_fetch_request_4(m):
 out = []
 if m.replica_state is not None and m.replica_state != ReplicaState(): raise unsupported('FetchRequest.replica_state')
 a0 = m.topics
 n0 = len(a0)
 out.append(P_iiiibi(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   if m1.last_fetched_epoch != -1: raise unsupported('FetchPartition.last_fetched_epoch')
   out.append(P_iqi(m1.partition, m1.fetch_offset, m1.partition_max_bytes))
 if m.forgotten_topics_data: raise unsupported('FetchRequest.forgotten_topics_data')
 return [b''.join(out)]
def _encode_fetch_request_5(m):
 out = []
 if m.replica_state is not None and m.replica_state != ReplicaState(): raise unsupported('FetchRequest.replica_state')
 a0 = m.topics
 n0 = len(a0)
 out.append(P_iiiibi(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   if m1.last_fetched_epoch != -1: raise unsupported('FetchPartition.last_fetched_epoch')
   out.append(P_iqqi(m1.partition, m1.fetch_offset, m1.log_start_offset, m1.partition_max_bytes))
 if m.forgotten_topics_data: raise unsupported('FetchRequest.forgotten_topics_data')
 return [b''.join(out)]
def _encode_fetch_request_7(m):
 out = []
 if m.replica_state is not None and m.replica_state != ReplicaState(): raise unsupported('FetchRequest.replica_state')
 a0 = m.topics
 n0 = len(a0)
 out.append(P_iiiibiii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   if m1.last_fetched_epoch != -1: raise unsupported('FetchPartition.last_fetched_epoch')
   out.append(P_iqqi(m1.partition, m1.fetch_offset, m1.log_start_offset, m1.partition_max_bytes))
 a2 = m.forgotten_topics_data
 n3 = len(a2)
 out.append(P_i(n3))
 for m2 in a2:
  b1 = m2.topic.encode()
  n4 = len(b1)
  out.append(P_h(n4))
  out.append(b1)
  a3 = m2.partitions
  n5 = len(a3)
  out.append(P_i(n5))
  if a3: out.append(pack(f'>{len(a3)}i', *a3))
 return [b''.join(out)]
def _encode_fetch_request_9(m):
 out = []
 if m.replica_state is not None and m.replica_state != ReplicaState(): raise unsupported('FetchRequest.replica_state')
 a0 = m.topics
 n0 = len(a0)
 out.append(P_iiiibiii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   if m1.last_fetched_epoch != -1: raise unsupported('FetchPartition.last_fetched_epoch')
   out.append(P_iiqqi(m1.partition, m1.current_leader_epoch, m1.fetch_offset, m1.log_start_offset, m1.partition_max_bytes))
 a2 = m.forgotten_topics_data
 n3 = len(a2)
 out.append(P_i(n3))
 for m2 in a2:
  b1 = m2.topic.encode()
  n4 = len(b1)
  out.append(P_h(n4))
  out.append(b1)
  a3 = m2.partitions
  n5 = len(a3)
  out.append(P_i(n5))
  if a3: out.append(pack(f'>{len(a3)}i', *a3))
 return [b''.join(out)]
def _encode_fetch_request_11(m):
 out = []
 if m.replica_state is not None and m.replica_state != ReplicaState(): raise unsupported('FetchRequest.replica_state')
 a0 = m.topics
 n0 = len(a0)
 out.append(P_iiiibiii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   if m1.last_fetched_epoch != -1: raise unsupported('FetchPartition.last_fetched_epoch')
   out.append(P_iiqqi(m1.partition, m1.current_leader_epoch, m1.fetch_offset, m1.log_start_offset, m1.partition_max_bytes))
 a2 = m.forgotten_topics_data
 n3 = len(a2)
 out.append(P_i(n3))
 for m2 in a2:
  b1 = m2.topic.encode()
  n4 = len(b1)
  out.append(P_h(n4))
  out.append(b1)
  a3 = m2.partitions
  n5 = len(a3)
  out.append(P_i(n5))
  if a3: out.append(pack(f'>{len(a3)}i', *a3))
 b2 = m.rack_id.encode()
 n6 = len(b2)
 out.append(P_h(n6))
 out.append(b2)
 return [b''.join(out)]
def _encode_fetch_request_12(m):
 out = []
 if m.replica_state is not None and m.replica_state != ReplicaState(): raise unsupported('FetchRequest.replica_state')
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(P_iiiibiiB(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n0) if n0 < 128 else P_iiiibii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch) + varint(n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   out.append(P_iiqiqix(m1.partition, m1.current_leader_epoch, m1.fetch_offset, m1.last_fetched_epoch, m1.log_start_offset, m1.partition_max_bytes))
  out.append(b'\x00')
 a2 = m.forgotten_topics_data
 n3 = len(a2) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 for m2 in a2:
  b1 = m2.topic.encode()
  n4 = len(b1) + 1
  out.append(U8[n4] if n4 < 128 else varint(n4))
  out.append(b1)
  a3 = m2.partitions
  n5 = len(a3) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  if a3: out.append(pack(f'>{len(a3)}i', *a3))
  out.append(b'\x00')
 b2 = m.rack_id.encode()
 n6 = len(b2) + 1
 out.append(U8[n6] if n6 < 128 else varint(n6))
 out.append(b2)
 if (m.cluster_id is not None):
  t0 = []
  if m.cluster_id is not None:
   part0 = []
   b3 = m.cluster_id
   if b3 is None:
    b3 = b''; n7 = 0
   else:
    b3 = b3.encode()
    n7 = len(b3) + 1
   part0.append(U8[n7] if n7 < 128 else varint(n7))
   part0.append(b3)
   t0.append(tagged(0, part0))
  out.append(varint(len(t0)))
  out += t0
 else:
  out.append(b'\x00')
 return [b''.join(out)]
def _encode_fetch_request_13(m):
 out = []
 if m.replica_state is not None and m.replica_state != ReplicaState(): raise unsupported('FetchRequest.replica_state')
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(P_iiiibiiB(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n0) if n0 < 128 else P_iiiibii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch) + varint(n0))
 for m0 in a0:
  a1 = m0.partitions
  n1 = len(a1) + 1
  out.append(P_16sB(m0.topic_id.bytes, n1) if n1 < 128 else P_16s(m0.topic_id.bytes) + varint(n1))
  for m1 in a1:
   out.append(P_iiqiqix(m1.partition, m1.current_leader_epoch, m1.fetch_offset, m1.last_fetched_epoch, m1.log_start_offset, m1.partition_max_bytes))
  out.append(b'\x00')
 a2 = m.forgotten_topics_data
 n2 = len(a2) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 for m2 in a2:
  a3 = m2.partitions
  n3 = len(a3) + 1
  out.append(P_16sB(m2.topic_id.bytes, n3) if n3 < 128 else P_16s(m2.topic_id.bytes) + varint(n3))
  if a3: out.append(pack(f'>{len(a3)}i', *a3))
  out.append(b'\x00')
 b0 = m.rack_id.encode()
 n4 = len(b0) + 1
 out.append(U8[n4] if n4 < 128 else varint(n4))
 out.append(b0)
 if (m.cluster_id is not None):
  t0 = []
  if m.cluster_id is not None:
   part0 = []
   b1 = m.cluster_id
   if b1 is None:
    b1 = b''; n5 = 0
   else:
    b1 = b1.encode()
    n5 = len(b1) + 1
   part0.append(U8[n5] if n5 < 128 else varint(n5))
   part0.append(b1)
   t0.append(tagged(0, part0))
  out.append(varint(len(t0)))
  out += t0
 else:
  out.append(b'\x00')
 return [b''.join(out)]
def _encode_fetch_request_15(m):
 out = []
 if m.replica_id != -1: raise unsupported('FetchRequest.replica_id')
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(P_iiibiiB(m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n0) if n0 < 128 else P_iiibii(m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch) + varint(n0))
 for m0 in a0:
  a1 = m0.partitions
  n1 = len(a1) + 1
  out.append(P_16sB(m0.topic_id.bytes, n1) if n1 < 128 else P_16s(m0.topic_id.bytes) + varint(n1))
  for m1 in a1:
   out.append(P_iiqiqix(m1.partition, m1.current_leader_epoch, m1.fetch_offset, m1.last_fetched_epoch, m1.log_start_offset, m1.partition_max_bytes))
  out.append(b'\x00')
 a2 = m.forgotten_topics_data
 n2 = len(a2) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 for m2 in a2:
  a3 = m2.partitions
  n3 = len(a3) + 1
  out.append(P_16sB(m2.topic_id.bytes, n3) if n3 < 128 else P_16s(m2.topic_id.bytes) + varint(n3))
  if a3: out.append(pack(f'>{len(a3)}i', *a3))
  out.append(b'\x00')
 b0 = m.rack_id.encode()
 n4 = len(b0) + 1
 out.append(U8[n4] if n4 < 128 else varint(n4))
 out.append(b0)
 if (m.cluster_id is not None) or (m.replica_state is not None and m.replica_state != ReplicaState()):
  t0 = []
  if m.cluster_id is not None:
   part0 = []
   b1 = m.cluster_id
   if b1 is None:
    b1 = b''; n5 = 0
   else:
    b1 = b1.encode()
    n5 = len(b1) + 1
   part0.append(U8[n5] if n5 < 128 else varint(n5))
   part0.append(b1)
   t0.append(tagged(0, part0))
  if m.replica_state is not None and m.replica_state != ReplicaState():
   part0 = []
   m3 = m.replica_state
   part0.append(P_iqx(m3.replica_id, m3.replica_epoch))
   t0.append(tagged(1, part0))
  out.append(varint(len(t0)))
  out += t0
 else:
  out.append(b'\x00')
 return [b''.join(out)]
def _encode_fetch_request_17(m):
 out = []
 if m.replica_id != -1: raise unsupported('FetchRequest.replica_id')
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(P_iiibiiB(m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n0) if n0 < 128 else P_iiibii(m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch) + varint(n0))
 for m0 in a0:
  a1 = m0.partitions
  n1 = len(a1) + 1
  out.append(P_16sB(m0.topic_id.bytes, n1) if n1 < 128 else P_16s(m0.topic_id.bytes) + varint(n1))
  for m1 in a1:
   out.append(P_iiqiqi(m1.partition, m1.current_leader_epoch, m1.fetch_offset, m1.last_fetched_epoch, m1.log_start_offset, m1.partition_max_bytes))
   if (m1.replica_directory_id is not NO_UUID and m1.replica_directory_id != NO_UUID):
    t0 = []
    if m1.replica_directory_id is not NO_UUID and m1.replica_directory_id != NO_UUID:
     part0 = []
     part0.append(P_16s(m1.replica_directory_id.bytes))
     t0.append(tagged(0, part0))
    out.append(varint(len(t0)))
    out += t0
   else:
    out.append(b'\x00')
  out.append(b'\x00')
 a2 = m.forgotten_topics_data
 n2 = len(a2) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 for m2 in a2:
  a3 = m2.partitions
  n3 = len(a3) + 1
  out.append(P_16sB(m2.topic_id.bytes, n3) if n3 < 128 else P_16s(m2.topic_id.bytes) + varint(n3))
  if a3: out.append(pack(f'>{len(a3)}i', *a3))
  out.append(b'\x00')
 b0 = m.rack_id.encode()
 n4 = len(b0) + 1
 out.append(U8[n4] if n4 < 128 else varint(n4))
 out.append(b0)
 if (m.cluster_id is not None) or (m.replica_state is not None and m.replica_state != ReplicaState()):
  t1 = []
  if m.cluster_id is not None:
   part1 = []
   b1 = m.cluster_id
   if b1 is None:
    b1 = b''; n5 = 0
   else:
    b1 = b1.encode()
    n5 = len(b1) + 1
   part1.append(U8[n5] if n5 < 128 else varint(n5))
   part1.append(b1)
   t1.append(tagged(0, part1))
  if m.replica_state is not None and m.replica_state != ReplicaState():
   part1 = []
   m3 = m.replica_state
   part1.append(P_iqx(m3.replica_id, m3.replica_epoch))
   t1.append(tagged(1, part1))
  out.append(varint(len(t1)))
  out += t1
 else:
  out.append(b'\x00')
 return [b''.join(out)]
def _encode_fetch_request_18(m):
 out = []
 if m.replica_id != -1: raise unsupported('FetchRequest.replica_id')
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(P_iiibiiB(m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n0) if n0 < 128 else P_iiibii(m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch) + varint(n0))
 for m0 in a0:
  a1 = m0.partitions
  n1 = len(a1) + 1
  out.append(P_16sB(m0.topic_id.bytes, n1) if n1 < 128 else P_16s(m0.topic_id.bytes) + varint(n1))
  for m1 in a1:
   out.append(P_iiqiqi(m1.partition, m1.current_leader_epoch, m1.fetch_offset, m1.last_fetched_epoch, m1.log_start_offset, m1.partition_max_bytes))
   if (m1.replica_directory_id is not NO_UUID and m1.replica_directory_id != NO_UUID) or (m1.high_watermark != 9223372036854775807):
    t0 = []
    if m1.replica_directory_id is not NO_UUID and m1.replica_directory_id != NO_UUID:
     part0 = []
     part0.append(P_16s(m1.replica_directory_id.bytes))
     t0.append(tagged(0, part0))
    if m1.high_watermark != 9223372036854775807:
     part0 = []
     part0.append(P_q(m1.high_watermark))
     t0.append(tagged(1, part0))
    out.append(varint(len(t0)))
    out += t0
   else:
    out.append(b'\x00')
  out.append(b'\x00')
 a2 = m.forgotten_topics_data
 n2 = len(a2) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 for m2 in a2:
  a3 = m2.partitions
  n3 = len(a3) + 1
  out.append(P_16sB(m2.topic_id.bytes, n3) if n3 < 128 else P_16s(m2.topic_id.bytes) + varint(n3))
  if a3: out.append(pack(f'>{len(a3)}i', *a3))
  out.append(b'\x00')
 b0 = m.rack_id.encode()
 n4 = len(b0) + 1
 out.append(U8[n4] if n4 < 128 else varint(n4))
 out.append(b0)
 if (m.cluster_id is not None) or (m.replica_state is not None and m.replica_state != ReplicaState()):
  t1 = []
  if m.cluster_id is not None:
   part1 = []
   b1 = m.cluster_id
   if b1 is None:
    b1 = b''; n5 = 0
   else:
    b1 = b1.encode()
    n5 = len(b1) + 1
   part1.append(U8[n5] if n5 < 128 else varint(n5))
   part1.append(b1)
   t1.append(tagged(0, part1))
  if m.replica_state is not None and m.replica_state != ReplicaState():
   part1 = []
   m3 = m.replica_state
   part1.append(P_iqx(m3.replica_id, m3.replica_epoch))
   t1.append(tagged(1, part1))
  out.append(varint(len(t1)))
  out += t1
 else:
  out.append(b'\x00')
 return [b''.join(out)]
FetchRequest.encoders = {4: _encode_fetch_request_4, 5: _encode_fetch_request_5, 6: _encode_fetch_request_5, 7: _encode_fetch_request_7, 8: _encode_fetch_request_7, 9: _encode_fetch_request_9, 10: _encode_fetch_request_9, 11: _encode_fetch_request_11, 12: _encode_fetch_request_12, 13: _encode_fetch_request_13, 14: _encode_fetch_request_13, 15: _encode_fetch_request_15, 16: _encode_fetch_request_15, 17: _encode_fetch_request_17, 18: _encode_fetch_request_18}


class EpochEndOffset(Struct):
 __slots__ = ('epoch', 'end_offset', )
 epoch: int
 end_offset: int
 def __init__(self, epoch: int = -1, end_offset: int = -1) -> None:
  self.epoch = epoch
  self.end_offset = end_offset


class LeaderIdAndEpoch(Struct):
 __slots__ = ('leader_id', 'leader_epoch', )
 leader_id: int
 leader_epoch: int
 def __init__(self, leader_id: int = -1, leader_epoch: int = -1) -> None:
  self.leader_id = leader_id
  self.leader_epoch = leader_epoch


class SnapshotId(Struct):
 __slots__ = ('end_offset', 'epoch', )
 end_offset: int
 epoch: int
 def __init__(self, end_offset: int = -1, epoch: int = -1) -> None:
  self.end_offset = end_offset
  self.epoch = epoch


class AbortedTransaction(Struct):
 __slots__ = ('producer_id', 'first_offset', )
 producer_id: int
 first_offset: int
 def __init__(self, producer_id: int = 0, first_offset: int = 0) -> None:
  self.producer_id = producer_id
  self.first_offset = first_offset


class PartitionData(Struct):
 __slots__ = ('partition_index', 'error_code', 'high_watermark', 'last_stable_offset', 'log_start_offset', 'diverging_epoch', 'current_leader', 'snapshot_id', 'aborted_transactions', 'preferred_read_replica', 'records', )
 partition_index: int
 error_code: int
 high_watermark: int
 last_stable_offset: int
 log_start_offset: int
 diverging_epoch: EpochEndOffset | None
 current_leader: LeaderIdAndEpoch | None
 snapshot_id: SnapshotId | None
 aborted_transactions: list[AbortedTransaction] | None
 preferred_read_replica: int
 records: Records
 def __init__(self, partition_index: int = 0, error_code: int = 0, high_watermark: int = 0, last_stable_offset: int = -1, log_start_offset: int = -1, diverging_epoch: EpochEndOffset | None = None, current_leader: LeaderIdAndEpoch | None = None, snapshot_id: SnapshotId | None = None, aborted_transactions: list[AbortedTransaction] | None = FRESH, preferred_read_replica: int = -1, records: Records = None) -> None:
  self.partition_index = partition_index
  self.error_code = error_code
  self.high_watermark = high_watermark
  self.last_stable_offset = last_stable_offset
  self.log_start_offset = log_start_offset
  self.diverging_epoch = diverging_epoch
  self.current_leader = current_leader
  self.snapshot_id = snapshot_id
  self.aborted_transactions = [] if aborted_transactions is FRESH else aborted_transactions
  self.preferred_read_replica = preferred_read_replica
  self.records = records


class FetchableTopicResponse(Struct):
 __slots__ = ('topic', 'topic_id', 'partitions', )
 topic: str
 topic_id: UUID
 partitions: list[PartitionData]
 def __init__(self, topic: str = '', topic_id: UUID = NO_UUID, partitions: list[PartitionData] = FRESH) -> None:
  self.topic = topic
  self.topic_id = topic_id
  self.partitions = [] if partitions is FRESH else partitions


class NodeEndpoint(Struct):
 __slots__ = ('node_id', 'host', 'port', 'rack', )
 node_id: int
 host: str
 port: int
 rack: str | None
 def __init__(self, node_id: int = 0, host: str = '', port: int = 0, rack: str | None = None) -> None:
  self.node_id = node_id
  self.host = host
  self.port = port
  self.rack = rack


class FetchResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'session_id', 'responses', 'node_endpoints', )
 api_key: ClassVar[int] = 1
 versions: ClassVar[range] = range(4, 19)
 first_flexible: ClassVar[int | None] = 12
 throttle_time_ms: int
 error_code: int
 session_id: int
 responses: list[FetchableTopicResponse]
 node_endpoints: list[NodeEndpoint]
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, session_id: int = 0, responses: list[FetchableTopicResponse] = FRESH, node_endpoints: list[NodeEndpoint] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.session_id = session_id
  self.responses = [] if responses is FRESH else responses
  self.node_endpoints = [] if node_endpoints is FRESH else node_endpoints

def _decode_fetch_response_4(view, size):
 pos = 0
 o0 = new(FetchResponse)
 o0.error_code = 0
 o0.session_id = 0
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('FetchResponse.responses')
 if n0 * 6 > size - pos: raise beyond('FetchResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(FetchableTopicResponse)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('FetchableTopicResponse.topic')
  end = pos + n1
  if end > size: raise beyond('FetchableTopicResponse.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('FetchableTopicResponse.partitions')
  if n2 * 30 > size - pos: raise beyond('FetchableTopicResponse.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(PartitionData)
   o2.log_start_offset = -1
   o2.diverging_epoch = None
   o2.current_leader = None
   o2.snapshot_id = None
   o2.partition_index, o2.error_code, o2.high_watermark, o2.last_stable_offset, n3 = U_ihqqi(view, pos)
   pos += 26
   if n3 < 0: o2.aborted_transactions = None
   else:
    if n3 * 16 > size - pos: raise beyond('PartitionData.aborted_transactions')
    a2 = []
    for _ in range(n3):
     o3 = new(AbortedTransaction)
     o3.producer_id, o3.first_offset = U_qq(view, pos)
     pos += 16
     a2.append(o3)
    o2.aborted_transactions = a2
   o2.preferred_read_replica = -1
   n4, = U_i(view, pos)
   pos += 4
   if n4 < 0: o2.records = None
   else:
    end = pos + n4
    if end > size: raise beyond('PartitionData.records')
    o2.records = view[pos:end]
    pos = end
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.responses = a0
 o0.node_endpoints = []
 return o0, pos
def _decode_fetch_response_5(view, size):
 pos = 0
 o0 = new(FetchResponse)
 o0.error_code = 0
 o0.session_id = 0
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('FetchResponse.responses')
 if n0 * 6 > size - pos: raise beyond('FetchResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(FetchableTopicResponse)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('FetchableTopicResponse.topic')
  end = pos + n1
  if end > size: raise beyond('FetchableTopicResponse.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('FetchableTopicResponse.partitions')
  if n2 * 38 > size - pos: raise beyond('FetchableTopicResponse.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(PartitionData)
   o2.diverging_epoch = None
   o2.current_leader = None
   o2.snapshot_id = None
   o2.partition_index, o2.error_code, o2.high_watermark, o2.last_stable_offset, o2.log_start_offset, n3 = U_ihqqqi(view, pos)
   pos += 34
   if n3 < 0: o2.aborted_transactions = None
   else:
    if n3 * 16 > size - pos: raise beyond('PartitionData.aborted_transactions')
    a2 = []
    for _ in range(n3):
     o3 = new(AbortedTransaction)
     o3.producer_id, o3.first_offset = U_qq(view, pos)
     pos += 16
     a2.append(o3)
    o2.aborted_transactions = a2
   o2.preferred_read_replica = -1
   n4, = U_i(view, pos)
   pos += 4
   if n4 < 0: o2.records = None
   else:
    end = pos + n4
    if end > size: raise beyond('PartitionData.records')
    o2.records = view[pos:end]
    pos = end
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.responses = a0
 o0.node_endpoints = []
 return o0, pos
def _decode_fetch_response_7(view, size):
 pos = 0
 o0 = new(FetchResponse)
 o0.throttle_time_ms, o0.error_code, o0.session_id, n0 = U_ihii(view, pos)
 pos += 14
 if n0 < 0: raise null('FetchResponse.responses')
 if n0 * 6 > size - pos: raise beyond('FetchResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(FetchableTopicResponse)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('FetchableTopicResponse.topic')
  end = pos + n1
  if end > size: raise beyond('FetchableTopicResponse.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('FetchableTopicResponse.partitions')
  if n2 * 38 > size - pos: raise beyond('FetchableTopicResponse.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(PartitionData)
   o2.diverging_epoch = None
   o2.current_leader = None
   o2.snapshot_id = None
   o2.partition_index, o2.error_code, o2.high_watermark, o2.last_stable_offset, o2.log_start_offset, n3 = U_ihqqqi(view, pos)
   pos += 34
   if n3 < 0: o2.aborted_transactions = None
   else:
    if n3 * 16 > size - pos: raise beyond('PartitionData.aborted_transactions')
    a2 = []
    for _ in range(n3):
     o3 = new(AbortedTransaction)
     o3.producer_id, o3.first_offset = U_qq(view, pos)
     pos += 16
     a2.append(o3)
    o2.aborted_transactions = a2
   o2.preferred_read_replica = -1
   n4, = U_i(view, pos)
   pos += 4
   if n4 < 0: o2.records = None
   else:
    end = pos + n4
    if end > size: raise beyond('PartitionData.records')
    o2.records = view[pos:end]
    pos = end
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.responses = a0
 o0.node_endpoints = []
 return o0, pos
def _decode_fetch_response_11(view, size):
 pos = 0
 o0 = new(FetchResponse)
 o0.throttle_time_ms, o0.error_code, o0.session_id, n0 = U_ihii(view, pos)
 pos += 14
 if n0 < 0: raise null('FetchResponse.responses')
 if n0 * 6 > size - pos: raise beyond('FetchResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(FetchableTopicResponse)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('FetchableTopicResponse.topic')
  end = pos + n1
  if end > size: raise beyond('FetchableTopicResponse.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('FetchableTopicResponse.partitions')
  if n2 * 42 > size - pos: raise beyond('FetchableTopicResponse.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(PartitionData)
   o2.diverging_epoch = None
   o2.current_leader = None
   o2.snapshot_id = None
   o2.partition_index, o2.error_code, o2.high_watermark, o2.last_stable_offset, o2.log_start_offset, n3 = U_ihqqqi(view, pos)
   pos += 34
   if n3 < 0: o2.aborted_transactions = None
   else:
    if n3 * 16 > size - pos: raise beyond('PartitionData.aborted_transactions')
    a2 = []
    for _ in range(n3):
     o3 = new(AbortedTransaction)
     o3.producer_id, o3.first_offset = U_qq(view, pos)
     pos += 16
     a2.append(o3)
    o2.aborted_transactions = a2
   o2.preferred_read_replica, n4 = U_ii(view, pos)
   pos += 8
   if n4 < 0: o2.records = None
   else:
    end = pos + n4
    if end > size: raise beyond('PartitionData.records')
    o2.records = view[pos:end]
    pos = end
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.responses = a0
 o0.node_endpoints = []
 return o0, pos
def _decode_fetch_response_12(view, size):
 pos = 0
 o0 = new(FetchResponse)
 o0.throttle_time_ms, o0.error_code, o0.session_id, n0 = U_ihiB(view, pos)
 pos += 11
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('FetchResponse.responses')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('FetchResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(FetchableTopicResponse)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('FetchableTopicResponse.topic')
  end = pos + n1 - 1
  if end > size: raise beyond('FetchableTopicResponse.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('FetchableTopicResponse.partitions')
  n2 -= 1
  if n2 * 37 > size - pos: raise beyond('FetchableTopicResponse.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(PartitionData)
   o2.diverging_epoch = None
   o2.current_leader = None
   o2.snapshot_id = None
   o2.partition_index, o2.error_code, o2.high_watermark, o2.last_stable_offset, o2.log_start_offset, n3 = U_ihqqqB(view, pos)
   pos += 31
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: o2.aborted_transactions = None
   else:
    n3 -= 1
    if n3 * 17 > size - pos: raise beyond('PartitionData.aborted_transactions')
    a2 = []
    for _ in range(n3):
     o3 = new(AbortedTransaction)
     o3.producer_id, o3.first_offset, t0 = U_qqB(view, pos)
     pos += 17
     if t0:
      pos = skip_tags(view, pos, t0, size)
     a2.append(o3)
    o2.aborted_transactions = a2
   o2.preferred_read_replica, n4 = U_iB(view, pos)
   pos += 5
   if n4 > 127:
    if view[pos] < 128:
     n4 += (view[pos] << 7) - 128
     pos += 1
    else:
     n4, pos = varint_rest(view, pos, n4)
   if not n4: o2.records = None
   else:
    end = pos + n4 - 1
    if end > size: raise beyond('PartitionData.records')
    o2.records = view[pos:end]
    pos = end
   t1 = view[pos]
   pos += 1
   if t1:
    if t1 > 127:
     t1, pos = varint_rest(view, pos, t1)
    for _ in range(t1):
     tag0 = view[pos]
     pos += 1
     if tag0 > 127:
      tag0, pos = varint_rest(view, pos, tag0)
     stop0 = view[pos]
     pos += 1
     if stop0 > 127:
      stop0, pos = varint_rest(view, pos, stop0)
     stop0 += pos
     if stop0 > size: raise beyond('PartitionData')
     if tag0 == 0:
      o4 = new(EpochEndOffset)
      o4.epoch, o4.end_offset, t2 = U_iqB(view, pos)
      pos += 13
      if t2:
       pos = skip_tags(view, pos, t2, size)
      o2.diverging_epoch = o4
      if pos != stop0: raise unused('PartitionData.diverging_epoch')
     elif tag0 == 1:
      o5 = new(LeaderIdAndEpoch)
      o5.leader_id, o5.leader_epoch, t3 = U_iiB(view, pos)
      pos += 9
      if t3:
       pos = skip_tags(view, pos, t3, size)
      o2.current_leader = o5
      if pos != stop0: raise unused('PartitionData.current_leader')
     elif tag0 == 2:
      o6 = new(SnapshotId)
      o6.end_offset, o6.epoch, t4 = U_qiB(view, pos)
      pos += 13
      if t4:
       pos = skip_tags(view, pos, t4, size)
      o2.snapshot_id = o6
      if pos != stop0: raise unused('PartitionData.snapshot_id')
     else:
      pos = stop0
   a1.append(o2)
  o1.partitions = a1
  t5 = view[pos]
  pos += 1
  if t5:
   pos = skip_tags(view, pos, t5, size)
  a0.append(o1)
 o0.responses = a0
 o0.node_endpoints = []
 t6 = view[pos]
 pos += 1
 if t6:
  pos = skip_tags(view, pos, t6, size)
 return o0, pos
def _decode_fetch_response_13(view, size):
 pos = 0
 o0 = new(FetchResponse)
 o0.throttle_time_ms, o0.error_code, o0.session_id, n0 = U_ihiB(view, pos)
 pos += 11
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('FetchResponse.responses')
 n0 -= 1
 if n0 * 18 > size - pos: raise beyond('FetchResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(FetchableTopicResponse)
  o1.topic = ''
  o1.topic_id, n1 = U_16sB(view, pos)
  pos += 17
  o1.topic_id = UUIDS.get(o1.topic_id) or uuid_of(o1.topic_id)
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('FetchableTopicResponse.partitions')
  n1 -= 1
  if n1 * 37 > size - pos: raise beyond('FetchableTopicResponse.partitions')
  a1 = []
  for _ in range(n1):
   o2 = new(PartitionData)
   o2.diverging_epoch = None
   o2.current_leader = None
   o2.snapshot_id = None
   o2.partition_index, o2.error_code, o2.high_watermark, o2.last_stable_offset, o2.log_start_offset, n2 = U_ihqqqB(view, pos)
   pos += 31
   if n2 > 127:
    n2, pos = varint_rest(view, pos, n2)
   if not n2: o2.aborted_transactions = None
   else:
    n2 -= 1
    if n2 * 17 > size - pos: raise beyond('PartitionData.aborted_transactions')
    a2 = []
    for _ in range(n2):
     o3 = new(AbortedTransaction)
     o3.producer_id, o3.first_offset, t0 = U_qqB(view, pos)
     pos += 17
     if t0:
      pos = skip_tags(view, pos, t0, size)
     a2.append(o3)
    o2.aborted_transactions = a2
   o2.preferred_read_replica, n3 = U_iB(view, pos)
   pos += 5
   if n3 > 127:
    if view[pos] < 128:
     n3 += (view[pos] << 7) - 128
     pos += 1
    else:
     n3, pos = varint_rest(view, pos, n3)
   if not n3: o2.records = None
   else:
    end = pos + n3 - 1
    if end > size: raise beyond('PartitionData.records')
    o2.records = view[pos:end]
    pos = end
   t1 = view[pos]
   pos += 1
   if t1:
    if t1 > 127:
     t1, pos = varint_rest(view, pos, t1)
    for _ in range(t1):
     tag0 = view[pos]
     pos += 1
     if tag0 > 127:
      tag0, pos = varint_rest(view, pos, tag0)
     stop0 = view[pos]
     pos += 1
     if stop0 > 127:
      stop0, pos = varint_rest(view, pos, stop0)
     stop0 += pos
     if stop0 > size: raise beyond('PartitionData')
     if tag0 == 0:
      o4 = new(EpochEndOffset)
      o4.epoch, o4.end_offset, t2 = U_iqB(view, pos)
      pos += 13
      if t2:
       pos = skip_tags(view, pos, t2, size)
      o2.diverging_epoch = o4
      if pos != stop0: raise unused('PartitionData.diverging_epoch')
     elif tag0 == 1:
      o5 = new(LeaderIdAndEpoch)
      o5.leader_id, o5.leader_epoch, t3 = U_iiB(view, pos)
      pos += 9
      if t3:
       pos = skip_tags(view, pos, t3, size)
      o2.current_leader = o5
      if pos != stop0: raise unused('PartitionData.current_leader')
     elif tag0 == 2:
      o6 = new(SnapshotId)
      o6.end_offset, o6.epoch, t4 = U_qiB(view, pos)
      pos += 13
      if t4:
       pos = skip_tags(view, pos, t4, size)
      o2.snapshot_id = o6
      if pos != stop0: raise unused('PartitionData.snapshot_id')
     else:
      pos = stop0
   a1.append(o2)
  o1.partitions = a1
  t5 = view[pos]
  pos += 1
  if t5:
   pos = skip_tags(view, pos, t5, size)
  a0.append(o1)
 o0.responses = a0
 o0.node_endpoints = []
 t6 = view[pos]
 pos += 1
 if t6:
  pos = skip_tags(view, pos, t6, size)
 return o0, pos
def _decode_fetch_response_16(view, size):
 pos = 0
 o0 = new(FetchResponse)
 o0.throttle_time_ms, o0.error_code, o0.session_id, n0 = U_ihiB(view, pos)
 pos += 11
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('FetchResponse.responses')
 n0 -= 1
 if n0 * 18 > size - pos: raise beyond('FetchResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(FetchableTopicResponse)
  o1.topic = ''
  o1.topic_id, n1 = U_16sB(view, pos)
  pos += 17
  o1.topic_id = UUIDS.get(o1.topic_id) or uuid_of(o1.topic_id)
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('FetchableTopicResponse.partitions')
  n1 -= 1
  if n1 * 37 > size - pos: raise beyond('FetchableTopicResponse.partitions')
  a1 = []
  for _ in range(n1):
   o2 = new(PartitionData)
   o2.diverging_epoch = None
   o2.current_leader = None
   o2.snapshot_id = None
   o2.partition_index, o2.error_code, o2.high_watermark, o2.last_stable_offset, o2.log_start_offset, n2 = U_ihqqqB(view, pos)
   pos += 31
   if n2 > 127:
    n2, pos = varint_rest(view, pos, n2)
   if not n2: o2.aborted_transactions = None
   else:
    n2 -= 1
    if n2 * 17 > size - pos: raise beyond('PartitionData.aborted_transactions')
    a2 = []
    for _ in range(n2):
     o3 = new(AbortedTransaction)
     o3.producer_id, o3.first_offset, t0 = U_qqB(view, pos)
     pos += 17
     if t0:
      pos = skip_tags(view, pos, t0, size)
     a2.append(o3)
    o2.aborted_transactions = a2
   o2.preferred_read_replica, n3 = U_iB(view, pos)
   pos += 5
   if n3 > 127:
    if view[pos] < 128:
     n3 += (view[pos] << 7) - 128
     pos += 1
    else:
     n3, pos = varint_rest(view, pos, n3)
   if not n3: o2.records = None
   else:
    end = pos + n3 - 1
    if end > size: raise beyond('PartitionData.records')
    o2.records = view[pos:end]
    pos = end
   t1 = view[pos]
   pos += 1
   if t1:
    if t1 > 127:
     t1, pos = varint_rest(view, pos, t1)
    for _ in range(t1):
     tag0 = view[pos]
     pos += 1
     if tag0 > 127:
      tag0, pos = varint_rest(view, pos, tag0)
     stop0 = view[pos]
     pos += 1
     if stop0 > 127:
      stop0, pos = varint_rest(view, pos, stop0)
     stop0 += pos
     if stop0 > size: raise beyond('PartitionData')
     if tag0 == 0:
      o4 = new(EpochEndOffset)
      o4.epoch, o4.end_offset, t2 = U_iqB(view, pos)
      pos += 13
      if t2:
       pos = skip_tags(view, pos, t2, size)
      o2.diverging_epoch = o4
      if pos != stop0: raise unused('PartitionData.diverging_epoch')
     elif tag0 == 1:
      o5 = new(LeaderIdAndEpoch)
      o5.leader_id, o5.leader_epoch, t3 = U_iiB(view, pos)
      pos += 9
      if t3:
       pos = skip_tags(view, pos, t3, size)
      o2.current_leader = o5
      if pos != stop0: raise unused('PartitionData.current_leader')
     elif tag0 == 2:
      o6 = new(SnapshotId)
      o6.end_offset, o6.epoch, t4 = U_qiB(view, pos)
      pos += 13
      if t4:
       pos = skip_tags(view, pos, t4, size)
      o2.snapshot_id = o6
      if pos != stop0: raise unused('PartitionData.snapshot_id')
     else:
      pos = stop0
   a1.append(o2)
  o1.partitions = a1
  t5 = view[pos]
  pos += 1
  if t5:
   pos = skip_tags(view, pos, t5, size)
  a0.append(o1)
 o0.responses = a0
 o0.node_endpoints = []
 t6 = view[pos]
 pos += 1
 if t6:
  if t6 > 127:
   t6, pos = varint_rest(view, pos, t6)
  for _ in range(t6):
   tag1 = view[pos]
   pos += 1
   if tag1 > 127:
    tag1, pos = varint_rest(view, pos, tag1)
   stop1 = view[pos]
   pos += 1
   if stop1 > 127:
    stop1, pos = varint_rest(view, pos, stop1)
   stop1 += pos
   if stop1 > size: raise beyond('FetchResponse')
   if tag1 == 0:
    n4 = view[pos]
    pos += 1
    if n4 > 127:
     n4, pos = varint_rest(view, pos, n4)
    if not n4: raise null('FetchResponse.node_endpoints')
    n4 -= 1
    if n4 * 11 > size - pos: raise beyond('FetchResponse.node_endpoints')
    a3 = []
    for _ in range(n4):
     o7 = new(NodeEndpoint)
     o7.node_id, n5 = U_iB(view, pos)
     pos += 5
     if n5 > 127:
      n5, pos = varint_rest(view, pos, n5)
     if not n5: raise null('NodeEndpoint.host')
     end = pos + n5 - 1
     if end > size: raise beyond('NodeEndpoint.host')
     o7.host = view[pos:end].tobytes().decode()
     pos = end
     o7.port, n6 = U_iB(view, pos)
     pos += 5
     if n6 > 127:
      n6, pos = varint_rest(view, pos, n6)
     if not n6: o7.rack = None
     else:
      end = pos + n6 - 1
      if end > size: raise beyond('NodeEndpoint.rack')
      o7.rack = view[pos:end].tobytes().decode()
      pos = end
     t7 = view[pos]
     pos += 1
     if t7:
      pos = skip_tags(view, pos, t7, size)
     a3.append(o7)
    o0.node_endpoints = a3
    if pos != stop1: raise unused('FetchResponse.node_endpoints')
   else:
    pos = stop1
 return o0, pos
FetchResponse.decoders = {4: _decode_fetch_response_4, 5: _decode_fetch_response_5, 6: _decode_fetch_response_5, 7: _decode_fetch_response_7, 8: _decode_fetch_response_7, 9: _decode_fetch_response_7, 10: _decode_fetch_response_7, 11: _decode_fetch_response_11, 12: _decode_fetch_response_12, 13: _decode_fetch_response_13, 14: _decode_fetch_response_13, 15: _decode_fetch_response_13, 16: _decode_fetch_response_16, 17: _decode_fetch_response_16, 18: _decode_fetch_response_16}

def _encode_fetch_response_4(m):
 out = []
 chunks = []
 if m.session_id != 0: raise unsupported('FetchResponse.session_id')
 a0 = m.responses
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
   if m1.diverging_epoch is not None and m1.diverging_epoch != EpochEndOffset(): raise unsupported('PartitionData.diverging_epoch')
   if m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch(): raise unsupported('PartitionData.current_leader')
   if m1.snapshot_id is not None and m1.snapshot_id != SnapshotId(): raise unsupported('PartitionData.snapshot_id')
   a2 = m1.aborted_transactions
   n3 = -1 if a2 is None else len(a2)
   out.append(P_ihqqi(m1.partition_index, m1.error_code, m1.high_watermark, m1.last_stable_offset, n3))
   for m2 in a2 or ():
    out.append(P_qq(m2.producer_id, m2.first_offset))
   if m1.preferred_read_replica != -1: raise unsupported('PartitionData.preferred_read_replica')
   b1 = m1.records
   n4 = -1 if b1 is None else (size_of(b1) if type(b1) is list else len(b1))
   out.append(P_i(n4))
   if b1:
    chunks.append(b''.join(out))
    out.clear()
    if type(b1) is list: chunks += b1
    else: chunks.append(b1)
 if m.node_endpoints: raise unsupported('FetchResponse.node_endpoints')
 if out: chunks.append(b''.join(out))
 return chunks
def _encode_fetch_response_5(m):
 out = []
 chunks = []
 if m.session_id != 0: raise unsupported('FetchResponse.session_id')
 a0 = m.responses
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
   if m1.diverging_epoch is not None and m1.diverging_epoch != EpochEndOffset(): raise unsupported('PartitionData.diverging_epoch')
   if m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch(): raise unsupported('PartitionData.current_leader')
   if m1.snapshot_id is not None and m1.snapshot_id != SnapshotId(): raise unsupported('PartitionData.snapshot_id')
   a2 = m1.aborted_transactions
   n3 = -1 if a2 is None else len(a2)
   out.append(P_ihqqqi(m1.partition_index, m1.error_code, m1.high_watermark, m1.last_stable_offset, m1.log_start_offset, n3))
   for m2 in a2 or ():
    out.append(P_qq(m2.producer_id, m2.first_offset))
   if m1.preferred_read_replica != -1: raise unsupported('PartitionData.preferred_read_replica')
   b1 = m1.records
   n4 = -1 if b1 is None else (size_of(b1) if type(b1) is list else len(b1))
   out.append(P_i(n4))
   if b1:
    chunks.append(b''.join(out))
    out.clear()
    if type(b1) is list: chunks += b1
    else: chunks.append(b1)
 if m.node_endpoints: raise unsupported('FetchResponse.node_endpoints')
 if out: chunks.append(b''.join(out))
 return chunks
def _encode_fetch_response_7(m):
 out = []
 chunks = []
 a0 = m.responses
 n0 = len(a0)
 out.append(P_ihii(m.throttle_time_ms, m.error_code, m.session_id, n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   if m1.diverging_epoch is not None and m1.diverging_epoch != EpochEndOffset(): raise unsupported('PartitionData.diverging_epoch')
   if m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch(): raise unsupported('PartitionData.current_leader')
   if m1.snapshot_id is not None and m1.snapshot_id != SnapshotId(): raise unsupported('PartitionData.snapshot_id')
   a2 = m1.aborted_transactions
   n3 = -1 if a2 is None else len(a2)
   out.append(P_ihqqqi(m1.partition_index, m1.error_code, m1.high_watermark, m1.last_stable_offset, m1.log_start_offset, n3))
   for m2 in a2 or ():
    out.append(P_qq(m2.producer_id, m2.first_offset))
   if m1.preferred_read_replica != -1: raise unsupported('PartitionData.preferred_read_replica')
   b1 = m1.records
   n4 = -1 if b1 is None else (size_of(b1) if type(b1) is list else len(b1))
   out.append(P_i(n4))
   if b1:
    chunks.append(b''.join(out))
    out.clear()
    if type(b1) is list: chunks += b1
    else: chunks.append(b1)
 if m.node_endpoints: raise unsupported('FetchResponse.node_endpoints')
 if out: chunks.append(b''.join(out))
 return chunks
def _encode_fetch_response_11(m):
 out = []
 chunks = []
 a0 = m.responses
 n0 = len(a0)
 out.append(P_ihii(m.throttle_time_ms, m.error_code, m.session_id, n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   if m1.diverging_epoch is not None and m1.diverging_epoch != EpochEndOffset(): raise unsupported('PartitionData.diverging_epoch')
   if m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch(): raise unsupported('PartitionData.current_leader')
   if m1.snapshot_id is not None and m1.snapshot_id != SnapshotId(): raise unsupported('PartitionData.snapshot_id')
   a2 = m1.aborted_transactions
   n3 = -1 if a2 is None else len(a2)
   out.append(P_ihqqqi(m1.partition_index, m1.error_code, m1.high_watermark, m1.last_stable_offset, m1.log_start_offset, n3))
   for m2 in a2 or ():
    out.append(P_qq(m2.producer_id, m2.first_offset))
   b1 = m1.records
   n4 = -1 if b1 is None else (size_of(b1) if type(b1) is list else len(b1))
   out.append(P_ii(m1.preferred_read_replica, n4))
   if b1:
    chunks.append(b''.join(out))
    out.clear()
    if type(b1) is list: chunks += b1
    else: chunks.append(b1)
 if m.node_endpoints: raise unsupported('FetchResponse.node_endpoints')
 if out: chunks.append(b''.join(out))
 return chunks
def _encode_fetch_response_12(m):
 out = []
 chunks = []
 a0 = m.responses
 n0 = len(a0) + 1
 out.append(P_ihiB(m.throttle_time_ms, m.error_code, m.session_id, n0) if n0 < 128 else P_ihi(m.throttle_time_ms, m.error_code, m.session_id) + varint(n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   a2 = m1.aborted_transactions
   n3 = 0 if a2 is None else len(a2) + 1
   out.append(P_ihqqqB(m1.partition_index, m1.error_code, m1.high_watermark, m1.last_stable_offset, m1.log_start_offset, n3) if n3 < 128 else P_ihqqq(m1.partition_index, m1.error_code, m1.high_watermark, m1.last_stable_offset, m1.log_start_offset) + varint(n3))
   for m2 in a2 or ():
    out.append(P_qqx(m2.producer_id, m2.first_offset))
   b1 = m1.records
   n4 = 0 if b1 is None else (size_of(b1) if type(b1) is list else len(b1)) + 1
   out.append(P_iB(m1.preferred_read_replica, n4) if n4 < 128 else P_i(m1.preferred_read_replica) + varint(n4))
   if b1:
    chunks.append(b''.join(out))
    out.clear()
    if type(b1) is list: chunks += b1
    else: chunks.append(b1)
   if (m1.diverging_epoch is not None and m1.diverging_epoch != EpochEndOffset()) or (m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch()) or (m1.snapshot_id is not None and m1.snapshot_id != SnapshotId()):
    t0 = []
    if m1.diverging_epoch is not None and m1.diverging_epoch != EpochEndOffset():
     part0 = []
     m3 = m1.diverging_epoch
     part0.append(P_iqx(m3.epoch, m3.end_offset))
     t0.append(tagged(0, part0))
    if m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch():
     part0 = []
     m4 = m1.current_leader
     part0.append(P_iix(m4.leader_id, m4.leader_epoch))
     t0.append(tagged(1, part0))
    if m1.snapshot_id is not None and m1.snapshot_id != SnapshotId():
     part0 = []
     m5 = m1.snapshot_id
     part0.append(P_qix(m5.end_offset, m5.epoch))
     t0.append(tagged(2, part0))
    out.append(varint(len(t0)))
    out += t0
   else:
    out.append(b'\x00')
  out.append(b'\x00')
 if m.node_endpoints: raise unsupported('FetchResponse.node_endpoints')
 out.append(b'\x00')
 if out: chunks.append(b''.join(out))
 return chunks
def _encode_fetch_response_13(m):
 out = []
 chunks = []
 a0 = m.responses
 n0 = len(a0) + 1
 out.append(P_ihiB(m.throttle_time_ms, m.error_code, m.session_id, n0) if n0 < 128 else P_ihi(m.throttle_time_ms, m.error_code, m.session_id) + varint(n0))
 for m0 in a0:
  a1 = m0.partitions
  n1 = len(a1) + 1
  out.append(P_16sB(m0.topic_id.bytes, n1) if n1 < 128 else P_16s(m0.topic_id.bytes) + varint(n1))
  for m1 in a1:
   a2 = m1.aborted_transactions
   n2 = 0 if a2 is None else len(a2) + 1
   out.append(P_ihqqqB(m1.partition_index, m1.error_code, m1.high_watermark, m1.last_stable_offset, m1.log_start_offset, n2) if n2 < 128 else P_ihqqq(m1.partition_index, m1.error_code, m1.high_watermark, m1.last_stable_offset, m1.log_start_offset) + varint(n2))
   for m2 in a2 or ():
    out.append(P_qqx(m2.producer_id, m2.first_offset))
   b0 = m1.records
   n3 = 0 if b0 is None else (size_of(b0) if type(b0) is list else len(b0)) + 1
   out.append(P_iB(m1.preferred_read_replica, n3) if n3 < 128 else P_i(m1.preferred_read_replica) + varint(n3))
   if b0:
    chunks.append(b''.join(out))
    out.clear()
    if type(b0) is list: chunks += b0
    else: chunks.append(b0)
   if (m1.diverging_epoch is not None and m1.diverging_epoch != EpochEndOffset()) or (m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch()) or (m1.snapshot_id is not None and m1.snapshot_id != SnapshotId()):
    t0 = []
    if m1.diverging_epoch is not None and m1.diverging_epoch != EpochEndOffset():
     part0 = []
     m3 = m1.diverging_epoch
     part0.append(P_iqx(m3.epoch, m3.end_offset))
     t0.append(tagged(0, part0))
    if m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch():
     part0 = []
     m4 = m1.current_leader
     part0.append(P_iix(m4.leader_id, m4.leader_epoch))
     t0.append(tagged(1, part0))
    if m1.snapshot_id is not None and m1.snapshot_id != SnapshotId():
     part0 = []
     m5 = m1.snapshot_id
     part0.append(P_qix(m5.end_offset, m5.epoch))
     t0.append(tagged(2, part0))
    out.append(varint(len(t0)))
    out += t0
   else:
    out.append(b'\x00')
  out.append(b'\x00')
 if m.node_endpoints: raise unsupported('FetchResponse.node_endpoints')
 out.append(b'\x00')
 if out: chunks.append(b''.join(out))
 return chunks
def _encode_fetch_response_16(m):
 out = []
 chunks = []
 a0 = m.responses
 n0 = len(a0) + 1
 out.append(P_ihiB(m.throttle_time_ms, m.error_code, m.session_id, n0) if n0 < 128 else P_ihi(m.throttle_time_ms, m.error_code, m.session_id) + varint(n0))
 for m0 in a0:
  a1 = m0.partitions
  n1 = len(a1) + 1
  out.append(P_16sB(m0.topic_id.bytes, n1) if n1 < 128 else P_16s(m0.topic_id.bytes) + varint(n1))
  for m1 in a1:
   a2 = m1.aborted_transactions
   n2 = 0 if a2 is None else len(a2) + 1
   out.append(P_ihqqqB(m1.partition_index, m1.error_code, m1.high_watermark, m1.last_stable_offset, m1.log_start_offset, n2) if n2 < 128 else P_ihqqq(m1.partition_index, m1.error_code, m1.high_watermark, m1.last_stable_offset, m1.log_start_offset) + varint(n2))
   for m2 in a2 or ():
    out.append(P_qqx(m2.producer_id, m2.first_offset))
   b0 = m1.records
   n3 = 0 if b0 is None else (size_of(b0) if type(b0) is list else len(b0)) + 1
   out.append(P_iB(m1.preferred_read_replica, n3) if n3 < 128 else P_i(m1.preferred_read_replica) + varint(n3))
   if b0:
    chunks.append(b''.join(out))
    out.clear()
    if type(b0) is list: chunks += b0
    else: chunks.append(b0)
   if (m1.diverging_epoch is not None and m1.diverging_epoch != EpochEndOffset()) or (m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch()) or (m1.snapshot_id is not None and m1.snapshot_id != SnapshotId()):
    t0 = []
    if m1.diverging_epoch is not None and m1.diverging_epoch != EpochEndOffset():
     part0 = []
     m3 = m1.diverging_epoch
     part0.append(P_iqx(m3.epoch, m3.end_offset))
     t0.append(tagged(0, part0))
    if m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch():
     part0 = []
     m4 = m1.current_leader
     part0.append(P_iix(m4.leader_id, m4.leader_epoch))
     t0.append(tagged(1, part0))
    if m1.snapshot_id is not None and m1.snapshot_id != SnapshotId():
     part0 = []
     m5 = m1.snapshot_id
     part0.append(P_qix(m5.end_offset, m5.epoch))
     t0.append(tagged(2, part0))
    out.append(varint(len(t0)))
    out += t0
   else:
    out.append(b'\x00')
  out.append(b'\x00')
 if (m.node_endpoints):
  t1 = []
  if m.node_endpoints:
   part1 = []
   a3 = m.node_endpoints
   n4 = len(a3) + 1
   part1.append(U8[n4] if n4 < 128 else varint(n4))
   for m6 in a3:
    b1 = m6.host.encode()
    n5 = len(b1) + 1
    part1.append(P_iB(m6.node_id, n5) if n5 < 128 else P_i(m6.node_id) + varint(n5))
    part1.append(b1)
    b2 = m6.rack
    if b2 is None:
     b2 = b''; n6 = 0
    else:
     b2 = b2.encode()
     n6 = len(b2) + 1
    part1.append(P_iB(m6.port, n6) if n6 < 128 else P_i(m6.port) + varint(n6))
    part1.append(b2)
    part1.append(b'\x00')
   t1.append(tagged(0, part1))
  out.append(varint(len(t1)))
  out += t1
 else:
  out.append(b'\x00')
 if out: chunks.append(b''.join(out))
 return chunks
FetchResponse.encoders = {4: _encode_fetch_response_4, 5: _encode_fetch_response_5, 6: _encode_fetch_response_5, 7: _encode_fetch_response_7, 8: _encode_fetch_response_7, 9: _encode_fetch_response_7, 10: _encode_fetch_response_7, 11: _encode_fetch_response_11, 12: _encode_fetch_response_12, 13: _encode_fetch_response_13, 14: _encode_fetch_response_13, 15: _encode_fetch_response_13, 16: _encode_fetch_response_16, 17: _encode_fetch_response_16, 18: _encode_fetch_response_16}
