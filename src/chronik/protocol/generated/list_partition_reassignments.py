"""ListPartitionReassignments: request in versions 0 to 0 and response in versions 0 to 0.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, pack, skip_tags, unpack_from, varint, varint_rest

P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
U_iB = Packing('>iB').unpack_from
U_ihB = Packing('>ihB').unpack_from


class ListPartitionReassignmentsTopics(Struct):
 __slots__ = ('name', 'partition_indexes', )
 name: str
 partition_indexes: list[int]
 def __init__(self, name: str = '', partition_indexes: list[int] = FRESH) -> None:
  self.name = name
  self.partition_indexes = [] if partition_indexes is FRESH else partition_indexes


class ListPartitionReassignmentsRequest(Message):
 __slots__ = ('timeout_ms', 'topics', )
 api_key: ClassVar[int] = 46
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = 0
 timeout_ms: int
 topics: list[ListPartitionReassignmentsTopics] | None
 def __init__(self, timeout_ms: int = 60000, topics: list[ListPartitionReassignmentsTopics] | None = None) -> None:
  self.timeout_ms = timeout_ms
  self.topics = topics

def _decode_list_partition_reassignments_request_0(view, size):
 pos = 0
 o0 = new(ListPartitionReassignmentsRequest)
 o0.timeout_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.topics = None
 else:
  n0 -= 1
  if n0 * 3 > size - pos: raise beyond('ListPartitionReassignmentsRequest.topics')
  a0 = []
  for _ in range(n0):
   o1 = new(ListPartitionReassignmentsTopics)
   n1 = view[pos]
   pos += 1
   if n1 > 127:
    n1, pos = varint_rest(view, pos, n1)
   if not n1: raise null('ListPartitionReassignmentsTopics.name')
   end = pos + n1 - 1
   if end > size: raise beyond('ListPartitionReassignmentsTopics.name')
   o1.name = view[pos:end].tobytes().decode()
   pos = end
   n2 = view[pos]
   pos += 1
   if n2 > 127:
    n2, pos = varint_rest(view, pos, n2)
   if not n2: raise null('ListPartitionReassignmentsTopics.partition_indexes')
   n2 -= 1
   if n2 * 4 > size - pos: raise beyond('ListPartitionReassignmentsTopics.partition_indexes')
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
ListPartitionReassignmentsRequest.decoders = {0: _decode_list_partition_reassignments_request_0}

def _encode_list_partition_reassignments_request_0(m):
 out = []
 a0 = m.topics
 n0 = 0 if a0 is None else len(a0) + 1
 out.append(P_iB(m.timeout_ms, n0) if n0 < 128 else P_i(m.timeout_ms) + varint(n0))
 for m0 in a0 or ():
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
ListPartitionReassignmentsRequest.encoders = {0: _encode_list_partition_reassignments_request_0}


class OngoingPartitionReassignment(Struct):
 __slots__ = ('partition_index', 'replicas', 'adding_replicas', 'removing_replicas', )
 partition_index: int
 replicas: list[int]
 adding_replicas: list[int]
 removing_replicas: list[int]
 def __init__(self, partition_index: int = 0, replicas: list[int] = FRESH, adding_replicas: list[int] = FRESH, removing_replicas: list[int] = FRESH) -> None:
  self.partition_index = partition_index
  self.replicas = [] if replicas is FRESH else replicas
  self.adding_replicas = [] if adding_replicas is FRESH else adding_replicas
  self.removing_replicas = [] if removing_replicas is FRESH else removing_replicas


class OngoingTopicReassignment(Struct):
 __slots__ = ('name', 'partitions', )
 name: str
 partitions: list[OngoingPartitionReassignment]
 def __init__(self, name: str = '', partitions: list[OngoingPartitionReassignment] = FRESH) -> None:
  self.name = name
  self.partitions = [] if partitions is FRESH else partitions


class ListPartitionReassignmentsResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'topics', )
 api_key: ClassVar[int] = 46
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = 0
 throttle_time_ms: int
 error_code: int
 error_message: str | None
 topics: list[OngoingTopicReassignment]
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = '', topics: list[OngoingTopicReassignment] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.error_message = error_message
  self.topics = [] if topics is FRESH else topics

def _decode_list_partition_reassignments_response_0(view, size):
 pos = 0
 o0 = new(ListPartitionReassignmentsResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.error_message = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('ListPartitionReassignmentsResponse.error_message')
  o0.error_message = view[pos:end].tobytes().decode()
  pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('ListPartitionReassignmentsResponse.topics')
 n1 -= 1
 if n1 * 3 > size - pos: raise beyond('ListPartitionReassignmentsResponse.topics')
 a0 = []
 for _ in range(n1):
  o1 = new(OngoingTopicReassignment)
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('OngoingTopicReassignment.name')
  end = pos + n2 - 1
  if end > size: raise beyond('OngoingTopicReassignment.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('OngoingTopicReassignment.partitions')
  n3 -= 1
  if n3 * 8 > size - pos: raise beyond('OngoingTopicReassignment.partitions')
  a1 = []
  for _ in range(n3):
   o2 = new(OngoingPartitionReassignment)
   o2.partition_index, n4 = U_iB(view, pos)
   pos += 5
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: raise null('OngoingPartitionReassignment.replicas')
   n4 -= 1
   if n4 * 4 > size - pos: raise beyond('OngoingPartitionReassignment.replicas')
   o2.replicas = list(unpack_from(f'>{n4}i', view, pos))
   pos += n4 * 4
   n5 = view[pos]
   pos += 1
   if n5 > 127:
    n5, pos = varint_rest(view, pos, n5)
   if not n5: raise null('OngoingPartitionReassignment.adding_replicas')
   n5 -= 1
   if n5 * 4 > size - pos: raise beyond('OngoingPartitionReassignment.adding_replicas')
   o2.adding_replicas = list(unpack_from(f'>{n5}i', view, pos))
   pos += n5 * 4
   n6 = view[pos]
   pos += 1
   if n6 > 127:
    n6, pos = varint_rest(view, pos, n6)
   if not n6: raise null('OngoingPartitionReassignment.removing_replicas')
   n6 -= 1
   if n6 * 4 > size - pos: raise beyond('OngoingPartitionReassignment.removing_replicas')
   o2.removing_replicas = list(unpack_from(f'>{n6}i', view, pos))
   pos += n6 * 4
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
ListPartitionReassignmentsResponse.decoders = {0: _decode_list_partition_reassignments_response_0}

def _encode_list_partition_reassignments_response_0(m):
 out = []
 b0 = m.error_message
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 out.append(b0)
 a0 = m.topics
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
   a2 = m1.replicas
   n4 = len(a2) + 1
   out.append(P_iB(m1.partition_index, n4) if n4 < 128 else P_i(m1.partition_index) + varint(n4))
   if a2: out.append(pack(f'>{len(a2)}i', *a2))
   a3 = m1.adding_replicas
   n5 = len(a3) + 1
   out.append(U8[n5] if n5 < 128 else varint(n5))
   if a3: out.append(pack(f'>{len(a3)}i', *a3))
   a4 = m1.removing_replicas
   n6 = len(a4) + 1
   out.append(U8[n6] if n6 < 128 else varint(n6))
   if a4: out.append(pack(f'>{len(a4)}i', *a4))
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
ListPartitionReassignmentsResponse.encoders = {0: _encode_list_partition_reassignments_response_0}
