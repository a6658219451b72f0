"""Produce: request in versions 3 to 13 and response in versions 3 to 13.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, NO_UUID, U8, UUID, UUIDS, Message, Packing, Records, Struct, beyond, new, null, size_of, skip_tags, tagged, unsupported, unused, uuid_of, varint, varint_rest

P_16s = Packing('>16s').pack
P_16sB = Packing('>16sB').pack
P_h = Packing('>h').pack
P_hi = Packing('>hi').pack
P_hiB = Packing('>hiB').pack
P_hii = Packing('>hii').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ih = Packing('>ih').pack
P_ihqq = Packing('>ihqq').pack
P_ihqqq = Packing('>ihqqq').pack
P_ihqqqB = Packing('>ihqqqB').pack
P_ihqqqi = Packing('>ihqqqi').pack
P_ii = Packing('>ii').pack
P_iix = Packing('>iix').pack
P_ix = Packing('>ix').pack
U_16sB = Packing('>16sB').unpack_from
U_h = Packing('>h').unpack_from
U_hiB = Packing('>hiB').unpack_from
U_hii = Packing('>hii').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ih = Packing('>ih').unpack_from
U_ihqq = Packing('>ihqq').unpack_from
U_ihqqq = Packing('>ihqqq').unpack_from
U_ihqqqB = Packing('>ihqqqB').unpack_from
U_ihqqqi = Packing('>ihqqqi').unpack_from
U_ii = Packing('>ii').unpack_from
U_iiB = Packing('>iiB').unpack_from


class PartitionProduceData(Struct):
 __slots__ = ('index', 'records', )
 index: int
 records: Records
 def __init__(self, index: int = 0, records: Records = None) -> None:
  self.index = index
  self.records = records


class TopicProduceData(Struct):
 __slots__ = ('name', 'topic_id', 'partition_data', )
 name: str
 topic_id: UUID
 partition_data: list[PartitionProduceData]
 def __init__(self, name: str = '', topic_id: UUID = NO_UUID, partition_data: list[PartitionProduceData] = FRESH) -> None:
  self.name = name
  self.topic_id = topic_id
  self.partition_data = [] if partition_data is FRESH else partition_data


class ProduceRequest(Message):
 __slots__ = ('transactional_id', 'acks', 'timeout_ms', 'topic_data', )
 api_key: ClassVar[int] = 0
 versions: ClassVar[range] = range(3, 14)
 first_flexible: ClassVar[int | None] = 9
 transactional_id: str | None
 acks: int
 timeout_ms: int
 topic_data: list[TopicProduceData]
 def __init__(self, transactional_id: str | None = None, acks: int = 0, timeout_ms: int = 0, topic_data: list[TopicProduceData] = FRESH) -> None:
  self.transactional_id = transactional_id
  self.acks = acks
  self.timeout_ms = timeout_ms
  self.topic_data = [] if topic_data is FRESH else topic_data

def _decode_produce_request_3(view, size):
 pos = 0
 o0 = new(ProduceRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: o0.transactional_id = None
 else:
  end = pos + n0
  if end > size: raise beyond('ProduceRequest.transactional_id')
  o0.transactional_id = view[pos:end].tobytes().decode()
  pos = end
 o0.acks, o0.timeout_ms, n1 = U_hii(view, pos)
 pos += 10
 if n1 < 0: raise null('ProduceRequest.topic_data')
 if n1 * 6 > size - pos: raise beyond('ProduceRequest.topic_data')
 a0 = []
 for _ in range(n1):
  o1 = new(TopicProduceData)
  n2, = U_h(view, pos)
  pos += 2
  if n2 < 0: raise null('TopicProduceData.name')
  end = pos + n2
  if end > size: raise beyond('TopicProduceData.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n3, = U_i(view, pos)
  pos += 4
  if n3 < 0: raise null('TopicProduceData.partition_data')
  if n3 * 8 > size - pos: raise beyond('TopicProduceData.partition_data')
  a1 = []
  for _ in range(n3):
   o2 = new(PartitionProduceData)
   o2.index, n4 = U_ii(view, pos)
   pos += 8
   if n4 < 0: o2.records = None
   else:
    end = pos + n4
    if end > size: raise beyond('PartitionProduceData.records')
    o2.records = view[pos:end]
    pos = end
   a1.append(o2)
  o1.partition_data = a1
  a0.append(o1)
 o0.topic_data = a0
 return o0, pos
def _decode_produce_request_9(view, size):
 pos = 0
 o0 = new(ProduceRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.transactional_id = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('ProduceRequest.transactional_id')
  o0.transactional_id = view[pos:end].tobytes().decode()
  pos = end
 o0.acks, o0.timeout_ms, n1 = U_hiB(view, pos)
 pos += 7
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('ProduceRequest.topic_data')
 n1 -= 1
 if n1 * 3 > size - pos: raise beyond('ProduceRequest.topic_data')
 a0 = []
 for _ in range(n1):
  o1 = new(TopicProduceData)
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('TopicProduceData.name')
  end = pos + n2 - 1
  if end > size: raise beyond('TopicProduceData.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('TopicProduceData.partition_data')
  n3 -= 1
  if n3 * 6 > size - pos: raise beyond('TopicProduceData.partition_data')
  a1 = []
  for _ in range(n3):
   o2 = new(PartitionProduceData)
   o2.index, n4 = U_iB(view, pos)
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
    if end > size: raise beyond('PartitionProduceData.records')
    o2.records = view[pos:end]
    pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.partition_data = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.topic_data = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
def _decode_produce_request_13(view, size):
 pos = 0
 o0 = new(ProduceRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.transactional_id = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('ProduceRequest.transactional_id')
  o0.transactional_id = view[pos:end].tobytes().decode()
  pos = end
 o0.acks, o0.timeout_ms, n1 = U_hiB(view, pos)
 pos += 7
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('ProduceRequest.topic_data')
 n1 -= 1
 if n1 * 18 > size - pos: raise beyond('ProduceRequest.topic_data')
 a0 = []
 for _ in range(n1):
  o1 = new(TopicProduceData)
  o1.name = ''
  o1.topic_id, n2 = U_16sB(view, pos)
  pos += 17
  o1.topic_id = UUIDS.get(o1.topic_id) or uuid_of(o1.topic_id)
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('TopicProduceData.partition_data')
  n2 -= 1
  if n2 * 6 > size - pos: raise beyond('TopicProduceData.partition_data')
  a1 = []
  for _ in range(n2):
   o2 = new(PartitionProduceData)
   o2.index, n3 = U_iB(view, pos)
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
    if end > size: raise beyond('PartitionProduceData.records')
    o2.records = view[pos:end]
    pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.partition_data = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.topic_data = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
ProduceRequest.decoders = {3: _decode_produce_request_3, 4: _decode_produce_request_3, 5: _decode_produce_request_3, 6: _decode_produce_request_3, 7: _decode_produce_request_3, 8: _decode_produce_request_3, 9: _decode_produce_request_9, 10: _decode_produce_request_9, 11: _decode_produce_request_9, 12: _decode_produce_request_9, 13: _decode_produce_request_13}

def _encode_produce_request_3(m):
 out = []
 chunks = []
 b0 = m.transactional_id
 if b0 is None:
  b0 = b''; n0 = -1
 else:
  b0 = b0.encode()
  n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 a0 = m.topic_data
 n1 = len(a0)
 out.append(P_hii(m.acks, m.timeout_ms, n1))
 for m0 in a0:
  b1 = m0.name.encode()
  n2 = len(b1)
  out.append(P_h(n2))
  out.append(b1)
  a1 = m0.partition_data
  n3 = len(a1)
  out.append(P_i(n3))
  for m1 in a1:
   b2 = m1.records
   n4 = -1 if b2 is None else (size_of(b2) if type(b2) is list else len(b2))
   out.append(P_ii(m1.index, n4))
   if b2:
    chunks.append(b''.join(out))
    out.clear()
    if type(b2) is list: chunks += b2
    else: chunks.append(b2)
 if out: chunks.append(b''.join(out))
 return chunks
def _encode_produce_request_9(m):
 out = []
 chunks = []
 b0 = m.transactional_id
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 a0 = m.topic_data
 n1 = len(a0) + 1
 out.append(P_hiB(m.acks, m.timeout_ms, n1) if n1 < 128 else P_hi(m.acks, m.timeout_ms) + varint(n1))
 for m0 in a0:
  b1 = m0.name.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  a1 = m0.partition_data
  n3 = len(a1) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  for m1 in a1:
   b2 = m1.records
   n4 = 0 if b2 is None else (size_of(b2) if type(b2) is list else len(b2)) + 1
   out.append(P_iB(m1.index, n4) if n4 < 128 else P_i(m1.index) + varint(n4))
   if b2:
    chunks.append(b''.join(out))
    out.clear()
    if type(b2) is list: chunks += b2
    else: chunks.append(b2)
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 if out: chunks.append(b''.join(out))
 return chunks
def _encode_produce_request_13(m):
 out = []
 chunks = []
 b0 = m.transactional_id
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 a0 = m.topic_data
 n1 = len(a0) + 1
 out.append(P_hiB(m.acks, m.timeout_ms, n1) if n1 < 128 else P_hi(m.acks, m.timeout_ms) + varint(n1))
 for m0 in a0:
  a1 = m0.partition_data
  n2 = len(a1) + 1
  out.append(P_16sB(m0.topic_id.bytes, n2) if n2 < 128 else P_16s(m0.topic_id.bytes) + varint(n2))
  for m1 in a1:
   b1 = m1.records
   n3 = 0 if b1 is None else (size_of(b1) if type(b1) is list else len(b1)) + 1
   out.append(P_iB(m1.index, n3) if n3 < 128 else P_i(m1.index) + varint(n3))
   if b1:
    chunks.append(b''.join(out))
    out.clear()
    if type(b1) is list: chunks += b1
    else: chunks.append(b1)
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 if out: chunks.append(b''.join(out))
 return chunks
ProduceRequest.encoders = {3: _encode_produce_request_3, 4: _encode_produce_request_3, 5: _encode_produce_request_3, 6: _encode_produce_request_3, 7: _encode_produce_request_3, 8: _encode_produce_request_3, 9: _encode_produce_request_9, 10: _encode_produce_request_9, 11: _encode_produce_request_9, 12: _encode_produce_request_9, 13: _encode_produce_request_13}


class BatchIndexAndErrorMessage(Struct):
 __slots__ = ('batch_index', 'batch_index_error_message', )
 batch_index: int
 batch_index_error_message: str | None
 def __init__(self, batch_index: int = 0, batch_index_error_message: str | None = None) -> None:
  self.batch_index = batch_index
  self.batch_index_error_message = batch_index_error_message


class LeaderIdAndEpoch(Struct):
 __slots__ = ('leader_id', 'leader_epoch', )
 leader_id: int
 leader_epoch: int
 def __init__(self, leader_id: int = -1, leader_epoch: int = -1) -> None:
  self.leader_id = leader_id
  self.leader_epoch = leader_epoch


class PartitionProduceResponse(Struct):
 __slots__ = ('index', 'error_code', 'base_offset', 'log_append_time_ms', 'log_start_offset', 'record_errors', 'error_message', 'current_leader', )
 index: int
 error_code: int
 base_offset: int
 log_append_time_ms: int
 log_start_offset: int
 record_errors: list[BatchIndexAndErrorMessage]
 error_message: str | None
 current_leader: LeaderIdAndEpoch | None
 def __init__(self, index: int = 0, error_code: int = 0, base_offset: int = 0, log_append_time_ms: int = -1, log_start_offset: int = -1, record_errors: list[BatchIndexAndErrorMessage] = FRESH, error_message: str | None = None, current_leader: LeaderIdAndEpoch | None = None) -> None:
  self.index = index
  self.error_code = error_code
  self.base_offset = base_offset
  self.log_append_time_ms = log_append_time_ms
  self.log_start_offset = log_start_offset
  self.record_errors = [] if record_errors is FRESH else record_errors
  self.error_message = error_message
  self.current_leader = current_leader


class TopicProduceResponse(Struct):
 __slots__ = ('name', 'topic_id', 'partition_responses', )
 name: str
 topic_id: UUID
 partition_responses: list[PartitionProduceResponse]
 def __init__(self, name: str = '', topic_id: UUID = NO_UUID, partition_responses: list[PartitionProduceResponse] = FRESH) -> None:
  self.name = name
  self.topic_id = topic_id
  self.partition_responses = [] if partition_responses is FRESH else partition_responses


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


class ProduceResponse(Message):
 __slots__ = ('responses', 'throttle_time_ms', 'node_endpoints', )
 api_key: ClassVar[int] = 0
 versions: ClassVar[range] = range(3, 14)
 first_flexible: ClassVar[int | None] = 9
 responses: list[TopicProduceResponse]
 throttle_time_ms: int
 node_endpoints: list[NodeEndpoint]
 def __init__(self, responses: list[TopicProduceResponse] = FRESH, throttle_time_ms: int = 0, node_endpoints: list[NodeEndpoint] = FRESH) -> None:
  self.responses = [] if responses is FRESH else responses
  self.throttle_time_ms = throttle_time_ms
  self.node_endpoints = [] if node_endpoints is FRESH else node_endpoints

def _decode_produce_response_3(view, size):
 pos = 0
 o0 = new(ProduceResponse)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('ProduceResponse.responses')
 if n0 * 6 > size - pos: raise beyond('ProduceResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(TopicProduceResponse)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('TopicProduceResponse.name')
  end = pos + n1
  if end > size: raise beyond('TopicProduceResponse.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('TopicProduceResponse.partition_responses')
  if n2 * 22 > size - pos: raise beyond('TopicProduceResponse.partition_responses')
  a1 = []
  for _ in range(n2):
   o2 = new(PartitionProduceResponse)
   o2.log_start_offset = -1
   o2.record_errors = []
   o2.error_message = None
   o2.current_leader = None
   o2.index, o2.error_code, o2.base_offset, o2.log_append_time_ms = U_ihqq(view, pos)
   pos += 22
   a1.append(o2)
  o1.partition_responses = a1
  a0.append(o1)
 o0.responses = a0
 o0.node_endpoints = []
 o0.throttle_time_ms, = U_i(view, pos)
 pos += 4
 return o0, pos
def _decode_produce_response_5(view, size):
 pos = 0
 o0 = new(ProduceResponse)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('ProduceResponse.responses')
 if n0 * 6 > size - pos: raise beyond('ProduceResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(TopicProduceResponse)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('TopicProduceResponse.name')
  end = pos + n1
  if end > size: raise beyond('TopicProduceResponse.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('TopicProduceResponse.partition_responses')
  if n2 * 30 > size - pos: raise beyond('TopicProduceResponse.partition_responses')
  a1 = []
  for _ in range(n2):
   o2 = new(PartitionProduceResponse)
   o2.record_errors = []
   o2.error_message = None
   o2.current_leader = None
   o2.index, o2.error_code, o2.base_offset, o2.log_append_time_ms, o2.log_start_offset = U_ihqqq(view, pos)
   pos += 30
   a1.append(o2)
  o1.partition_responses = a1
  a0.append(o1)
 o0.responses = a0
 o0.node_endpoints = []
 o0.throttle_time_ms, = U_i(view, pos)
 pos += 4
 return o0, pos
def _decode_produce_response_8(view, size):
 pos = 0
 o0 = new(ProduceResponse)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('ProduceResponse.responses')
 if n0 * 6 > size - pos: raise beyond('ProduceResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(TopicProduceResponse)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('TopicProduceResponse.name')
  end = pos + n1
  if end > size: raise beyond('TopicProduceResponse.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('TopicProduceResponse.partition_responses')
  if n2 * 36 > size - pos: raise beyond('TopicProduceResponse.partition_responses')
  a1 = []
  for _ in range(n2):
   o2 = new(PartitionProduceResponse)
   o2.index, o2.error_code, o2.base_offset, o2.log_append_time_ms, o2.log_start_offset, n3 = U_ihqqqi(view, pos)
   pos += 34
   if n3 < 0: raise null('PartitionProduceResponse.record_errors')
   if n3 * 6 > size - pos: raise beyond('PartitionProduceResponse.record_errors')
   a2 = []
   for _ in range(n3):
    o3 = new(BatchIndexAndErrorMessage)
    o3.batch_index, n4 = U_ih(view, pos)
    pos += 6
    if n4 < 0: o3.batch_index_error_message = None
    else:
     end = pos + n4
     if end > size: raise beyond('BatchIndexAndErrorMessage.batch_index_error_message')
     o3.batch_index_error_message = view[pos:end].tobytes().decode()
     pos = end
    a2.append(o3)
   o2.record_errors = a2
   n5, = U_h(view, pos)
   pos += 2
   if n5 < 0: o2.error_message = None
   else:
    end = pos + n5
    if end > size: raise beyond('PartitionProduceResponse.error_message')
    o2.error_message = view[pos:end].tobytes().decode()
    pos = end
   o2.current_leader = None
   a1.append(o2)
  o1.partition_responses = a1
  a0.append(o1)
 o0.responses = a0
 o0.node_endpoints = []
 o0.throttle_time_ms, = U_i(view, pos)
 pos += 4
 return o0, pos
def _decode_produce_response_9(view, size):
 pos = 0
 o0 = new(ProduceResponse)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ProduceResponse.responses')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('ProduceResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(TopicProduceResponse)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('TopicProduceResponse.name')
  end = pos + n1 - 1
  if end > size: raise beyond('TopicProduceResponse.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('TopicProduceResponse.partition_responses')
  n2 -= 1
  if n2 * 33 > size - pos: raise beyond('TopicProduceResponse.partition_responses')
  a1 = []
  for _ in range(n2):
   o2 = new(PartitionProduceResponse)
   o2.index, o2.error_code, o2.base_offset, o2.log_append_time_ms, o2.log_start_offset, n3 = U_ihqqqB(view, pos)
   pos += 31
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: raise null('PartitionProduceResponse.record_errors')
   n3 -= 1
   if n3 * 6 > size - pos: raise beyond('PartitionProduceResponse.record_errors')
   a2 = []
   for _ in range(n3):
    o3 = new(BatchIndexAndErrorMessage)
    o3.batch_index, n4 = U_iB(view, pos)
    pos += 5
    if n4 > 127:
     n4, pos = varint_rest(view, pos, n4)
    if not n4: o3.batch_index_error_message = None
    else:
     end = pos + n4 - 1
     if end > size: raise beyond('BatchIndexAndErrorMessage.batch_index_error_message')
     o3.batch_index_error_message = view[pos:end].tobytes().decode()
     pos = end
    t0 = view[pos]
    pos += 1
    if t0:
     pos = skip_tags(view, pos, t0, size)
    a2.append(o3)
   o2.record_errors = a2
   n5 = view[pos]
   pos += 1
   if n5 > 127:
    n5, pos = varint_rest(view, pos, n5)
   if not n5: o2.error_message = None
   else:
    end = pos + n5 - 1
    if end > size: raise beyond('PartitionProduceResponse.error_message')
    o2.error_message = view[pos:end].tobytes().decode()
    pos = end
   o2.current_leader = None
   t1 = view[pos]
   pos += 1
   if t1:
    pos = skip_tags(view, pos, t1, size)
   a1.append(o2)
  o1.partition_responses = a1
  t2 = view[pos]
  pos += 1
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a0.append(o1)
 o0.responses = a0
 o0.node_endpoints = []
 o0.throttle_time_ms, t3 = U_iB(view, pos)
 pos += 5
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
def _decode_produce_response_10(view, size):
 pos = 0
 o0 = new(ProduceResponse)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ProduceResponse.responses')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('ProduceResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(TopicProduceResponse)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('TopicProduceResponse.name')
  end = pos + n1 - 1
  if end > size: raise beyond('TopicProduceResponse.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.topic_id = NO_UUID
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('TopicProduceResponse.partition_responses')
  n2 -= 1
  if n2 * 33 > size - pos: raise beyond('TopicProduceResponse.partition_responses')
  a1 = []
  for _ in range(n2):
   o2 = new(PartitionProduceResponse)
   o2.index, o2.error_code, o2.base_offset, o2.log_append_time_ms, o2.log_start_offset, n3 = U_ihqqqB(view, pos)
   pos += 31
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: raise null('PartitionProduceResponse.record_errors')
   n3 -= 1
   if n3 * 6 > size - pos: raise beyond('PartitionProduceResponse.record_errors')
   a2 = []
   for _ in range(n3):
    o3 = new(BatchIndexAndErrorMessage)
    o3.batch_index, n4 = U_iB(view, pos)
    pos += 5
    if n4 > 127:
     n4, pos = varint_rest(view, pos, n4)
    if not n4: o3.batch_index_error_message = None
    else:
     end = pos + n4 - 1
     if end > size: raise beyond('BatchIndexAndErrorMessage.batch_index_error_message')
     o3.batch_index_error_message = view[pos:end].tobytes().decode()
     pos = end
    t0 = view[pos]
    pos += 1
    if t0:
     pos = skip_tags(view, pos, t0, size)
    a2.append(o3)
   o2.record_errors = a2
   n5 = view[pos]
   pos += 1
   if n5 > 127:
    n5, pos = varint_rest(view, pos, n5)
   if not n5: o2.error_message = None
   else:
    end = pos + n5 - 1
    if end > size: raise beyond('PartitionProduceResponse.error_message')
    o2.error_message = view[pos:end].tobytes().decode()
    pos = end
   o2.current_leader = None
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
     if stop0 > size: raise beyond('PartitionProduceResponse')
     if tag0 == 0:
      o4 = new(LeaderIdAndEpoch)
      o4.leader_id, o4.leader_epoch, t2 = U_iiB(view, pos)
      pos += 9
      if t2:
       pos = skip_tags(view, pos, t2, size)
      o2.current_leader = o4
      if pos != stop0: raise unused('PartitionProduceResponse.current_leader')
     else:
      pos = stop0
   a1.append(o2)
  o1.partition_responses = a1
  t3 = view[pos]
  pos += 1
  if t3:
   pos = skip_tags(view, pos, t3, size)
  a0.append(o1)
 o0.responses = a0
 o0.node_endpoints = []
 o0.throttle_time_ms, t4 = U_iB(view, pos)
 pos += 5
 if t4:
  if t4 > 127:
   t4, pos = varint_rest(view, pos, t4)
  for _ in range(t4):
   tag1 = view[pos]
   pos += 1
   if tag1 > 127:
    tag1, pos = varint_rest(view, pos, tag1)
   stop1 = view[pos]
   pos += 1
   if stop1 > 127:
    stop1, pos = varint_rest(view, pos, stop1)
   stop1 += pos
   if stop1 > size: raise beyond('ProduceResponse')
   if tag1 == 0:
    n6 = view[pos]
    pos += 1
    if n6 > 127:
     n6, pos = varint_rest(view, pos, n6)
    if not n6: raise null('ProduceResponse.node_endpoints')
    n6 -= 1
    if n6 * 11 > size - pos: raise beyond('ProduceResponse.node_endpoints')
    a3 = []
    for _ in range(n6):
     o5 = new(NodeEndpoint)
     o5.node_id, n7 = U_iB(view, pos)
     pos += 5
     if n7 > 127:
      n7, pos = varint_rest(view, pos, n7)
     if not n7: raise null('NodeEndpoint.host')
     end = pos + n7 - 1
     if end > size: raise beyond('NodeEndpoint.host')
     o5.host = view[pos:end].tobytes().decode()
     pos = end
     o5.port, n8 = U_iB(view, pos)
     pos += 5
     if n8 > 127:
      n8, pos = varint_rest(view, pos, n8)
     if not n8: o5.rack = None
     else:
      end = pos + n8 - 1
      if end > size: raise beyond('NodeEndpoint.rack')
      o5.rack = view[pos:end].tobytes().decode()
      pos = end
     t5 = view[pos]
     pos += 1
     if t5:
      pos = skip_tags(view, pos, t5, size)
     a3.append(o5)
    o0.node_endpoints = a3
    if pos != stop1: raise unused('ProduceResponse.node_endpoints')
   else:
    pos = stop1
 return o0, pos
def _decode_produce_response_13(view, size):
 pos = 0
 o0 = new(ProduceResponse)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ProduceResponse.responses')
 n0 -= 1
 if n0 * 18 > size - pos: raise beyond('ProduceResponse.responses')
 a0 = []
 for _ in range(n0):
  o1 = new(TopicProduceResponse)
  o1.name = ''
  o1.topic_id, n1 = U_16sB(view, pos)
  pos += 17
  o1.topic_id = UUIDS.get(o1.topic_id) or uuid_of(o1.topic_id)
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('TopicProduceResponse.partition_responses')
  n1 -= 1
  if n1 * 33 > size - pos: raise beyond('TopicProduceResponse.partition_responses')
  a1 = []
  for _ in range(n1):
   o2 = new(PartitionProduceResponse)
   o2.index, o2.error_code, o2.base_offset, o2.log_append_time_ms, o2.log_start_offset, n2 = U_ihqqqB(view, pos)
   pos += 31
   if n2 > 127:
    n2, pos = varint_rest(view, pos, n2)
   if not n2: raise null('PartitionProduceResponse.record_errors')
   n2 -= 1
   if n2 * 6 > size - pos: raise beyond('PartitionProduceResponse.record_errors')
   a2 = []
   for _ in range(n2):
    o3 = new(BatchIndexAndErrorMessage)
    o3.batch_index, n3 = U_iB(view, pos)
    pos += 5
    if n3 > 127:
     n3, pos = varint_rest(view, pos, n3)
    if not n3: o3.batch_index_error_message = None
    else:
     end = pos + n3 - 1
     if end > size: raise beyond('BatchIndexAndErrorMessage.batch_index_error_message')
     o3.batch_index_error_message = view[pos:end].tobytes().decode()
     pos = end
    t0 = view[pos]
    pos += 1
    if t0:
     pos = skip_tags(view, pos, t0, size)
    a2.append(o3)
   o2.record_errors = a2
   n4 = view[pos]
   pos += 1
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: o2.error_message = None
   else:
    end = pos + n4 - 1
    if end > size: raise beyond('PartitionProduceResponse.error_message')
    o2.error_message = view[pos:end].tobytes().decode()
    pos = end
   o2.current_leader = None
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
     if stop0 > size: raise beyond('PartitionProduceResponse')
     if tag0 == 0:
      o4 = new(LeaderIdAndEpoch)
      o4.leader_id, o4.leader_epoch, t2 = U_iiB(view, pos)
      pos += 9
      if t2:
       pos = skip_tags(view, pos, t2, size)
      o2.current_leader = o4
      if pos != stop0: raise unused('PartitionProduceResponse.current_leader')
     else:
      pos = stop0
   a1.append(o2)
  o1.partition_responses = a1
  t3 = view[pos]
  pos += 1
  if t3:
   pos = skip_tags(view, pos, t3, size)
  a0.append(o1)
 o0.responses = a0
 o0.node_endpoints = []
 o0.throttle_time_ms, t4 = U_iB(view, pos)
 pos += 5
 if t4:
  if t4 > 127:
   t4, pos = varint_rest(view, pos, t4)
  for _ in range(t4):
   tag1 = view[pos]
   pos += 1
   if tag1 > 127:
    tag1, pos = varint_rest(view, pos, tag1)
   stop1 = view[pos]
   pos += 1
   if stop1 > 127:
    stop1, pos = varint_rest(view, pos, stop1)
   stop1 += pos
   if stop1 > size: raise beyond('ProduceResponse')
   if tag1 == 0:
    n5 = view[pos]
    pos += 1
    if n5 > 127:
     n5, pos = varint_rest(view, pos, n5)
    if not n5: raise null('ProduceResponse.node_endpoints')
    n5 -= 1
    if n5 * 11 > size - pos: raise beyond('ProduceResponse.node_endpoints')
    a3 = []
    for _ in range(n5):
     o5 = new(NodeEndpoint)
     o5.node_id, n6 = U_iB(view, pos)
     pos += 5
     if n6 > 127:
      n6, pos = varint_rest(view, pos, n6)
     if not n6: raise null('NodeEndpoint.host')
     end = pos + n6 - 1
     if end > size: raise beyond('NodeEndpoint.host')
     o5.host = view[pos:end].tobytes().decode()
     pos = end
     o5.port, n7 = U_iB(view, pos)
     pos += 5
     if n7 > 127:
      n7, pos = varint_rest(view, pos, n7)
     if not n7: o5.rack = None
     else:
      end = pos + n7 - 1
      if end > size: raise beyond('NodeEndpoint.rack')
      o5.rack = view[pos:end].tobytes().decode()
      pos = end
     t5 = view[pos]
     pos += 1
     if t5:
      pos = skip_tags(view, pos, t5, size)
     a3.append(o5)
    o0.node_endpoints = a3
    if pos != stop1: raise unused('ProduceResponse.node_endpoints')
   else:
    pos = stop1
 return o0, pos
ProduceResponse.decoders = {3: _decode_produce_response_3, 4: _decode_produce_response_3, 5: _decode_produce_response_5, 6: _decode_produce_response_5, 7: _decode_produce_response_5, 8: _decode_produce_response_8, 9: _decode_produce_response_9, 10: _decode_produce_response_10, 11: _decode_produce_response_10, 12: _decode_produce_response_10, 13: _decode_produce_response_13}

def _encode_produce_response_3(m):
 out = []
 a0 = m.responses
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partition_responses
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   if m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch(): raise unsupported('PartitionProduceResponse.current_leader')
   out.append(P_ihqq(m1.index, m1.error_code, m1.base_offset, m1.log_append_time_ms))
 if m.node_endpoints: raise unsupported('ProduceResponse.node_endpoints')
 out.append(P_i(m.throttle_time_ms))
 return [b''.join(out)]
def _encode_produce_response_5(m):
 out = []
 a0 = m.responses
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partition_responses
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   if m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch(): raise unsupported('PartitionProduceResponse.current_leader')
   out.append(P_ihqqq(m1.index, m1.error_code, m1.base_offset, m1.log_append_time_ms, m1.log_start_offset))
 if m.node_endpoints: raise unsupported('ProduceResponse.node_endpoints')
 out.append(P_i(m.throttle_time_ms))
 return [b''.join(out)]
def _encode_produce_response_8(m):
 out = []
 a0 = m.responses
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partition_responses
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   a2 = m1.record_errors
   n3 = len(a2)
   out.append(P_ihqqqi(m1.index, m1.error_code, m1.base_offset, m1.log_append_time_ms, m1.log_start_offset, n3))
   for m2 in a2:
    b1 = m2.batch_index_error_message
    if b1 is None:
     b1 = b''; n4 = -1
    else:
     b1 = b1.encode()
     n4 = len(b1)
    out.append(P_ih(m2.batch_index, n4))
    out.append(b1)
   b2 = m1.error_message
   if b2 is None:
    b2 = b''; n5 = -1
   else:
    b2 = b2.encode()
    n5 = len(b2)
   out.append(P_h(n5))
   out.append(b2)
   if m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch(): raise unsupported('PartitionProduceResponse.current_leader')
 if m.node_endpoints: raise unsupported('ProduceResponse.node_endpoints')
 out.append(P_i(m.throttle_time_ms))
 return [b''.join(out)]
def _encode_produce_response_9(m):
 out = []
 a0 = m.responses
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.partition_responses
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   a2 = m1.record_errors
   n3 = len(a2) + 1
   out.append(P_ihqqqB(m1.index, m1.error_code, m1.base_offset, m1.log_append_time_ms, m1.log_start_offset, n3) if n3 < 128 else P_ihqqq(m1.index, m1.error_code, m1.base_offset, m1.log_append_time_ms, m1.log_start_offset) + varint(n3))
   for m2 in a2:
    b1 = m2.batch_index_error_message
    if b1 is None:
     b1 = b''; n4 = 0
    else:
     b1 = b1.encode()
     n4 = len(b1) + 1
    out.append(P_iB(m2.batch_index, n4) if n4 < 128 else P_i(m2.batch_index) + varint(n4))
    out.append(b1)
    out.append(b'\x00')
   b2 = m1.error_message
   if b2 is None:
    b2 = b''; n5 = 0
   else:
    b2 = b2.encode()
    n5 = len(b2) + 1
   out.append(U8[n5] if n5 < 128 else varint(n5))
   out.append(b2)
   if m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch(): raise unsupported('PartitionProduceResponse.current_leader')
   out.append(b'\x00')
  out.append(b'\x00')
 if m.node_endpoints: raise unsupported('ProduceResponse.node_endpoints')
 out.append(P_ix(m.throttle_time_ms))
 return [b''.join(out)]
def _encode_produce_response_10(m):
 out = []
 a0 = m.responses
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.partition_responses
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   a2 = m1.record_errors
   n3 = len(a2) + 1
   out.append(P_ihqqqB(m1.index, m1.error_code, m1.base_offset, m1.log_append_time_ms, m1.log_start_offset, n3) if n3 < 128 else P_ihqqq(m1.index, m1.error_code, m1.base_offset, m1.log_append_time_ms, m1.log_start_offset) + varint(n3))
   for m2 in a2:
    b1 = m2.batch_index_error_message
    if b1 is None:
     b1 = b''; n4 = 0
    else:
     b1 = b1.encode()
     n4 = len(b1) + 1
    out.append(P_iB(m2.batch_index, n4) if n4 < 128 else P_i(m2.batch_index) + varint(n4))
    out.append(b1)
    out.append(b'\x00')
   b2 = m1.error_message
   if b2 is None:
    b2 = b''; n5 = 0
   else:
    b2 = b2.encode()
    n5 = len(b2) + 1
   out.append(U8[n5] if n5 < 128 else varint(n5))
   out.append(b2)
   if (m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch()):
    t0 = []
    if m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch():
     part0 = []
     m3 = m1.current_leader
     part0.append(P_iix(m3.leader_id, m3.leader_epoch))
     t0.append(tagged(0, part0))
    out.append(varint(len(t0)))
    out += t0
   else:
    out.append(b'\x00')
  out.append(b'\x00')
 out.append(P_i(m.throttle_time_ms))
 if (m.node_endpoints):
  t1 = []
  if m.node_endpoints:
   part1 = []
   a3 = m.node_endpoints
   n6 = len(a3) + 1
   part1.append(U8[n6] if n6 < 128 else varint(n6))
   for m4 in a3:
    b3 = m4.host.encode()
    n7 = len(b3) + 1
    part1.append(P_iB(m4.node_id, n7) if n7 < 128 else P_i(m4.node_id) + varint(n7))
    part1.append(b3)
    b4 = m4.rack
    if b4 is None:
     b4 = b''; n8 = 0
    else:
     b4 = b4.encode()
     n8 = len(b4) + 1
    part1.append(P_iB(m4.port, n8) if n8 < 128 else P_i(m4.port) + varint(n8))
    part1.append(b4)
    part1.append(b'\x00')
   t1.append(tagged(0, part1))
  out.append(varint(len(t1)))
  out += t1
 else:
  out.append(b'\x00')
 return [b''.join(out)]
def _encode_produce_response_13(m):
 out = []
 a0 = m.responses
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  a1 = m0.partition_responses
  n1 = len(a1) + 1
  out.append(P_16sB(m0.topic_id.bytes, n1) if n1 < 128 else P_16s(m0.topic_id.bytes) + varint(n1))
  for m1 in a1:
   a2 = m1.record_errors
   n2 = len(a2) + 1
   out.append(P_ihqqqB(m1.index, m1.error_code, m1.base_offset, m1.log_append_time_ms, m1.log_start_offset, n2) if n2 < 128 else P_ihqqq(m1.index, m1.error_code, m1.base_offset, m1.log_append_time_ms, m1.log_start_offset) + varint(n2))
   for m2 in a2:
    b0 = m2.batch_index_error_message
    if b0 is None:
     b0 = b''; n3 = 0
    else:
     b0 = b0.encode()
     n3 = len(b0) + 1
    out.append(P_iB(m2.batch_index, n3) if n3 < 128 else P_i(m2.batch_index) + varint(n3))
    out.append(b0)
    out.append(b'\x00')
   b1 = m1.error_message
   if b1 is None:
    b1 = b''; n4 = 0
   else:
    b1 = b1.encode()
    n4 = len(b1) + 1
   out.append(U8[n4] if n4 < 128 else varint(n4))
   out.append(b1)
   if (m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch()):
    t0 = []
    if m1.current_leader is not None and m1.current_leader != LeaderIdAndEpoch():
     part0 = []
     m3 = m1.current_leader
     part0.append(P_iix(m3.leader_id, m3.leader_epoch))
     t0.append(tagged(0, part0))
    out.append(varint(len(t0)))
    out += t0
   else:
    out.append(b'\x00')
  out.append(b'\x00')
 out.append(P_i(m.throttle_time_ms))
 if (m.node_endpoints):
  t1 = []
  if m.node_endpoints:
   part1 = []
   a3 = m.node_endpoints
   n5 = len(a3) + 1
   part1.append(U8[n5] if n5 < 128 else varint(n5))
   for m4 in a3:
    b2 = m4.host.encode()
    n6 = len(b2) + 1
    part1.append(P_iB(m4.node_id, n6) if n6 < 128 else P_i(m4.node_id) + varint(n6))
    part1.append(b2)
    b3 = m4.rack
    if b3 is None:
     b3 = b''; n7 = 0
    else:
     b3 = b3.encode()
     n7 = len(b3) + 1
    part1.append(P_iB(m4.port, n7) if n7 < 128 else P_i(m4.port) + varint(n7))
    part1.append(b3)
    part1.append(b'\x00')
   t1.append(tagged(0, part1))
  out.append(varint(len(t1)))
  out += t1
 else:
  out.append(b'\x00')
 return [b''.join(out)]
ProduceResponse.encoders = {3: _encode_produce_response_3, 4: _encode_produce_response_3, 5: _encode_produce_response_5, 6: _encode_produce_response_5, 7: _encode_produce_response_5, 8: _encode_produce_response_8, 9: _encode_produce_response_9, 10: _encode_produce_response_10, 11: _encode_produce_response_10, 12: _encode_produce_response_10, 13: _encode_produce_response_13}
