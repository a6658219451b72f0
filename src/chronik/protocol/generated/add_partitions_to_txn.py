"""AddPartitionsToTxn: request in versions 0 to 5 and response in versions 0 to 5.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, pack, skip_tags, unpack_from, unsupported, varint, varint_rest

P_h = Packing('>h').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
P_ihx = Packing('>ihx').pack
P_ii = Packing('>ii').pack
P_qh = Packing('>qh').pack
P_qht = Packing('>qh?').pack
P_qhtB = Packing('>qh?B').pack
P_qhB = Packing('>qhB').pack
P_qhi = Packing('>qhi').pack
U_h = Packing('>h').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ih = Packing('>ih').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_ii = Packing('>ii').unpack_from
U_qhtB = Packing('>qh?B').unpack_from
U_qhB = Packing('>qhB').unpack_from
U_qhi = Packing('>qhi').unpack_from


class AddPartitionsToTxnTopic(Struct):
 __slots__ = ('name', 'partitions', )
 name: str
 partitions: list[int]
 def __init__(self, name: str = '', partitions: list[int] = FRESH) -> None:
  self.name = name
  self.partitions = [] if partitions is FRESH else partitions


class AddPartitionsToTxnTransaction(Struct):
 __slots__ = ('transactional_id', 'producer_id', 'producer_epoch', 'verify_only', 'topics', )
 transactional_id: str
 producer_id: int
 producer_epoch: int
 verify_only: bool
 topics: list[AddPartitionsToTxnTopic]
 def __init__(self, transactional_id: str = '', producer_id: int = 0, producer_epoch: int = 0, verify_only: bool = False, topics: list[AddPartitionsToTxnTopic] = FRESH) -> None:
  self.transactional_id = transactional_id
  self.producer_id = producer_id
  self.producer_epoch = producer_epoch
  self.verify_only = verify_only
  self.topics = [] if topics is FRESH else topics


class AddPartitionsToTxnRequest(Message):
 __slots__ = ('transactions', 'v3_and_below_transactional_id', 'v3_and_below_producer_id', 'v3_and_below_producer_epoch', 'v3_and_below_topics', )
 api_key: ClassVar[int] = 24
 versions: ClassVar[range] = range(0, 6)
 first_flexible: ClassVar[int | None] = 3
 transactions: list[AddPartitionsToTxnTransaction]
 v3_and_below_transactional_id: str
 v3_and_below_producer_id: int
 v3_and_below_producer_epoch: int
 v3_and_below_topics: list[AddPartitionsToTxnTopic]
 def __init__(self, transactions: list[AddPartitionsToTxnTransaction] = FRESH, v3_and_below_transactional_id: str = '', v3_and_below_producer_id: int = 0, v3_and_below_producer_epoch: int = 0, v3_and_below_topics: list[AddPartitionsToTxnTopic] = FRESH) -> None:
  self.transactions = [] if transactions is FRESH else transactions
  self.v3_and_below_transactional_id = v3_and_below_transactional_id
  self.v3_and_below_producer_id = v3_and_below_producer_id
  self.v3_and_below_producer_epoch = v3_and_below_producer_epoch
  self.v3_and_below_topics = [] if v3_and_below_topics is FRESH else v3_and_below_topics

def _decode_add_partitions_to_txn_request_0(view, size):
 pos = 0
 o0 = new(AddPartitionsToTxnRequest)
 o0.transactions = []
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('AddPartitionsToTxnRequest.v3_and_below_transactional_id')
 end = pos + n0
 if end > size: raise beyond('AddPartitionsToTxnRequest.v3_and_below_transactional_id')
 o0.v3_and_below_transactional_id = view[pos:end].tobytes().decode()
 pos = end
 o0.v3_and_below_producer_id, o0.v3_and_below_producer_epoch, n1 = U_qhi(view, pos)
 pos += 14
 if n1 < 0: raise null('AddPartitionsToTxnRequest.v3_and_below_topics')
 if n1 * 6 > size - pos: raise beyond('AddPartitionsToTxnRequest.v3_and_below_topics')
 a0 = []
 for _ in range(n1):
  o1 = new(AddPartitionsToTxnTopic)
  n2, = U_h(view, pos)
  pos += 2
  if n2 < 0: raise null('AddPartitionsToTxnTopic.name')
  end = pos + n2
  if end > size: raise beyond('AddPartitionsToTxnTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n3, = U_i(view, pos)
  pos += 4
  if n3 < 0: raise null('AddPartitionsToTxnTopic.partitions')
  if n3 * 4 > size - pos: raise beyond('AddPartitionsToTxnTopic.partitions')
  o1.partitions = list(unpack_from(f'>{n3}i', view, pos))
  pos += n3 * 4
  a0.append(o1)
 o0.v3_and_below_topics = a0
 return o0, pos
def _decode_add_partitions_to_txn_request_3(view, size):
 pos = 0
 o0 = new(AddPartitionsToTxnRequest)
 o0.transactions = []
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('AddPartitionsToTxnRequest.v3_and_below_transactional_id')
 end = pos + n0 - 1
 if end > size: raise beyond('AddPartitionsToTxnRequest.v3_and_below_transactional_id')
 o0.v3_and_below_transactional_id = view[pos:end].tobytes().decode()
 pos = end
 o0.v3_and_below_producer_id, o0.v3_and_below_producer_epoch, n1 = U_qhB(view, pos)
 pos += 11
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('AddPartitionsToTxnRequest.v3_and_below_topics')
 n1 -= 1
 if n1 * 3 > size - pos: raise beyond('AddPartitionsToTxnRequest.v3_and_below_topics')
 a0 = []
 for _ in range(n1):
  o1 = new(AddPartitionsToTxnTopic)
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('AddPartitionsToTxnTopic.name')
  end = pos + n2 - 1
  if end > size: raise beyond('AddPartitionsToTxnTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('AddPartitionsToTxnTopic.partitions')
  n3 -= 1
  if n3 * 4 > size - pos: raise beyond('AddPartitionsToTxnTopic.partitions')
  o1.partitions = list(unpack_from(f'>{n3}i', view, pos))
  pos += n3 * 4
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.v3_and_below_topics = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
def _decode_add_partitions_to_txn_request_4(view, size):
 pos = 0
 o0 = new(AddPartitionsToTxnRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('AddPartitionsToTxnRequest.transactions')
 n0 -= 1
 if n0 * 14 > size - pos: raise beyond('AddPartitionsToTxnRequest.transactions')
 a0 = []
 for _ in range(n0):
  o1 = new(AddPartitionsToTxnTransaction)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('AddPartitionsToTxnTransaction.transactional_id')
  end = pos + n1 - 1
  if end > size: raise beyond('AddPartitionsToTxnTransaction.transactional_id')
  o1.transactional_id = view[pos:end].tobytes().decode()
  pos = end
  o1.producer_id, o1.producer_epoch, o1.verify_only, n2 = U_qhtB(view, pos)
  pos += 12
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('AddPartitionsToTxnTransaction.topics')
  n2 -= 1
  if n2 * 3 > size - pos: raise beyond('AddPartitionsToTxnTransaction.topics')
  a1 = []
  for _ in range(n2):
   o2 = new(AddPartitionsToTxnTopic)
   n3 = view[pos]
   pos += 1
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: raise null('AddPartitionsToTxnTopic.name')
   end = pos + n3 - 1
   if end > size: raise beyond('AddPartitionsToTxnTopic.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
   n4 = view[pos]
   pos += 1
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: raise null('AddPartitionsToTxnTopic.partitions')
   n4 -= 1
   if n4 * 4 > size - pos: raise beyond('AddPartitionsToTxnTopic.partitions')
   o2.partitions = list(unpack_from(f'>{n4}i', view, pos))
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
 o0.transactions = a0
 o0.v3_and_below_transactional_id = ''
 o0.v3_and_below_producer_id = 0
 o0.v3_and_below_producer_epoch = 0
 o0.v3_and_below_topics = []
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
AddPartitionsToTxnRequest.decoders = {0: _decode_add_partitions_to_txn_request_0, 1: _decode_add_partitions_to_txn_request_0, 2: _decode_add_partitions_to_txn_request_0, 3: _decode_add_partitions_to_txn_request_3, 4: _decode_add_partitions_to_txn_request_4, 5: _decode_add_partitions_to_txn_request_4}

def _encode_add_partitions_to_txn_request_0(m):
 out = []
 if m.transactions: raise unsupported('AddPartitionsToTxnRequest.transactions')
 b0 = m.v3_and_below_transactional_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 a0 = m.v3_and_below_topics
 n1 = len(a0)
 out.append(P_qhi(m.v3_and_below_producer_id, m.v3_and_below_producer_epoch, n1))
 for m0 in a0:
  b1 = m0.name.encode()
  n2 = len(b1)
  out.append(P_h(n2))
  out.append(b1)
  a1 = m0.partitions
  n3 = len(a1)
  out.append(P_i(n3))
  if a1: out.append(pack(f'>{len(a1)}i', *a1))
 return [b''.join(out)]
def _encode_add_partitions_to_txn_request_3(m):
 out = []
 if m.transactions: raise unsupported('AddPartitionsToTxnRequest.transactions')
 b0 = m.v3_and_below_transactional_id.encode()
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 a0 = m.v3_and_below_topics
 n1 = len(a0) + 1
 out.append(P_qhB(m.v3_and_below_producer_id, m.v3_and_below_producer_epoch, n1) if n1 < 128 else P_qh(m.v3_and_below_producer_id, m.v3_and_below_producer_epoch) + varint(n1))
 for m0 in a0:
  b1 = m0.name.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  a1 = m0.partitions
  n3 = len(a1) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  if a1: out.append(pack(f'>{len(a1)}i', *a1))
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_add_partitions_to_txn_request_4(m):
 out = []
 a0 = m.transactions
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.transactional_id.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.topics
  n2 = len(a1) + 1
  out.append(P_qhtB(m0.producer_id, m0.producer_epoch, m0.verify_only, n2) if n2 < 128 else P_qht(m0.producer_id, m0.producer_epoch, m0.verify_only) + varint(n2))
  for m1 in a1:
   b1 = m1.name.encode()
   n3 = len(b1) + 1
   out.append(U8[n3] if n3 < 128 else varint(n3))
   out.append(b1)
   a2 = m1.partitions
   n4 = len(a2) + 1
   out.append(U8[n4] if n4 < 128 else varint(n4))
   if a2: out.append(pack(f'>{len(a2)}i', *a2))
   out.append(b'\x00')
  out.append(b'\x00')
 if m.v3_and_below_transactional_id != '': raise unsupported('AddPartitionsToTxnRequest.v3_and_below_transactional_id')
 if m.v3_and_below_producer_id != 0: raise unsupported('AddPartitionsToTxnRequest.v3_and_below_producer_id')
 if m.v3_and_below_producer_epoch != 0: raise unsupported('AddPartitionsToTxnRequest.v3_and_below_producer_epoch')
 if m.v3_and_below_topics: raise unsupported('AddPartitionsToTxnRequest.v3_and_below_topics')
 out.append(b'\x00')
 return [b''.join(out)]
AddPartitionsToTxnRequest.encoders = {0: _encode_add_partitions_to_txn_request_0, 1: _encode_add_partitions_to_txn_request_0, 2: _encode_add_partitions_to_txn_request_0, 3: _encode_add_partitions_to_txn_request_3, 4: _encode_add_partitions_to_txn_request_4, 5: _encode_add_partitions_to_txn_request_4}


class AddPartitionsToTxnPartitionResult(Struct):
 __slots__ = ('partition_index', 'partition_error_code', )
 partition_index: int
 partition_error_code: int
 def __init__(self, partition_index: int = 0, partition_error_code: int = 0) -> None:
  self.partition_index = partition_index
  self.partition_error_code = partition_error_code


class AddPartitionsToTxnTopicResult(Struct):
 __slots__ = ('name', 'results_by_partition', )
 name: str
 results_by_partition: list[AddPartitionsToTxnPartitionResult]
 def __init__(self, name: str = '', results_by_partition: list[AddPartitionsToTxnPartitionResult] = FRESH) -> None:
  self.name = name
  self.results_by_partition = [] if results_by_partition is FRESH else results_by_partition


class AddPartitionsToTxnResult(Struct):
 __slots__ = ('transactional_id', 'topic_results', )
 transactional_id: str
 topic_results: list[AddPartitionsToTxnTopicResult]
 def __init__(self, transactional_id: str = '', topic_results: list[AddPartitionsToTxnTopicResult] = FRESH) -> None:
  self.transactional_id = transactional_id
  self.topic_results = [] if topic_results is FRESH else topic_results


class AddPartitionsToTxnResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'results_by_transaction', 'results_by_topic_v3_and_below', )
 api_key: ClassVar[int] = 24
 versions: ClassVar[range] = range(0, 6)
 first_flexible: ClassVar[int | None] = 3
 throttle_time_ms: int
 error_code: int
 results_by_transaction: list[AddPartitionsToTxnResult]
 results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult]
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, results_by_transaction: list[AddPartitionsToTxnResult] = FRESH, results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.results_by_transaction = [] if results_by_transaction is FRESH else results_by_transaction
  self.results_by_topic_v3_and_below = [] if results_by_topic_v3_and_below is FRESH else results_by_topic_v3_and_below

def _decode_add_partitions_to_txn_response_0(view, size):
 pos = 0
 o0 = new(AddPartitionsToTxnResponse)
 o0.error_code = 0
 o0.results_by_transaction = []
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('AddPartitionsToTxnResponse.results_by_topic_v3_and_below')
 if n0 * 6 > size - pos: raise beyond('AddPartitionsToTxnResponse.results_by_topic_v3_and_below')
 a0 = []
 for _ in range(n0):
  o1 = new(AddPartitionsToTxnTopicResult)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('AddPartitionsToTxnTopicResult.name')
  end = pos + n1
  if end > size: raise beyond('AddPartitionsToTxnTopicResult.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('AddPartitionsToTxnTopicResult.results_by_partition')
  if n2 * 6 > size - pos: raise beyond('AddPartitionsToTxnTopicResult.results_by_partition')
  a1 = []
  for _ in range(n2):
   o2 = new(AddPartitionsToTxnPartitionResult)
   o2.partition_index, o2.partition_error_code = U_ih(view, pos)
   pos += 6
   a1.append(o2)
  o1.results_by_partition = a1
  a0.append(o1)
 o0.results_by_topic_v3_and_below = a0
 return o0, pos
def _decode_add_partitions_to_txn_response_3(view, size):
 pos = 0
 o0 = new(AddPartitionsToTxnResponse)
 o0.error_code = 0
 o0.results_by_transaction = []
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('AddPartitionsToTxnResponse.results_by_topic_v3_and_below')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('AddPartitionsToTxnResponse.results_by_topic_v3_and_below')
 a0 = []
 for _ in range(n0):
  o1 = new(AddPartitionsToTxnTopicResult)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('AddPartitionsToTxnTopicResult.name')
  end = pos + n1 - 1
  if end > size: raise beyond('AddPartitionsToTxnTopicResult.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('AddPartitionsToTxnTopicResult.results_by_partition')
  n2 -= 1
  if n2 * 7 > size - pos: raise beyond('AddPartitionsToTxnTopicResult.results_by_partition')
  a1 = []
  for _ in range(n2):
   o2 = new(AddPartitionsToTxnPartitionResult)
   o2.partition_index, o2.partition_error_code, t0 = U_ihB(view, pos)
   pos += 7
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.results_by_partition = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.results_by_topic_v3_and_below = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
def _decode_add_partitions_to_txn_response_4(view, size):
 pos = 0
 o0 = new(AddPartitionsToTxnResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('AddPartitionsToTxnResponse.results_by_transaction')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('AddPartitionsToTxnResponse.results_by_transaction')
 a0 = []
 for _ in range(n0):
  o1 = new(AddPartitionsToTxnResult)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('AddPartitionsToTxnResult.transactional_id')
  end = pos + n1 - 1
  if end > size: raise beyond('AddPartitionsToTxnResult.transactional_id')
  o1.transactional_id = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('AddPartitionsToTxnResult.topic_results')
  n2 -= 1
  if n2 * 3 > size - pos: raise beyond('AddPartitionsToTxnResult.topic_results')
  a1 = []
  for _ in range(n2):
   o2 = new(AddPartitionsToTxnTopicResult)
   n3 = view[pos]
   pos += 1
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: raise null('AddPartitionsToTxnTopicResult.name')
   end = pos + n3 - 1
   if end > size: raise beyond('AddPartitionsToTxnTopicResult.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
   n4 = view[pos]
   pos += 1
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: raise null('AddPartitionsToTxnTopicResult.results_by_partition')
   n4 -= 1
   if n4 * 7 > size - pos: raise beyond('AddPartitionsToTxnTopicResult.results_by_partition')
   a2 = []
   for _ in range(n4):
    o3 = new(AddPartitionsToTxnPartitionResult)
    o3.partition_index, o3.partition_error_code, t0 = U_ihB(view, pos)
    pos += 7
    if t0:
     pos = skip_tags(view, pos, t0, size)
    a2.append(o3)
   o2.results_by_partition = a2
   t1 = view[pos]
   pos += 1
   if t1:
    pos = skip_tags(view, pos, t1, size)
   a1.append(o2)
  o1.topic_results = a1
  t2 = view[pos]
  pos += 1
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a0.append(o1)
 o0.results_by_transaction = a0
 o0.results_by_topic_v3_and_below = []
 t3 = view[pos]
 pos += 1
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
AddPartitionsToTxnResponse.decoders = {0: _decode_add_partitions_to_txn_response_0, 1: _decode_add_partitions_to_txn_response_0, 2: _decode_add_partitions_to_txn_response_0, 3: _decode_add_partitions_to_txn_response_3, 4: _decode_add_partitions_to_txn_response_4, 5: _decode_add_partitions_to_txn_response_4}

def _encode_add_partitions_to_txn_response_0(m):
 out = []
 if m.results_by_transaction: raise unsupported('AddPartitionsToTxnResponse.results_by_transaction')
 a0 = m.results_by_topic_v3_and_below
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.results_by_partition
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   out.append(P_ih(m1.partition_index, m1.partition_error_code))
 return [b''.join(out)]
def _encode_add_partitions_to_txn_response_3(m):
 out = []
 if m.results_by_transaction: raise unsupported('AddPartitionsToTxnResponse.results_by_transaction')
 a0 = m.results_by_topic_v3_and_below
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.results_by_partition
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   out.append(P_ihx(m1.partition_index, m1.partition_error_code))
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_add_partitions_to_txn_response_4(m):
 out = []
 a0 = m.results_by_transaction
 n0 = len(a0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 for m0 in a0:
  b0 = m0.transactional_id.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.topic_results
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   b1 = m1.name.encode()
   n3 = len(b1) + 1
   out.append(U8[n3] if n3 < 128 else varint(n3))
   out.append(b1)
   a2 = m1.results_by_partition
   n4 = len(a2) + 1
   out.append(U8[n4] if n4 < 128 else varint(n4))
   for m2 in a2:
    out.append(P_ihx(m2.partition_index, m2.partition_error_code))
   out.append(b'\x00')
  out.append(b'\x00')
 if m.results_by_topic_v3_and_below: raise unsupported('AddPartitionsToTxnResponse.results_by_topic_v3_and_below')
 out.append(b'\x00')
 return [b''.join(out)]
AddPartitionsToTxnResponse.encoders = {0: _encode_add_partitions_to_txn_response_0, 1: _encode_add_partitions_to_txn_response_0, 2: _encode_add_partitions_to_txn_response_0, 3: _encode_add_partitions_to_txn_response_3, 4: _encode_add_partitions_to_txn_response_4, 5: _encode_add_partitions_to_txn_response_4}
