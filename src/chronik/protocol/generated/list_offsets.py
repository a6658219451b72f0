"""ListOffsets: request in versions 1 to 10 and response in versions 1 to 10.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, unsupported, varint, varint_rest

P_h = Packing('>h').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ib = Packing('>ib').pack
P_ibB = Packing('>ibB').pack
P_ibi = Packing('>ibi').pack
P_ihqq = Packing('>ihqq').pack
P_ihqqi = Packing('>ihqqi').pack
P_ihqqix = Packing('>ihqqix').pack
P_ii = Packing('>ii').pack
P_iiq = Packing('>iiq').pack
P_iiqx = Packing('>iiqx').pack
P_iq = Packing('>iq').pack
P_ix = Packing('>ix').pack
U_h = Packing('>h').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ibB = Packing('>ibB').unpack_from
U_ibi = Packing('>ibi').unpack_from
U_ihqq = Packing('>ihqq').unpack_from
U_ihqqi = Packing('>ihqqi').unpack_from
U_ihqqiB = Packing('>ihqqiB').unpack_from
U_ii = Packing('>ii').unpack_from
U_iiq = Packing('>iiq').unpack_from
U_iiqB = Packing('>iiqB').unpack_from
U_iq = Packing('>iq').unpack_from


class ListOffsetsPartition(Struct):
 __slots__ = ('partition_index', 'current_leader_epoch', 'timestamp', )
 partition_index: int
 current_leader_epoch: int
 timestamp: int
 def __init__(self, partition_index: int = 0, current_leader_epoch: int = -1, timestamp: int = 0) -> None:
  self.partition_index = partition_index
  self.current_leader_epoch = current_leader_epoch
  self.timestamp = timestamp


class ListOffsetsTopic(Struct):
 __slots__ = ('name', 'partitions', )
 name: str
 partitions: list[ListOffsetsPartition]
 def __init__(self, name: str = '', partitions: list[ListOffsetsPartition] = FRESH) -> None:
  self.name = name
  self.partitions = [] if partitions is FRESH else partitions


class ListOffsetsRequest(Message):
 __slots__ = ('replica_id', 'isolation_level', 'topics', 'timeout_ms', )
 api_key: ClassVar[int] = 2
 versions: ClassVar[range] = range(1, 11)
 first_flexible: ClassVar[int | None] = 6
 replica_id: int
 isolation_level: int
 topics: list[ListOffsetsTopic]
 timeout_ms: int
 def __init__(self, replica_id: int = 0, isolation_level: int = 0, topics: list[ListOffsetsTopic] = FRESH, timeout_ms: int = 0) -> None:
  self.replica_id = replica_id
  self.isolation_level = isolation_level
  self.topics = [] if topics is FRESH else topics
  self.timeout_ms = timeout_ms

def _decode_list_offsets_request_1(view, size):
 pos = 0
 o0 = new(ListOffsetsRequest)
 o0.isolation_level = 0
 o0.replica_id, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('ListOffsetsRequest.topics')
 if n0 * 6 > size - pos: raise beyond('ListOffsetsRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(ListOffsetsTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('ListOffsetsTopic.name')
  end = pos + n1
  if end > size: raise beyond('ListOffsetsTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('ListOffsetsTopic.partitions')
  if n2 * 12 > size - pos: raise beyond('ListOffsetsTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(ListOffsetsPartition)
   o2.current_leader_epoch = -1
   o2.partition_index, o2.timestamp = U_iq(view, pos)
   pos += 12
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 o0.timeout_ms = 0
 return o0, pos
def _decode_list_offsets_request_2(view, size):
 pos = 0
 o0 = new(ListOffsetsRequest)
 o0.replica_id, o0.isolation_level, n0 = U_ibi(view, pos)
 pos += 9
 if n0 < 0: raise null('ListOffsetsRequest.topics')
 if n0 * 6 > size - pos: raise beyond('ListOffsetsRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(ListOffsetsTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('ListOffsetsTopic.name')
  end = pos + n1
  if end > size: raise beyond('ListOffsetsTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('ListOffsetsTopic.partitions')
  if n2 * 12 > size - pos: raise beyond('ListOffsetsTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(ListOffsetsPartition)
   o2.current_leader_epoch = -1
   o2.partition_index, o2.timestamp = U_iq(view, pos)
   pos += 12
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 o0.timeout_ms = 0
 return o0, pos
def _decode_list_offsets_request_4(view, size):
 pos = 0
 o0 = new(ListOffsetsRequest)
 o0.replica_id, o0.isolation_level, n0 = U_ibi(view, pos)
 pos += 9
 if n0 < 0: raise null('ListOffsetsRequest.topics')
 if n0 * 6 > size - pos: raise beyond('ListOffsetsRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(ListOffsetsTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('ListOffsetsTopic.name')
  end = pos + n1
  if end > size: raise beyond('ListOffsetsTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('ListOffsetsTopic.partitions')
  if n2 * 16 > size - pos: raise beyond('ListOffsetsTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(ListOffsetsPartition)
   o2.partition_index, o2.current_leader_epoch, o2.timestamp = U_iiq(view, pos)
   pos += 16
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 o0.timeout_ms = 0
 return o0, pos
def _decode_list_offsets_request_6(view, size):
 pos = 0
 o0 = new(ListOffsetsRequest)
 o0.replica_id, o0.isolation_level, n0 = U_ibB(view, pos)
 pos += 6
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ListOffsetsRequest.topics')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('ListOffsetsRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(ListOffsetsTopic)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ListOffsetsTopic.name')
  end = pos + n1 - 1
  if end > size: raise beyond('ListOffsetsTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('ListOffsetsTopic.partitions')
  n2 -= 1
  if n2 * 17 > size - pos: raise beyond('ListOffsetsTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(ListOffsetsPartition)
   o2.partition_index, o2.current_leader_epoch, o2.timestamp, t0 = U_iiqB(view, pos)
   pos += 17
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
 o0.timeout_ms = 0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
def _decode_list_offsets_request_10(view, size):
 pos = 0
 o0 = new(ListOffsetsRequest)
 o0.replica_id, o0.isolation_level, n0 = U_ibB(view, pos)
 pos += 6
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ListOffsetsRequest.topics')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('ListOffsetsRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(ListOffsetsTopic)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ListOffsetsTopic.name')
  end = pos + n1 - 1
  if end > size: raise beyond('ListOffsetsTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('ListOffsetsTopic.partitions')
  n2 -= 1
  if n2 * 17 > size - pos: raise beyond('ListOffsetsTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(ListOffsetsPartition)
   o2.partition_index, o2.current_leader_epoch, o2.timestamp, t0 = U_iiqB(view, pos)
   pos += 17
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
 o0.timeout_ms, t2 = U_iB(view, pos)
 pos += 5
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
ListOffsetsRequest.decoders = {1: _decode_list_offsets_request_1, 2: _decode_list_offsets_request_2, 3: _decode_list_offsets_request_2, 4: _decode_list_offsets_request_4, 5: _decode_list_offsets_request_4, 6: _decode_list_offsets_request_6, 7: _decode_list_offsets_request_6, 8: _decode_list_offsets_request_6, 9: _decode_list_offsets_request_6, 10: _decode_list_offsets_request_10}

def _encode_list_offsets_request_1(m):
 out = []
 if m.isolation_level != 0: raise unsupported('ListOffsetsRequest.isolation_level')
 a0 = m.topics
 n0 = len(a0)
 out.append(P_ii(m.replica_id, n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   out.append(P_iq(m1.partition_index, m1.timestamp))
 return [b''.join(out)]
def _encode_list_offsets_request_2(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_ibi(m.replica_id, m.isolation_level, n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   out.append(P_iq(m1.partition_index, m1.timestamp))
 return [b''.join(out)]
def _encode_list_offsets_request_4(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_ibi(m.replica_id, m.isolation_level, n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   out.append(P_iiq(m1.partition_index, m1.current_leader_epoch, m1.timestamp))
 return [b''.join(out)]
def _encode_list_offsets_request_6(m):
 out = []
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(P_ibB(m.replica_id, m.isolation_level, n0) if n0 < 128 else P_ib(m.replica_id, m.isolation_level) + varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   out.append(P_iiqx(m1.partition_index, m1.current_leader_epoch, m1.timestamp))
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_list_offsets_request_10(m):
 out = []
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(P_ibB(m.replica_id, m.isolation_level, n0) if n0 < 128 else P_ib(m.replica_id, m.isolation_level) + varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   out.append(P_iiqx(m1.partition_index, m1.current_leader_epoch, m1.timestamp))
  out.append(b'\x00')
 out.append(P_ix(m.timeout_ms))
 return [b''.join(out)]
ListOffsetsRequest.encoders = {1: _encode_list_offsets_request_1, 2: _encode_list_offsets_request_2, 3: _encode_list_offsets_request_2, 4: _encode_list_offsets_request_4, 5: _encode_list_offsets_request_4, 6: _encode_list_offsets_request_6, 7: _encode_list_offsets_request_6, 8: _encode_list_offsets_request_6, 9: _encode_list_offsets_request_6, 10: _encode_list_offsets_request_10}


class ListOffsetsPartitionResponse(Struct):
 __slots__ = ('partition_index', 'error_code', 'timestamp', 'offset', 'leader_epoch', )
 partition_index: int
 error_code: int
 timestamp: int
 offset: int
 leader_epoch: int
 def __init__(self, partition_index: int = 0, error_code: int = 0, timestamp: int = -1, offset: int = -1, leader_epoch: int = -1) -> None:
  self.partition_index = partition_index
  self.error_code = error_code
  self.timestamp = timestamp
  self.offset = offset
  self.leader_epoch = leader_epoch


class ListOffsetsTopicResponse(Struct):
 __slots__ = ('name', 'partitions', )
 name: str
 partitions: list[ListOffsetsPartitionResponse]
 def __init__(self, name: str = '', partitions: list[ListOffsetsPartitionResponse] = FRESH) -> None:
  self.name = name
  self.partitions = [] if partitions is FRESH else partitions


class ListOffsetsResponse(Message):
 __slots__ = ('throttle_time_ms', 'topics', )
 api_key: ClassVar[int] = 2
 versions: ClassVar[range] = range(1, 11)
 first_flexible: ClassVar[int | None] = 6
 throttle_time_ms: int
 topics: list[ListOffsetsTopicResponse]
 def __init__(self, throttle_time_ms: int = 0, topics: list[ListOffsetsTopicResponse] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.topics = [] if topics is FRESH else topics

def _decode_list_offsets_response_1(view, size):
 pos = 0
 o0 = new(ListOffsetsResponse)
 o0.throttle_time_ms = 0
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('ListOffsetsResponse.topics')
 if n0 * 6 > size - pos: raise beyond('ListOffsetsResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(ListOffsetsTopicResponse)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('ListOffsetsTopicResponse.name')
  end = pos + n1
  if end > size: raise beyond('ListOffsetsTopicResponse.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('ListOffsetsTopicResponse.partitions')
  if n2 * 22 > size - pos: raise beyond('ListOffsetsTopicResponse.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(ListOffsetsPartitionResponse)
   o2.leader_epoch = -1
   o2.partition_index, o2.error_code, o2.timestamp, o2.offset = U_ihqq(view, pos)
   pos += 22
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
def _decode_list_offsets_response_2(view, size):
 pos = 0
 o0 = new(ListOffsetsResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('ListOffsetsResponse.topics')
 if n0 * 6 > size - pos: raise beyond('ListOffsetsResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(ListOffsetsTopicResponse)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('ListOffsetsTopicResponse.name')
  end = pos + n1
  if end > size: raise beyond('ListOffsetsTopicResponse.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('ListOffsetsTopicResponse.partitions')
  if n2 * 22 > size - pos: raise beyond('ListOffsetsTopicResponse.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(ListOffsetsPartitionResponse)
   o2.leader_epoch = -1
   o2.partition_index, o2.error_code, o2.timestamp, o2.offset = U_ihqq(view, pos)
   pos += 22
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
def _decode_list_offsets_response_4(view, size):
 pos = 0
 o0 = new(ListOffsetsResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('ListOffsetsResponse.topics')
 if n0 * 6 > size - pos: raise beyond('ListOffsetsResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(ListOffsetsTopicResponse)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('ListOffsetsTopicResponse.name')
  end = pos + n1
  if end > size: raise beyond('ListOffsetsTopicResponse.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('ListOffsetsTopicResponse.partitions')
  if n2 * 26 > size - pos: raise beyond('ListOffsetsTopicResponse.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(ListOffsetsPartitionResponse)
   o2.partition_index, o2.error_code, o2.timestamp, o2.offset, o2.leader_epoch = U_ihqqi(view, pos)
   pos += 26
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
def _decode_list_offsets_response_6(view, size):
 pos = 0
 o0 = new(ListOffsetsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ListOffsetsResponse.topics')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('ListOffsetsResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(ListOffsetsTopicResponse)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ListOffsetsTopicResponse.name')
  end = pos + n1 - 1
  if end > size: raise beyond('ListOffsetsTopicResponse.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('ListOffsetsTopicResponse.partitions')
  n2 -= 1
  if n2 * 27 > size - pos: raise beyond('ListOffsetsTopicResponse.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(ListOffsetsPartitionResponse)
   o2.partition_index, o2.error_code, o2.timestamp, o2.offset, o2.leader_epoch, t0 = U_ihqqiB(view, pos)
   pos += 27
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
ListOffsetsResponse.decoders = {1: _decode_list_offsets_response_1, 2: _decode_list_offsets_response_2, 3: _decode_list_offsets_response_2, 4: _decode_list_offsets_response_4, 5: _decode_list_offsets_response_4, 6: _decode_list_offsets_response_6, 7: _decode_list_offsets_response_6, 8: _decode_list_offsets_response_6, 9: _decode_list_offsets_response_6, 10: _decode_list_offsets_response_6}

def _encode_list_offsets_response_1(m):
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
   if m1.leader_epoch != -1: raise unsupported('ListOffsetsPartitionResponse.leader_epoch')
   out.append(P_ihqq(m1.partition_index, m1.error_code, m1.timestamp, m1.offset))
 return [b''.join(out)]
def _encode_list_offsets_response_2(m):
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
   if m1.leader_epoch != -1: raise unsupported('ListOffsetsPartitionResponse.leader_epoch')
   out.append(P_ihqq(m1.partition_index, m1.error_code, m1.timestamp, m1.offset))
 return [b''.join(out)]
def _encode_list_offsets_response_4(m):
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
   out.append(P_ihqqi(m1.partition_index, m1.error_code, m1.timestamp, m1.offset, m1.leader_epoch))
 return [b''.join(out)]
def _encode_list_offsets_response_6(m):
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
   out.append(P_ihqqix(m1.partition_index, m1.error_code, m1.timestamp, m1.offset, m1.leader_epoch))
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
ListOffsetsResponse.encoders = {1: _encode_list_offsets_response_1, 2: _encode_list_offsets_response_2, 3: _encode_list_offsets_response_2, 4: _encode_list_offsets_response_4, 5: _encode_list_offsets_response_4, 6: _encode_list_offsets_response_6, 7: _encode_list_offsets_response_6, 8: _encode_list_offsets_response_6, 9: _encode_list_offsets_response_6, 10: _encode_list_offsets_response_6}
