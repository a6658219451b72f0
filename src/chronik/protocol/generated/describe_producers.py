"""DescribeProducers: request in versions 0 to 0 and response in versions 0 to 0.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, pack, skip_tags, unpack_from, varint, varint_rest

P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
P_qiiqiqx = Packing('>qiiqiqx').pack
U_iB = Packing('>iB').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_qiiqiqB = Packing('>qiiqiqB').unpack_from


class TopicRequest(Struct):
 __slots__ = ('name', 'partition_indexes', )
 name: str
 partition_indexes: list[int]
 def __init__(self, name: str = '', partition_indexes: list[int] = FRESH) -> None:
  self.name = name
  self.partition_indexes = [] if partition_indexes is FRESH else partition_indexes


class DescribeProducersRequest(Message):
 __slots__ = ('topics', )
 api_key: ClassVar[int] = 61
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = 0
 topics: list[TopicRequest]
 def __init__(self, topics: list[TopicRequest] = FRESH) -> None:
  self.topics = [] if topics is FRESH else topics

def _decode_describe_producers_request_0(view, size):
 pos = 0
 o0 = new(DescribeProducersRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DescribeProducersRequest.topics')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('DescribeProducersRequest.topics')
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
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('TopicRequest.partition_indexes')
  n2 -= 1
  if n2 * 4 > size - pos: raise beyond('TopicRequest.partition_indexes')
  o1.partition_indexes = list(unpack_from(f'>{n2}i', view, pos))
  pos += n2 * 4
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.topics = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
DescribeProducersRequest.decoders = {0: _decode_describe_producers_request_0}

def _encode_describe_producers_request_0(m):
 out = []
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.partition_indexes
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  if a1: out.append(pack(f'>{len(a1)}i', *a1))
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
DescribeProducersRequest.encoders = {0: _encode_describe_producers_request_0}


class ProducerState(Struct):
 __slots__ = ('producer_id', 'producer_epoch', 'last_sequence', 'last_timestamp', 'coordinator_epoch', 'current_txn_start_offset', )
 producer_id: int
 producer_epoch: int
 last_sequence: int
 last_timestamp: int
 coordinator_epoch: int
 current_txn_start_offset: int
 def __init__(self, producer_id: int = 0, producer_epoch: int = 0, last_sequence: int = -1, last_timestamp: int = -1, coordinator_epoch: int = 0, current_txn_start_offset: int = -1) -> None:
  self.producer_id = producer_id
  self.producer_epoch = producer_epoch
  self.last_sequence = last_sequence
  self.last_timestamp = last_timestamp
  self.coordinator_epoch = coordinator_epoch
  self.current_txn_start_offset = current_txn_start_offset


class PartitionResponse(Struct):
 __slots__ = ('partition_index', 'error_code', 'error_message', 'active_producers', )
 partition_index: int
 error_code: int
 error_message: str | None
 active_producers: list[ProducerState]
 def __init__(self, partition_index: int = 0, error_code: int = 0, error_message: str | None = None, active_producers: list[ProducerState] = FRESH) -> None:
  self.partition_index = partition_index
  self.error_code = error_code
  self.error_message = error_message
  self.active_producers = [] if active_producers is FRESH else active_producers


class TopicResponse(Struct):
 __slots__ = ('name', 'partitions', )
 name: str
 partitions: list[PartitionResponse]
 def __init__(self, name: str = '', partitions: list[PartitionResponse] = FRESH) -> None:
  self.name = name
  self.partitions = [] if partitions is FRESH else partitions


class DescribeProducersResponse(Message):
 __slots__ = ('throttle_time_ms', 'topics', )
 api_key: ClassVar[int] = 61
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = 0
 throttle_time_ms: int
 topics: list[TopicResponse]
 def __init__(self, throttle_time_ms: int = 0, topics: list[TopicResponse] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.topics = [] if topics is FRESH else topics

def _decode_describe_producers_response_0(view, size):
 pos = 0
 o0 = new(DescribeProducersResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DescribeProducersResponse.topics')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('DescribeProducersResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(TopicResponse)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('TopicResponse.name')
  end = pos + n1 - 1
  if end > size: raise beyond('TopicResponse.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('TopicResponse.partitions')
  n2 -= 1
  if n2 * 9 > size - pos: raise beyond('TopicResponse.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(PartitionResponse)
   o2.partition_index, o2.error_code, n3 = U_ihB(view, pos)
   pos += 7
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: o2.error_message = None
   else:
    end = pos + n3 - 1
    if end > size: raise beyond('PartitionResponse.error_message')
    o2.error_message = view[pos:end].tobytes().decode()
    pos = end
   n4 = view[pos]
   pos += 1
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: raise null('PartitionResponse.active_producers')
   n4 -= 1
   if n4 * 37 > size - pos: raise beyond('PartitionResponse.active_producers')
   a2 = []
   for _ in range(n4):
    o3 = new(ProducerState)
    o3.producer_id, o3.producer_epoch, o3.last_sequence, o3.last_timestamp, o3.coordinator_epoch, o3.current_txn_start_offset, t0 = U_qiiqiqB(view, pos)
    pos += 37
    if t0:
     pos = skip_tags(view, pos, t0, size)
    a2.append(o3)
   o2.active_producers = a2
   t1 = view[pos]
   pos += 1
   if t1:
    pos = skip_tags(view, pos, t1, size)
   a1.append(o2)
  o1.partitions = a1
  t2 = view[pos]
  pos += 1
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a0.append(o1)
 o0.topics = a0
 t3 = view[pos]
 pos += 1
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
DescribeProducersResponse.decoders = {0: _decode_describe_producers_response_0}

def _encode_describe_producers_response_0(m):
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
   b1 = m1.error_message
   if b1 is None:
    b1 = b''; n3 = 0
   else:
    b1 = b1.encode()
    n3 = len(b1) + 1
   out.append(P_ihB(m1.partition_index, m1.error_code, n3) if n3 < 128 else P_ih(m1.partition_index, m1.error_code) + varint(n3))
   out.append(b1)
   a2 = m1.active_producers
   n4 = len(a2) + 1
   out.append(U8[n4] if n4 < 128 else varint(n4))
   for m2 in a2:
    out.append(P_qiiqiqx(m2.producer_id, m2.producer_epoch, m2.last_sequence, m2.last_timestamp, m2.coordinator_epoch, m2.current_txn_start_offset))
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
DescribeProducersResponse.encoders = {0: _encode_describe_producers_response_0}
