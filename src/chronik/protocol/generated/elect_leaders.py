"""ElectLeaders: request in versions 0 to 2 and response in versions 0 to 2.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, pack, skip_tags, unpack_from, unsupported, varint, varint_rest

P_b = Packing('>b').pack
P_bB = Packing('>bB').pack
P_bi = Packing('>bi').pack
P_h = Packing('>h').pack
P_i = Packing('>i').pack
P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
P_ihh = Packing('>ihh').pack
P_ihi = Packing('>ihi').pack
P_ii = Packing('>ii').pack
P_ix = Packing('>ix').pack
U_bB = Packing('>bB').unpack_from
U_bi = Packing('>bi').unpack_from
U_h = Packing('>h').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_ihh = Packing('>ihh').unpack_from
U_ihi = Packing('>ihi').unpack_from
U_ii = Packing('>ii').unpack_from


class TopicPartitions(Struct):
 __slots__ = ('topic', 'partitions', )
 topic: str
 partitions: list[int]
 def __init__(self, topic: str = '', partitions: list[int] = FRESH) -> None:
  self.topic = topic
  self.partitions = [] if partitions is FRESH else partitions


class ElectLeadersRequest(Message):
 __slots__ = ('election_type', 'topic_partitions', 'timeout_ms', )
 api_key: ClassVar[int] = 43
 versions: ClassVar[range] = range(0, 3)
 first_flexible: ClassVar[int | None] = 2
 election_type: int
 topic_partitions: list[TopicPartitions] | None
 timeout_ms: int
 def __init__(self, election_type: int = 0, topic_partitions: list[TopicPartitions] | None = FRESH, timeout_ms: int = 60000) -> None:
  self.election_type = election_type
  self.topic_partitions = [] if topic_partitions is FRESH else topic_partitions
  self.timeout_ms = timeout_ms

def _decode_elect_leaders_request_0(view, size):
 pos = 0
 o0 = new(ElectLeadersRequest)
 o0.election_type = 0
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: o0.topic_partitions = None
 else:
  if n0 * 6 > size - pos: raise beyond('ElectLeadersRequest.topic_partitions')
  a0 = []
  for _ in range(n0):
   o1 = new(TopicPartitions)
   n1, = U_h(view, pos)
   pos += 2
   if n1 < 0: raise null('TopicPartitions.topic')
   end = pos + n1
   if end > size: raise beyond('TopicPartitions.topic')
   o1.topic = view[pos:end].tobytes().decode()
   pos = end
   n2, = U_i(view, pos)
   pos += 4
   if n2 < 0: raise null('TopicPartitions.partitions')
   if n2 * 4 > size - pos: raise beyond('TopicPartitions.partitions')
   o1.partitions = list(unpack_from(f'>{n2}i', view, pos))
   pos += n2 * 4
   a0.append(o1)
  o0.topic_partitions = a0
 o0.timeout_ms, = U_i(view, pos)
 pos += 4
 return o0, pos
def _decode_elect_leaders_request_1(view, size):
 pos = 0
 o0 = new(ElectLeadersRequest)
 o0.election_type, n0 = U_bi(view, pos)
 pos += 5
 if n0 < 0: o0.topic_partitions = None
 else:
  if n0 * 6 > size - pos: raise beyond('ElectLeadersRequest.topic_partitions')
  a0 = []
  for _ in range(n0):
   o1 = new(TopicPartitions)
   n1, = U_h(view, pos)
   pos += 2
   if n1 < 0: raise null('TopicPartitions.topic')
   end = pos + n1
   if end > size: raise beyond('TopicPartitions.topic')
   o1.topic = view[pos:end].tobytes().decode()
   pos = end
   n2, = U_i(view, pos)
   pos += 4
   if n2 < 0: raise null('TopicPartitions.partitions')
   if n2 * 4 > size - pos: raise beyond('TopicPartitions.partitions')
   o1.partitions = list(unpack_from(f'>{n2}i', view, pos))
   pos += n2 * 4
   a0.append(o1)
  o0.topic_partitions = a0
 o0.timeout_ms, = U_i(view, pos)
 pos += 4
 return o0, pos
def _decode_elect_leaders_request_2(view, size):
 pos = 0
 o0 = new(ElectLeadersRequest)
 o0.election_type, n0 = U_bB(view, pos)
 pos += 2
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.topic_partitions = None
 else:
  n0 -= 1
  if n0 * 3 > size - pos: raise beyond('ElectLeadersRequest.topic_partitions')
  a0 = []
  for _ in range(n0):
   o1 = new(TopicPartitions)
   n1 = view[pos]
   pos += 1
   if n1 > 127:
    n1, pos = varint_rest(view, pos, n1)
   if not n1: raise null('TopicPartitions.topic')
   end = pos + n1 - 1
   if end > size: raise beyond('TopicPartitions.topic')
   o1.topic = view[pos:end].tobytes().decode()
   pos = end
   n2 = view[pos]
   pos += 1
   if n2 > 127:
    n2, pos = varint_rest(view, pos, n2)
   if not n2: raise null('TopicPartitions.partitions')
   n2 -= 1
   if n2 * 4 > size - pos: raise beyond('TopicPartitions.partitions')
   o1.partitions = list(unpack_from(f'>{n2}i', view, pos))
   pos += n2 * 4
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a0.append(o1)
  o0.topic_partitions = a0
 o0.timeout_ms, t1 = U_iB(view, pos)
 pos += 5
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
ElectLeadersRequest.decoders = {0: _decode_elect_leaders_request_0, 1: _decode_elect_leaders_request_1, 2: _decode_elect_leaders_request_2}

def _encode_elect_leaders_request_0(m):
 out = []
 if m.election_type != 0: raise unsupported('ElectLeadersRequest.election_type')
 a0 = m.topic_partitions
 n0 = -1 if a0 is None else len(a0)
 out.append(P_i(n0))
 for m0 in a0 or ():
  b0 = m0.topic.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  if a1: out.append(pack(f'>{len(a1)}i', *a1))
 out.append(P_i(m.timeout_ms))
 return [b''.join(out)]
def _encode_elect_leaders_request_1(m):
 out = []
 a0 = m.topic_partitions
 n0 = -1 if a0 is None else len(a0)
 out.append(P_bi(m.election_type, n0))
 for m0 in a0 or ():
  b0 = m0.topic.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  if a1: out.append(pack(f'>{len(a1)}i', *a1))
 out.append(P_i(m.timeout_ms))
 return [b''.join(out)]
def _encode_elect_leaders_request_2(m):
 out = []
 a0 = m.topic_partitions
 n0 = 0 if a0 is None else len(a0) + 1
 out.append(P_bB(m.election_type, n0) if n0 < 128 else P_b(m.election_type) + varint(n0))
 for m0 in a0 or ():
  b0 = m0.topic.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  if a1: out.append(pack(f'>{len(a1)}i', *a1))
  out.append(b'\x00')
 out.append(P_ix(m.timeout_ms))
 return [b''.join(out)]
ElectLeadersRequest.encoders = {0: _encode_elect_leaders_request_0, 1: _encode_elect_leaders_request_1, 2: _encode_elect_leaders_request_2}


class PartitionResult(Struct):
 __slots__ = ('partition_id', 'error_code', 'error_message', )
 partition_id: int
 error_code: int
 error_message: str | None
 def __init__(self, partition_id: int = 0, error_code: int = 0, error_message: str | None = '') -> None:
  self.partition_id = partition_id
  self.error_code = error_code
  self.error_message = error_message


class ReplicaElectionResult(Struct):
 __slots__ = ('topic', 'partition_result', )
 topic: str
 partition_result: list[PartitionResult]
 def __init__(self, topic: str = '', partition_result: list[PartitionResult] = FRESH) -> None:
  self.topic = topic
  self.partition_result = [] if partition_result is FRESH else partition_result


class ElectLeadersResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'replica_election_results', )
 api_key: ClassVar[int] = 43
 versions: ClassVar[range] = range(0, 3)
 first_flexible: ClassVar[int | None] = 2
 throttle_time_ms: int
 error_code: int
 replica_election_results: list[ReplicaElectionResult]
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, replica_election_results: list[ReplicaElectionResult] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.replica_election_results = [] if replica_election_results is FRESH else replica_election_results

def _decode_elect_leaders_response_0(view, size):
 pos = 0
 o0 = new(ElectLeadersResponse)
 o0.error_code = 0
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('ElectLeadersResponse.replica_election_results')
 if n0 * 6 > size - pos: raise beyond('ElectLeadersResponse.replica_election_results')
 a0 = []
 for _ in range(n0):
  o1 = new(ReplicaElectionResult)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('ReplicaElectionResult.topic')
  end = pos + n1
  if end > size: raise beyond('ReplicaElectionResult.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('ReplicaElectionResult.partition_result')
  if n2 * 8 > size - pos: raise beyond('ReplicaElectionResult.partition_result')
  a1 = []
  for _ in range(n2):
   o2 = new(PartitionResult)
   o2.partition_id, o2.error_code, n3 = U_ihh(view, pos)
   pos += 8
   if n3 < 0: o2.error_message = None
   else:
    end = pos + n3
    if end > size: raise beyond('PartitionResult.error_message')
    o2.error_message = view[pos:end].tobytes().decode()
    pos = end
   a1.append(o2)
  o1.partition_result = a1
  a0.append(o1)
 o0.replica_election_results = a0
 return o0, pos
def _decode_elect_leaders_response_1(view, size):
 pos = 0
 o0 = new(ElectLeadersResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihi(view, pos)
 pos += 10
 if n0 < 0: raise null('ElectLeadersResponse.replica_election_results')
 if n0 * 6 > size - pos: raise beyond('ElectLeadersResponse.replica_election_results')
 a0 = []
 for _ in range(n0):
  o1 = new(ReplicaElectionResult)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('ReplicaElectionResult.topic')
  end = pos + n1
  if end > size: raise beyond('ReplicaElectionResult.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('ReplicaElectionResult.partition_result')
  if n2 * 8 > size - pos: raise beyond('ReplicaElectionResult.partition_result')
  a1 = []
  for _ in range(n2):
   o2 = new(PartitionResult)
   o2.partition_id, o2.error_code, n3 = U_ihh(view, pos)
   pos += 8
   if n3 < 0: o2.error_message = None
   else:
    end = pos + n3
    if end > size: raise beyond('PartitionResult.error_message')
    o2.error_message = view[pos:end].tobytes().decode()
    pos = end
   a1.append(o2)
  o1.partition_result = a1
  a0.append(o1)
 o0.replica_election_results = a0
 return o0, pos
def _decode_elect_leaders_response_2(view, size):
 pos = 0
 o0 = new(ElectLeadersResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ElectLeadersResponse.replica_election_results')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('ElectLeadersResponse.replica_election_results')
 a0 = []
 for _ in range(n0):
  o1 = new(ReplicaElectionResult)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ReplicaElectionResult.topic')
  end = pos + n1 - 1
  if end > size: raise beyond('ReplicaElectionResult.topic')
  o1.topic = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('ReplicaElectionResult.partition_result')
  n2 -= 1
  if n2 * 8 > size - pos: raise beyond('ReplicaElectionResult.partition_result')
  a1 = []
  for _ in range(n2):
   o2 = new(PartitionResult)
   o2.partition_id, o2.error_code, n3 = U_ihB(view, pos)
   pos += 7
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: o2.error_message = None
   else:
    end = pos + n3 - 1
    if end > size: raise beyond('PartitionResult.error_message')
    o2.error_message = view[pos:end].tobytes().decode()
    pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.partition_result = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.replica_election_results = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
ElectLeadersResponse.decoders = {0: _decode_elect_leaders_response_0, 1: _decode_elect_leaders_response_1, 2: _decode_elect_leaders_response_2}

def _encode_elect_leaders_response_0(m):
 out = []
 if m.error_code != 0: raise unsupported('ElectLeadersResponse.error_code')
 a0 = m.replica_election_results
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partition_result
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   b1 = m1.error_message
   if b1 is None:
    b1 = b''; n3 = -1
   else:
    b1 = b1.encode()
    n3 = len(b1)
   out.append(P_ihh(m1.partition_id, m1.error_code, n3))
   out.append(b1)
 return [b''.join(out)]
def _encode_elect_leaders_response_1(m):
 out = []
 a0 = m.replica_election_results
 n0 = len(a0)
 out.append(P_ihi(m.throttle_time_ms, m.error_code, n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partition_result
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   b1 = m1.error_message
   if b1 is None:
    b1 = b''; n3 = -1
   else:
    b1 = b1.encode()
    n3 = len(b1)
   out.append(P_ihh(m1.partition_id, m1.error_code, n3))
   out.append(b1)
 return [b''.join(out)]
def _encode_elect_leaders_response_2(m):
 out = []
 a0 = m.replica_election_results
 n0 = len(a0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 for m0 in a0:
  b0 = m0.topic.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.partition_result
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   b1 = m1.error_message
   if b1 is None:
    b1 = b''; n3 = 0
   else:
    b1 = b1.encode()
    n3 = len(b1) + 1
   out.append(P_ihB(m1.partition_id, m1.error_code, n3) if n3 < 128 else P_ih(m1.partition_id, m1.error_code) + varint(n3))
   out.append(b1)
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
ElectLeadersResponse.encoders = {0: _encode_elect_leaders_response_0, 1: _encode_elect_leaders_response_1, 2: _encode_elect_leaders_response_2}
