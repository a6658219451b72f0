"""DeleteRecords: request in versions 0 to 2 and response in versions 0 to 2.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, varint, varint_rest

P_h = Packing('>h').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ii = Packing('>ii').pack
P_iq = Packing('>iq').pack
P_iqh = Packing('>iqh').pack
P_iqhx = Packing('>iqhx').pack
P_iqx = Packing('>iqx').pack
P_ix = Packing('>ix').pack
U_h = Packing('>h').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ii = Packing('>ii').unpack_from
U_iq = Packing('>iq').unpack_from
U_iqB = Packing('>iqB').unpack_from
U_iqh = Packing('>iqh').unpack_from
U_iqhB = Packing('>iqhB').unpack_from


class DeleteRecordsPartition(Struct):
 __slots__ = ('partition_index', 'offset', )
 partition_index: int
 offset: int
 def __init__(self, partition_index: int = 0, offset: int = 0) -> None:
  self.partition_index = partition_index
  self.offset = offset


class DeleteRecordsTopic(Struct):
 __slots__ = ('name', 'partitions', )
 name: str
 partitions: list[DeleteRecordsPartition]
 def __init__(self, name: str = '', partitions: list[DeleteRecordsPartition] = FRESH) -> None:
  self.name = name
  self.partitions = [] if partitions is FRESH else partitions


class DeleteRecordsRequest(Message):
 __slots__ = ('topics', 'timeout_ms', )
 api_key: ClassVar[int] = 21
 versions: ClassVar[range] = range(0, 3)
 first_flexible: ClassVar[int | None] = 2
 topics: list[DeleteRecordsTopic]
 timeout_ms: int
 def __init__(self, topics: list[DeleteRecordsTopic] = FRESH, timeout_ms: int = 0) -> None:
  self.topics = [] if topics is FRESH else topics
  self.timeout_ms = timeout_ms

def _decode_delete_records_request_0(view, size):
 pos = 0
 o0 = new(DeleteRecordsRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('DeleteRecordsRequest.topics')
 if n0 * 6 > size - pos: raise beyond('DeleteRecordsRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(DeleteRecordsTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('DeleteRecordsTopic.name')
  end = pos + n1
  if end > size: raise beyond('DeleteRecordsTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('DeleteRecordsTopic.partitions')
  if n2 * 12 > size - pos: raise beyond('DeleteRecordsTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(DeleteRecordsPartition)
   o2.partition_index, o2.offset = U_iq(view, pos)
   pos += 12
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 o0.timeout_ms, = U_i(view, pos)
 pos += 4
 return o0, pos
def _decode_delete_records_request_2(view, size):
 pos = 0
 o0 = new(DeleteRecordsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DeleteRecordsRequest.topics')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('DeleteRecordsRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(DeleteRecordsTopic)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('DeleteRecordsTopic.name')
  end = pos + n1 - 1
  if end > size: raise beyond('DeleteRecordsTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('DeleteRecordsTopic.partitions')
  n2 -= 1
  if n2 * 13 > size - pos: raise beyond('DeleteRecordsTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(DeleteRecordsPartition)
   o2.partition_index, o2.offset, t0 = U_iqB(view, pos)
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
 o0.timeout_ms, t2 = U_iB(view, pos)
 pos += 5
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
DeleteRecordsRequest.decoders = {0: _decode_delete_records_request_0, 1: _decode_delete_records_request_0, 2: _decode_delete_records_request_2}

def _encode_delete_records_request_0(m):
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
   out.append(P_iq(m1.partition_index, m1.offset))
 out.append(P_i(m.timeout_ms))
 return [b''.join(out)]
def _encode_delete_records_request_2(m):
 out = []
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   out.append(P_iqx(m1.partition_index, m1.offset))
  out.append(b'\x00')
 out.append(P_ix(m.timeout_ms))
 return [b''.join(out)]
DeleteRecordsRequest.encoders = {0: _encode_delete_records_request_0, 1: _encode_delete_records_request_0, 2: _encode_delete_records_request_2}


class DeleteRecordsPartitionResult(Struct):
 __slots__ = ('partition_index', 'low_watermark', 'error_code', )
 partition_index: int
 low_watermark: int
 error_code: int
 def __init__(self, partition_index: int = 0, low_watermark: int = 0, error_code: int = 0) -> None:
  self.partition_index = partition_index
  self.low_watermark = low_watermark
  self.error_code = error_code


class DeleteRecordsTopicResult(Struct):
 __slots__ = ('name', 'partitions', )
 name: str
 partitions: list[DeleteRecordsPartitionResult]
 def __init__(self, name: str = '', partitions: list[DeleteRecordsPartitionResult] = FRESH) -> None:
  self.name = name
  self.partitions = [] if partitions is FRESH else partitions


class DeleteRecordsResponse(Message):
 __slots__ = ('throttle_time_ms', 'topics', )
 api_key: ClassVar[int] = 21
 versions: ClassVar[range] = range(0, 3)
 first_flexible: ClassVar[int | None] = 2
 throttle_time_ms: int
 topics: list[DeleteRecordsTopicResult]
 def __init__(self, throttle_time_ms: int = 0, topics: list[DeleteRecordsTopicResult] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.topics = [] if topics is FRESH else topics

def _decode_delete_records_response_0(view, size):
 pos = 0
 o0 = new(DeleteRecordsResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('DeleteRecordsResponse.topics')
 if n0 * 6 > size - pos: raise beyond('DeleteRecordsResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(DeleteRecordsTopicResult)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('DeleteRecordsTopicResult.name')
  end = pos + n1
  if end > size: raise beyond('DeleteRecordsTopicResult.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('DeleteRecordsTopicResult.partitions')
  if n2 * 14 > size - pos: raise beyond('DeleteRecordsTopicResult.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(DeleteRecordsPartitionResult)
   o2.partition_index, o2.low_watermark, o2.error_code = U_iqh(view, pos)
   pos += 14
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
def _decode_delete_records_response_2(view, size):
 pos = 0
 o0 = new(DeleteRecordsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DeleteRecordsResponse.topics')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('DeleteRecordsResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(DeleteRecordsTopicResult)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('DeleteRecordsTopicResult.name')
  end = pos + n1 - 1
  if end > size: raise beyond('DeleteRecordsTopicResult.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('DeleteRecordsTopicResult.partitions')
  n2 -= 1
  if n2 * 15 > size - pos: raise beyond('DeleteRecordsTopicResult.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(DeleteRecordsPartitionResult)
   o2.partition_index, o2.low_watermark, o2.error_code, t0 = U_iqhB(view, pos)
   pos += 15
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
DeleteRecordsResponse.decoders = {0: _decode_delete_records_response_0, 1: _decode_delete_records_response_0, 2: _decode_delete_records_response_2}

def _encode_delete_records_response_0(m):
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
   out.append(P_iqh(m1.partition_index, m1.low_watermark, m1.error_code))
 return [b''.join(out)]
def _encode_delete_records_response_2(m):
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
   out.append(P_iqhx(m1.partition_index, m1.low_watermark, m1.error_code))
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
DeleteRecordsResponse.encoders = {0: _encode_delete_records_response_0, 1: _encode_delete_records_response_0, 2: _encode_delete_records_response_2}
