"""DescribeTransactions: request in versions 0 to 0 and response in versions 0 to 0.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, pack, skip_tags, unpack_from, varint, varint_rest

P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_iqqh = Packing('>iqqh').pack
P_iqqhB = Packing('>iqqhB').pack
U_hB = Packing('>hB').unpack_from
U_iB = Packing('>iB').unpack_from
U_iqqhB = Packing('>iqqhB').unpack_from


class DescribeTransactionsRequest(Message):
 __slots__ = ('transactional_ids', )
 api_key: ClassVar[int] = 65
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = 0
 transactional_ids: list[str]
 def __init__(self, transactional_ids: list[str] = FRESH) -> None:
  self.transactional_ids = [] if transactional_ids is FRESH else transactional_ids

def _decode_describe_transactions_request_0(view, size):
 pos = 0
 o0 = new(DescribeTransactionsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DescribeTransactionsRequest.transactional_ids')
 n0 -= 1
 if n0 > size - pos: raise beyond('DescribeTransactionsRequest.transactional_ids')
 a0 = []
 for _ in range(n0):
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('DescribeTransactionsRequest.transactional_ids')
  end = pos + n1 - 1
  if end > size: raise beyond('DescribeTransactionsRequest.transactional_ids')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.transactional_ids = a0
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
DescribeTransactionsRequest.decoders = {0: _decode_describe_transactions_request_0}

def _encode_describe_transactions_request_0(m):
 out = []
 a0 = m.transactional_ids
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(m0)
 out.append(b'\x00')
 return [b''.join(out)]
DescribeTransactionsRequest.encoders = {0: _encode_describe_transactions_request_0}


class TopicData(Struct):
 __slots__ = ('topic', 'partitions', )
 topic: str
 partitions: list[int]
 def __init__(self, topic: str = '', partitions: list[int] = FRESH) -> None:
  self.topic = topic
  self.partitions = [] if partitions is FRESH else partitions


class TransactionState(Struct):
 __slots__ = ('error_code', 'transactional_id', 'transaction_state', 'transaction_timeout_ms', 'transaction_start_time_ms', 'producer_id', 'producer_epoch', 'topics', )
 error_code: int
 transactional_id: str
 transaction_state: str
 transaction_timeout_ms: int
 transaction_start_time_ms: int
 producer_id: int
 producer_epoch: int
 topics: list[TopicData]
 def __init__(self, error_code: int = 0, transactional_id: str = '', transaction_state: str = '', transaction_timeout_ms: int = 0, transaction_start_time_ms: int = 0, producer_id: int = 0, producer_epoch: int = 0, topics: list[TopicData] = FRESH) -> None:
  self.error_code = error_code
  self.transactional_id = transactional_id
  self.transaction_state = transaction_state
  self.transaction_timeout_ms = transaction_timeout_ms
  self.transaction_start_time_ms = transaction_start_time_ms
  self.producer_id = producer_id
  self.producer_epoch = producer_epoch
  self.topics = [] if topics is FRESH else topics


class DescribeTransactionsResponse(Message):
 __slots__ = ('throttle_time_ms', 'transaction_states', )
 api_key: ClassVar[int] = 65
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = 0
 throttle_time_ms: int
 transaction_states: list[TransactionState]
 def __init__(self, throttle_time_ms: int = 0, transaction_states: list[TransactionState] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.transaction_states = [] if transaction_states is FRESH else transaction_states

def _decode_describe_transactions_response_0(view, size):
 pos = 0
 o0 = new(DescribeTransactionsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DescribeTransactionsResponse.transaction_states')
 n0 -= 1
 if n0 * 28 > size - pos: raise beyond('DescribeTransactionsResponse.transaction_states')
 a0 = []
 for _ in range(n0):
  o1 = new(TransactionState)
  o1.error_code, n1 = U_hB(view, pos)
  pos += 3
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('TransactionState.transactional_id')
  end = pos + n1 - 1
  if end > size: raise beyond('TransactionState.transactional_id')
  o1.transactional_id = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('TransactionState.transaction_state')
  end = pos + n2 - 1
  if end > size: raise beyond('TransactionState.transaction_state')
  o1.transaction_state = view[pos:end].tobytes().decode()
  pos = end
  o1.transaction_timeout_ms, o1.transaction_start_time_ms, o1.producer_id, o1.producer_epoch, n3 = U_iqqhB(view, pos)
  pos += 23
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('TransactionState.topics')
  n3 -= 1
  if n3 * 3 > size - pos: raise beyond('TransactionState.topics')
  a1 = []
  for _ in range(n3):
   o2 = new(TopicData)
   n4 = view[pos]
   pos += 1
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: raise null('TopicData.topic')
   end = pos + n4 - 1
   if end > size: raise beyond('TopicData.topic')
   o2.topic = view[pos:end].tobytes().decode()
   pos = end
   n5 = view[pos]
   pos += 1
   if n5 > 127:
    n5, pos = varint_rest(view, pos, n5)
   if not n5: raise null('TopicData.partitions')
   n5 -= 1
   if n5 * 4 > size - pos: raise beyond('TopicData.partitions')
   o2.partitions = list(unpack_from(f'>{n5}i', view, pos))
   pos += n5 * 4
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
 o0.transaction_states = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
DescribeTransactionsResponse.decoders = {0: _decode_describe_transactions_response_0}

def _encode_describe_transactions_response_0(m):
 out = []
 a0 = m.transaction_states
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.transactional_id.encode()
  n1 = len(b0) + 1
  out.append(P_hB(m0.error_code, n1) if n1 < 128 else P_h(m0.error_code) + varint(n1))
  out.append(b0)
  b1 = m0.transaction_state.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  a1 = m0.topics
  n3 = len(a1) + 1
  out.append(P_iqqhB(m0.transaction_timeout_ms, m0.transaction_start_time_ms, m0.producer_id, m0.producer_epoch, n3) if n3 < 128 else P_iqqh(m0.transaction_timeout_ms, m0.transaction_start_time_ms, m0.producer_id, m0.producer_epoch) + varint(n3))
  for m1 in a1:
   b2 = m1.topic.encode()
   n4 = len(b2) + 1
   out.append(U8[n4] if n4 < 128 else varint(n4))
   out.append(b2)
   a2 = m1.partitions
   n5 = len(a2) + 1
   out.append(U8[n5] if n5 < 128 else varint(n5))
   if a2: out.append(pack(f'>{len(a2)}i', *a2))
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
DescribeTransactionsResponse.encoders = {0: _encode_describe_transactions_response_0}
