"""AlterPartitionReassignments: request in versions 0 to 1 and response in versions 0 to 1.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, pack, skip_tags, unpack_from, unsupported, varint, varint_rest

P_i = Packing('>i').pack
P_it = Packing('>i?').pack
P_itB = Packing('>i?B').pack
P_ith = Packing('>i?h').pack
P_ithB = Packing('>i?hB').pack
P_iB = Packing('>iB').pack
P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
U_itB = Packing('>i?B').unpack_from
U_ithB = Packing('>i?hB').unpack_from
U_iB = Packing('>iB').unpack_from
U_ihB = Packing('>ihB').unpack_from


class ReassignablePartition(Struct):
 __slots__ = ('partition_index', 'replicas', )
 partition_index: int
 replicas: list[int] | None
 def __init__(self, partition_index: int = 0, replicas: list[int] | None = None) -> None:
  self.partition_index = partition_index
  self.replicas = replicas


class ReassignableTopic(Struct):
 __slots__ = ('name', 'partitions', )
 name: str
 partitions: list[ReassignablePartition]
 def __init__(self, name: str = '', partitions: list[ReassignablePartition] = FRESH) -> None:
  self.name = name
  self.partitions = [] if partitions is FRESH else partitions


class AlterPartitionReassignmentsRequest(Message):
 __slots__ = ('timeout_ms', 'allow_replication_factor_change', 'topics', )
 api_key: ClassVar[int] = 45
 versions: ClassVar[range] = range(0, 2)
 first_flexible: ClassVar[int | None] = 0
 timeout_ms: int
 allow_replication_factor_change: bool
 topics: list[ReassignableTopic]
 def __init__(self, timeout_ms: int = 60000, allow_replication_factor_change: bool = True, topics: list[ReassignableTopic] = FRESH) -> None:
  self.timeout_ms = timeout_ms
  self.allow_replication_factor_change = allow_replication_factor_change
  self.topics = [] if topics is FRESH else topics

def _decode_alter_partition_reassignments_request_0(view, size):
 pos = 0
 o0 = new(AlterPartitionReassignmentsRequest)
 o0.allow_replication_factor_change = True
 o0.timeout_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('AlterPartitionReassignmentsRequest.topics')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('AlterPartitionReassignmentsRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(ReassignableTopic)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ReassignableTopic.name')
  end = pos + n1 - 1
  if end > size: raise beyond('ReassignableTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('ReassignableTopic.partitions')
  n2 -= 1
  if n2 * 6 > size - pos: raise beyond('ReassignableTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(ReassignablePartition)
   o2.partition_index, n3 = U_iB(view, pos)
   pos += 5
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: o2.replicas = None
   else:
    n3 -= 1
    if n3 * 4 > size - pos: raise beyond('ReassignablePartition.replicas')
    o2.replicas = list(unpack_from(f'>{n3}i', view, pos))
    pos += n3 * 4
   t0 = view[pos]
   pos += 1
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
def _decode_alter_partition_reassignments_request_1(view, size):
 pos = 0
 o0 = new(AlterPartitionReassignmentsRequest)
 o0.timeout_ms, o0.allow_replication_factor_change, n0 = U_itB(view, pos)
 pos += 6
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('AlterPartitionReassignmentsRequest.topics')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('AlterPartitionReassignmentsRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(ReassignableTopic)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ReassignableTopic.name')
  end = pos + n1 - 1
  if end > size: raise beyond('ReassignableTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('ReassignableTopic.partitions')
  n2 -= 1
  if n2 * 6 > size - pos: raise beyond('ReassignableTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(ReassignablePartition)
   o2.partition_index, n3 = U_iB(view, pos)
   pos += 5
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: o2.replicas = None
   else:
    n3 -= 1
    if n3 * 4 > size - pos: raise beyond('ReassignablePartition.replicas')
    o2.replicas = list(unpack_from(f'>{n3}i', view, pos))
    pos += n3 * 4
   t0 = view[pos]
   pos += 1
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
AlterPartitionReassignmentsRequest.decoders = {0: _decode_alter_partition_reassignments_request_0, 1: _decode_alter_partition_reassignments_request_1}

def _encode_alter_partition_reassignments_request_0(m):
 out = []
 if not m.allow_replication_factor_change: raise unsupported('AlterPartitionReassignmentsRequest.allow_replication_factor_change')
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(P_iB(m.timeout_ms, n0) if n0 < 128 else P_i(m.timeout_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   a2 = m1.replicas
   n3 = 0 if a2 is None else len(a2) + 1
   out.append(P_iB(m1.partition_index, n3) if n3 < 128 else P_i(m1.partition_index) + varint(n3))
   if a2: out.append(pack(f'>{len(a2)}i', *a2))
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_alter_partition_reassignments_request_1(m):
 out = []
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(P_itB(m.timeout_ms, m.allow_replication_factor_change, n0) if n0 < 128 else P_it(m.timeout_ms, m.allow_replication_factor_change) + varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   a2 = m1.replicas
   n3 = 0 if a2 is None else len(a2) + 1
   out.append(P_iB(m1.partition_index, n3) if n3 < 128 else P_i(m1.partition_index) + varint(n3))
   if a2: out.append(pack(f'>{len(a2)}i', *a2))
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
AlterPartitionReassignmentsRequest.encoders = {0: _encode_alter_partition_reassignments_request_0, 1: _encode_alter_partition_reassignments_request_1}


class ReassignablePartitionResponse(Struct):
 __slots__ = ('partition_index', 'error_code', 'error_message', )
 partition_index: int
 error_code: int
 error_message: str | None
 def __init__(self, partition_index: int = 0, error_code: int = 0, error_message: str | None = '') -> None:
  self.partition_index = partition_index
  self.error_code = error_code
  self.error_message = error_message


class ReassignableTopicResponse(Struct):
 __slots__ = ('name', 'partitions', )
 name: str
 partitions: list[ReassignablePartitionResponse]
 def __init__(self, name: str = '', partitions: list[ReassignablePartitionResponse] = FRESH) -> None:
  self.name = name
  self.partitions = [] if partitions is FRESH else partitions


class AlterPartitionReassignmentsResponse(Message):
 __slots__ = ('throttle_time_ms', 'allow_replication_factor_change', 'error_code', 'error_message', 'responses', )
 api_key: ClassVar[int] = 45
 versions: ClassVar[range] = range(0, 2)
 first_flexible: ClassVar[int | None] = 0
 throttle_time_ms: int
 allow_replication_factor_change: bool
 error_code: int
 error_message: str | None
 responses: list[ReassignableTopicResponse]
 def __init__(self, throttle_time_ms: int = 0, allow_replication_factor_change: bool = True, error_code: int = 0, error_message: str | None = '', responses: list[ReassignableTopicResponse] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.allow_replication_factor_change = allow_replication_factor_change
  self.error_code = error_code
  self.error_message = error_message
  self.responses = [] if responses is FRESH else responses

def _decode_alter_partition_reassignments_response_0(view, size):
 pos = 0
 o0 = new(AlterPartitionReassignmentsResponse)
 o0.allow_replication_factor_change = True
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.error_message = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('AlterPartitionReassignmentsResponse.error_message')
  o0.error_message = view[pos:end].tobytes().decode()
  pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('AlterPartitionReassignmentsResponse.responses')
 n1 -= 1
 if n1 * 3 > size - pos: raise beyond('AlterPartitionReassignmentsResponse.responses')
 a0 = []
 for _ in range(n1):
  o1 = new(ReassignableTopicResponse)
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('ReassignableTopicResponse.name')
  end = pos + n2 - 1
  if end > size: raise beyond('ReassignableTopicResponse.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('ReassignableTopicResponse.partitions')
  n3 -= 1
  if n3 * 8 > size - pos: raise beyond('ReassignableTopicResponse.partitions')
  a1 = []
  for _ in range(n3):
   o2 = new(ReassignablePartitionResponse)
   o2.partition_index, o2.error_code, n4 = U_ihB(view, pos)
   pos += 7
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: o2.error_message = None
   else:
    end = pos + n4 - 1
    if end > size: raise beyond('ReassignablePartitionResponse.error_message')
    o2.error_message = view[pos:end].tobytes().decode()
    pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.partitions = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.responses = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
def _decode_alter_partition_reassignments_response_1(view, size):
 pos = 0
 o0 = new(AlterPartitionReassignmentsResponse)
 o0.throttle_time_ms, o0.allow_replication_factor_change, o0.error_code, n0 = U_ithB(view, pos)
 pos += 8
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.error_message = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('AlterPartitionReassignmentsResponse.error_message')
  o0.error_message = view[pos:end].tobytes().decode()
  pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('AlterPartitionReassignmentsResponse.responses')
 n1 -= 1
 if n1 * 3 > size - pos: raise beyond('AlterPartitionReassignmentsResponse.responses')
 a0 = []
 for _ in range(n1):
  o1 = new(ReassignableTopicResponse)
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('ReassignableTopicResponse.name')
  end = pos + n2 - 1
  if end > size: raise beyond('ReassignableTopicResponse.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('ReassignableTopicResponse.partitions')
  n3 -= 1
  if n3 * 8 > size - pos: raise beyond('ReassignableTopicResponse.partitions')
  a1 = []
  for _ in range(n3):
   o2 = new(ReassignablePartitionResponse)
   o2.partition_index, o2.error_code, n4 = U_ihB(view, pos)
   pos += 7
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: o2.error_message = None
   else:
    end = pos + n4 - 1
    if end > size: raise beyond('ReassignablePartitionResponse.error_message')
    o2.error_message = view[pos:end].tobytes().decode()
    pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.partitions = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.responses = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
AlterPartitionReassignmentsResponse.decoders = {0: _decode_alter_partition_reassignments_response_0, 1: _decode_alter_partition_reassignments_response_1}

def _encode_alter_partition_reassignments_response_0(m):
 out = []
 b0 = m.error_message
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 out.append(b0)
 a0 = m.responses
 n1 = len(a0) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 for m0 in a0:
  b1 = m0.name.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  a1 = m0.partitions
  n3 = len(a1) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  for m1 in a1:
   b2 = m1.error_message
   if b2 is None:
    b2 = b''; n4 = 0
   else:
    b2 = b2.encode()
    n4 = len(b2) + 1
   out.append(P_ihB(m1.partition_index, m1.error_code, n4) if n4 < 128 else P_ih(m1.partition_index, m1.error_code) + varint(n4))
   out.append(b2)
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_alter_partition_reassignments_response_1(m):
 out = []
 b0 = m.error_message
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(P_ithB(m.throttle_time_ms, m.allow_replication_factor_change, m.error_code, n0) if n0 < 128 else P_ith(m.throttle_time_ms, m.allow_replication_factor_change, m.error_code) + varint(n0))
 out.append(b0)
 a0 = m.responses
 n1 = len(a0) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 for m0 in a0:
  b1 = m0.name.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  a1 = m0.partitions
  n3 = len(a1) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  for m1 in a1:
   b2 = m1.error_message
   if b2 is None:
    b2 = b''; n4 = 0
   else:
    b2 = b2.encode()
    n4 = len(b2) + 1
   out.append(P_ihB(m1.partition_index, m1.error_code, n4) if n4 < 128 else P_ih(m1.partition_index, m1.error_code) + varint(n4))
   out.append(b2)
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
AlterPartitionReassignmentsResponse.encoders = {0: _encode_alter_partition_reassignments_response_0, 1: _encode_alter_partition_reassignments_response_1}
