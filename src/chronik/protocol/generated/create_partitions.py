"""CreatePartitions: request in versions 0 to 3 and response in versions 0 to 3.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, pack, skip_tags, unpack_from, varint, varint_rest

P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_hh = Packing('>hh').pack
P_i = Packing('>i').pack
P_it = Packing('>i?').pack
P_itx = Packing('>i?x').pack
P_iB = Packing('>iB').pack
P_ii = Packing('>ii').pack
U_h = Packing('>h').unpack_from
U_hB = Packing('>hB').unpack_from
U_hh = Packing('>hh').unpack_from
U_i = Packing('>i').unpack_from
U_it = Packing('>i?').unpack_from
U_itB = Packing('>i?B').unpack_from
U_iB = Packing('>iB').unpack_from
U_ii = Packing('>ii').unpack_from


class CreatePartitionsAssignment(Struct):
 __slots__ = ('broker_ids', )
 broker_ids: list[int]
 def __init__(self, broker_ids: list[int] = FRESH) -> None:
  self.broker_ids = [] if broker_ids is FRESH else broker_ids


class CreatePartitionsTopic(Struct):
 __slots__ = ('name', 'count', 'assignments', )
 name: str
 count: int
 assignments: list[CreatePartitionsAssignment] | None
 def __init__(self, name: str = '', count: int = 0, assignments: list[CreatePartitionsAssignment] | None = FRESH) -> None:
  self.name = name
  self.count = count
  self.assignments = [] if assignments is FRESH else assignments


class CreatePartitionsRequest(Message):
 __slots__ = ('topics', 'timeout_ms', 'validate_only', )
 api_key: ClassVar[int] = 37
 versions: ClassVar[range] = range(0, 4)
 first_flexible: ClassVar[int | None] = 2
 topics: list[CreatePartitionsTopic]
 timeout_ms: int
 validate_only: bool
 def __init__(self, topics: list[CreatePartitionsTopic] = FRESH, timeout_ms: int = 0, validate_only: bool = False) -> None:
  self.topics = [] if topics is FRESH else topics
  self.timeout_ms = timeout_ms
  self.validate_only = validate_only

def _decode_create_partitions_request_0(view, size):
 pos = 0
 o0 = new(CreatePartitionsRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('CreatePartitionsRequest.topics')
 if n0 * 10 > size - pos: raise beyond('CreatePartitionsRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(CreatePartitionsTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('CreatePartitionsTopic.name')
  end = pos + n1
  if end > size: raise beyond('CreatePartitionsTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.count, n2 = U_ii(view, pos)
  pos += 8
  if n2 < 0: o1.assignments = None
  else:
   if n2 * 4 > size - pos: raise beyond('CreatePartitionsTopic.assignments')
   a1 = []
   for _ in range(n2):
    o2 = new(CreatePartitionsAssignment)
    n3, = U_i(view, pos)
    pos += 4
    if n3 < 0: raise null('CreatePartitionsAssignment.broker_ids')
    if n3 * 4 > size - pos: raise beyond('CreatePartitionsAssignment.broker_ids')
    o2.broker_ids = list(unpack_from(f'>{n3}i', view, pos))
    pos += n3 * 4
    a1.append(o2)
   o1.assignments = a1
  a0.append(o1)
 o0.topics = a0
 o0.timeout_ms, o0.validate_only = U_it(view, pos)
 pos += 5
 return o0, pos
def _decode_create_partitions_request_2(view, size):
 pos = 0
 o0 = new(CreatePartitionsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('CreatePartitionsRequest.topics')
 n0 -= 1
 if n0 * 7 > size - pos: raise beyond('CreatePartitionsRequest.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(CreatePartitionsTopic)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('CreatePartitionsTopic.name')
  end = pos + n1 - 1
  if end > size: raise beyond('CreatePartitionsTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.count, n2 = U_iB(view, pos)
  pos += 5
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.assignments = None
  else:
   n2 -= 1
   if n2 * 2 > size - pos: raise beyond('CreatePartitionsTopic.assignments')
   a1 = []
   for _ in range(n2):
    o2 = new(CreatePartitionsAssignment)
    n3 = view[pos]
    pos += 1
    if n3 > 127:
     n3, pos = varint_rest(view, pos, n3)
    if not n3: raise null('CreatePartitionsAssignment.broker_ids')
    n3 -= 1
    if n3 * 4 > size - pos: raise beyond('CreatePartitionsAssignment.broker_ids')
    o2.broker_ids = list(unpack_from(f'>{n3}i', view, pos))
    pos += n3 * 4
    t0 = view[pos]
    pos += 1
    if t0:
     pos = skip_tags(view, pos, t0, size)
    a1.append(o2)
   o1.assignments = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.topics = a0
 o0.timeout_ms, o0.validate_only, t2 = U_itB(view, pos)
 pos += 6
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
CreatePartitionsRequest.decoders = {0: _decode_create_partitions_request_0, 1: _decode_create_partitions_request_0, 2: _decode_create_partitions_request_2, 3: _decode_create_partitions_request_2}

def _encode_create_partitions_request_0(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.assignments
  n2 = -1 if a1 is None else len(a1)
  out.append(P_ii(m0.count, n2))
  for m1 in a1 or ():
   a2 = m1.broker_ids
   n3 = len(a2)
   out.append(P_i(n3))
   if a2: out.append(pack(f'>{len(a2)}i', *a2))
 out.append(P_it(m.timeout_ms, m.validate_only))
 return [b''.join(out)]
def _encode_create_partitions_request_2(m):
 out = []
 a0 = m.topics
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.assignments
  n2 = 0 if a1 is None else len(a1) + 1
  out.append(P_iB(m0.count, n2) if n2 < 128 else P_i(m0.count) + varint(n2))
  for m1 in a1 or ():
   a2 = m1.broker_ids
   n3 = len(a2) + 1
   out.append(U8[n3] if n3 < 128 else varint(n3))
   if a2: out.append(pack(f'>{len(a2)}i', *a2))
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(P_itx(m.timeout_ms, m.validate_only))
 return [b''.join(out)]
CreatePartitionsRequest.encoders = {0: _encode_create_partitions_request_0, 1: _encode_create_partitions_request_0, 2: _encode_create_partitions_request_2, 3: _encode_create_partitions_request_2}


class CreatePartitionsTopicResult(Struct):
 __slots__ = ('name', 'error_code', 'error_message', )
 name: str
 error_code: int
 error_message: str | None
 def __init__(self, name: str = '', error_code: int = 0, error_message: str | None = None) -> None:
  self.name = name
  self.error_code = error_code
  self.error_message = error_message


class CreatePartitionsResponse(Message):
 __slots__ = ('throttle_time_ms', 'results', )
 api_key: ClassVar[int] = 37
 versions: ClassVar[range] = range(0, 4)
 first_flexible: ClassVar[int | None] = 2
 throttle_time_ms: int
 results: list[CreatePartitionsTopicResult]
 def __init__(self, throttle_time_ms: int = 0, results: list[CreatePartitionsTopicResult] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.results = [] if results is FRESH else results

def _decode_create_partitions_response_0(view, size):
 pos = 0
 o0 = new(CreatePartitionsResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('CreatePartitionsResponse.results')
 if n0 * 6 > size - pos: raise beyond('CreatePartitionsResponse.results')
 a0 = []
 for _ in range(n0):
  o1 = new(CreatePartitionsTopicResult)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('CreatePartitionsTopicResult.name')
  end = pos + n1
  if end > size: raise beyond('CreatePartitionsTopicResult.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.error_code, n2 = U_hh(view, pos)
  pos += 4
  if n2 < 0: o1.error_message = None
  else:
   end = pos + n2
   if end > size: raise beyond('CreatePartitionsTopicResult.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  a0.append(o1)
 o0.results = a0
 return o0, pos
def _decode_create_partitions_response_2(view, size):
 pos = 0
 o0 = new(CreatePartitionsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('CreatePartitionsResponse.results')
 n0 -= 1
 if n0 * 5 > size - pos: raise beyond('CreatePartitionsResponse.results')
 a0 = []
 for _ in range(n0):
  o1 = new(CreatePartitionsTopicResult)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('CreatePartitionsTopicResult.name')
  end = pos + n1 - 1
  if end > size: raise beyond('CreatePartitionsTopicResult.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.error_code, n2 = U_hB(view, pos)
  pos += 3
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.error_message = None
  else:
   end = pos + n2 - 1
   if end > size: raise beyond('CreatePartitionsTopicResult.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.results = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
CreatePartitionsResponse.decoders = {0: _decode_create_partitions_response_0, 1: _decode_create_partitions_response_0, 2: _decode_create_partitions_response_2, 3: _decode_create_partitions_response_2}

def _encode_create_partitions_response_0(m):
 out = []
 a0 = m.results
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  b1 = m0.error_message
  if b1 is None:
   b1 = b''; n2 = -1
  else:
   b1 = b1.encode()
   n2 = len(b1)
  out.append(P_hh(m0.error_code, n2))
  out.append(b1)
 return [b''.join(out)]
def _encode_create_partitions_response_2(m):
 out = []
 a0 = m.results
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  b1 = m0.error_message
  if b1 is None:
   b1 = b''; n2 = 0
  else:
   b1 = b1.encode()
   n2 = len(b1) + 1
  out.append(P_hB(m0.error_code, n2) if n2 < 128 else P_h(m0.error_code) + varint(n2))
  out.append(b1)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
CreatePartitionsResponse.encoders = {0: _encode_create_partitions_response_0, 1: _encode_create_partitions_response_0, 2: _encode_create_partitions_response_2, 3: _encode_create_partitions_response_2}
