"""DescribeLogDirs: request in versions 1 to 4 and response in versions 1 to 4.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, pack, skip_tags, unpack_from, varint, varint_rest

P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_hh = Packing('>hh').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
P_ii = Packing('>ii').pack
P_iqqt = Packing('>iqq?').pack
P_iqqtx = Packing('>iqq?x').pack
P_qqx = Packing('>qqx').pack
U_h = Packing('>h').unpack_from
U_hB = Packing('>hB').unpack_from
U_hh = Packing('>hh').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_ii = Packing('>ii').unpack_from
U_iqqt = Packing('>iqq?').unpack_from
U_iqqtB = Packing('>iqq?B').unpack_from
U_qqB = Packing('>qqB').unpack_from


class DescribableLogDirTopic(Struct):
 __slots__ = ('topic', 'partitions', )
 topic: str
 partitions: list[int]
 def __init__(self, topic: str = '', partitions: list[int] = FRESH) -> None:
  self.topic = topic
  self.partitions = [] if partitions is FRESH else partitions


class DescribeLogDirsRequest(Message):
 __slots__ = ('topics', )
 api_key: ClassVar[int] = 35
 versions: ClassVar[range] = range(1, 5)
 first_flexible: ClassVar[int | None] = 2
 topics: list[DescribableLogDirTopic] | None
 def __init__(self, topics: list[DescribableLogDirTopic] | None = FRESH) -> None:
  self.topics = [] if topics is FRESH else topics

def _decode_describe_log_dirs_request_1(view, size):
 pos = 0
 o0 = new(DescribeLogDirsRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: o0.topics = None
 else:
  if n0 * 6 > size - pos: raise beyond('DescribeLogDirsRequest.topics')
  a0 = []
  for _ in range(n0):
   o1 = new(DescribableLogDirTopic)
   n1, = U_h(view, pos)
   pos += 2
   if n1 < 0: raise null('DescribableLogDirTopic.topic')
   end = pos + n1
   if end > size: raise beyond('DescribableLogDirTopic.topic')
   o1.topic = view[pos:end].tobytes().decode()
   pos = end
   n2, = U_i(view, pos)
   pos += 4
   if n2 < 0: raise null('DescribableLogDirTopic.partitions')
   if n2 * 4 > size - pos: raise beyond('DescribableLogDirTopic.partitions')
   o1.partitions = list(unpack_from(f'>{n2}i', view, pos))
   pos += n2 * 4
   a0.append(o1)
  o0.topics = a0
 return o0, pos
def _decode_describe_log_dirs_request_2(view, size):
 pos = 0
 o0 = new(DescribeLogDirsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.topics = None
 else:
  n0 -= 1
  if n0 * 3 > size - pos: raise beyond('DescribeLogDirsRequest.topics')
  a0 = []
  for _ in range(n0):
   o1 = new(DescribableLogDirTopic)
   n1 = view[pos]
   pos += 1
   if n1 > 127:
    n1, pos = varint_rest(view, pos, n1)
   if not n1: raise null('DescribableLogDirTopic.topic')
   end = pos + n1 - 1
   if end > size: raise beyond('DescribableLogDirTopic.topic')
   o1.topic = view[pos:end].tobytes().decode()
   pos = end
   n2 = view[pos]
   pos += 1
   if n2 > 127:
    n2, pos = varint_rest(view, pos, n2)
   if not n2: raise null('DescribableLogDirTopic.partitions')
   n2 -= 1
   if n2 * 4 > size - pos: raise beyond('DescribableLogDirTopic.partitions')
   o1.partitions = list(unpack_from(f'>{n2}i', view, pos))
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
DescribeLogDirsRequest.decoders = {1: _decode_describe_log_dirs_request_1, 2: _decode_describe_log_dirs_request_2, 3: _decode_describe_log_dirs_request_2, 4: _decode_describe_log_dirs_request_2}

def _encode_describe_log_dirs_request_1(m):
 out = []
 a0 = m.topics
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
 return [b''.join(out)]
def _encode_describe_log_dirs_request_2(m):
 out = []
 a0 = m.topics
 n0 = 0 if a0 is None else len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
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
 out.append(b'\x00')
 return [b''.join(out)]
DescribeLogDirsRequest.encoders = {1: _encode_describe_log_dirs_request_1, 2: _encode_describe_log_dirs_request_2, 3: _encode_describe_log_dirs_request_2, 4: _encode_describe_log_dirs_request_2}


class DescribeLogDirsPartition(Struct):
 __slots__ = ('partition_index', 'partition_size', 'offset_lag', 'is_future_key', )
 partition_index: int
 partition_size: int
 offset_lag: int
 is_future_key: bool
 def __init__(self, partition_index: int = 0, partition_size: int = 0, offset_lag: int = 0, is_future_key: bool = False) -> None:
  self.partition_index = partition_index
  self.partition_size = partition_size
  self.offset_lag = offset_lag
  self.is_future_key = is_future_key


class DescribeLogDirsTopic(Struct):
 __slots__ = ('name', 'partitions', )
 name: str
 partitions: list[DescribeLogDirsPartition]
 def __init__(self, name: str = '', partitions: list[DescribeLogDirsPartition] = FRESH) -> None:
  self.name = name
  self.partitions = [] if partitions is FRESH else partitions


class DescribeLogDirsResult(Struct):
 __slots__ = ('error_code', 'log_dir', 'topics', 'total_bytes', 'usable_bytes', )
 error_code: int
 log_dir: str
 topics: list[DescribeLogDirsTopic]
 total_bytes: int
 usable_bytes: int
 def __init__(self, error_code: int = 0, log_dir: str = '', topics: list[DescribeLogDirsTopic] = FRESH, total_bytes: int = -1, usable_bytes: int = -1) -> None:
  self.error_code = error_code
  self.log_dir = log_dir
  self.topics = [] if topics is FRESH else topics
  self.total_bytes = total_bytes
  self.usable_bytes = usable_bytes


class DescribeLogDirsResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'results', )
 api_key: ClassVar[int] = 35
 versions: ClassVar[range] = range(1, 5)
 first_flexible: ClassVar[int | None] = 2
 throttle_time_ms: int
 error_code: int
 results: list[DescribeLogDirsResult]
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, results: list[DescribeLogDirsResult] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.results = [] if results is FRESH else results

def _decode_describe_log_dirs_response_1(view, size):
 pos = 0
 o0 = new(DescribeLogDirsResponse)
 o0.error_code = 0
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('DescribeLogDirsResponse.results')
 if n0 * 8 > size - pos: raise beyond('DescribeLogDirsResponse.results')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribeLogDirsResult)
  o1.error_code, n1 = U_hh(view, pos)
  pos += 4
  if n1 < 0: raise null('DescribeLogDirsResult.log_dir')
  end = pos + n1
  if end > size: raise beyond('DescribeLogDirsResult.log_dir')
  o1.log_dir = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('DescribeLogDirsResult.topics')
  if n2 * 6 > size - pos: raise beyond('DescribeLogDirsResult.topics')
  a1 = []
  for _ in range(n2):
   o2 = new(DescribeLogDirsTopic)
   n3, = U_h(view, pos)
   pos += 2
   if n3 < 0: raise null('DescribeLogDirsTopic.name')
   end = pos + n3
   if end > size: raise beyond('DescribeLogDirsTopic.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
   n4, = U_i(view, pos)
   pos += 4
   if n4 < 0: raise null('DescribeLogDirsTopic.partitions')
   if n4 * 21 > size - pos: raise beyond('DescribeLogDirsTopic.partitions')
   a2 = []
   for _ in range(n4):
    o3 = new(DescribeLogDirsPartition)
    o3.partition_index, o3.partition_size, o3.offset_lag, o3.is_future_key = U_iqqt(view, pos)
    pos += 21
    a2.append(o3)
   o2.partitions = a2
   a1.append(o2)
  o1.topics = a1
  o1.total_bytes = -1
  o1.usable_bytes = -1
  a0.append(o1)
 o0.results = a0
 return o0, pos
def _decode_describe_log_dirs_response_2(view, size):
 pos = 0
 o0 = new(DescribeLogDirsResponse)
 o0.error_code = 0
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DescribeLogDirsResponse.results')
 n0 -= 1
 if n0 * 5 > size - pos: raise beyond('DescribeLogDirsResponse.results')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribeLogDirsResult)
  o1.error_code, n1 = U_hB(view, pos)
  pos += 3
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('DescribeLogDirsResult.log_dir')
  end = pos + n1 - 1
  if end > size: raise beyond('DescribeLogDirsResult.log_dir')
  o1.log_dir = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('DescribeLogDirsResult.topics')
  n2 -= 1
  if n2 * 3 > size - pos: raise beyond('DescribeLogDirsResult.topics')
  a1 = []
  for _ in range(n2):
   o2 = new(DescribeLogDirsTopic)
   n3 = view[pos]
   pos += 1
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: raise null('DescribeLogDirsTopic.name')
   end = pos + n3 - 1
   if end > size: raise beyond('DescribeLogDirsTopic.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
   n4 = view[pos]
   pos += 1
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: raise null('DescribeLogDirsTopic.partitions')
   n4 -= 1
   if n4 * 22 > size - pos: raise beyond('DescribeLogDirsTopic.partitions')
   a2 = []
   for _ in range(n4):
    o3 = new(DescribeLogDirsPartition)
    o3.partition_index, o3.partition_size, o3.offset_lag, o3.is_future_key, t0 = U_iqqtB(view, pos)
    pos += 22
    if t0:
     pos = skip_tags(view, pos, t0, size)
    a2.append(o3)
   o2.partitions = a2
   t1 = view[pos]
   pos += 1
   if t1:
    pos = skip_tags(view, pos, t1, size)
   a1.append(o2)
  o1.topics = a1
  o1.total_bytes = -1
  o1.usable_bytes = -1
  t2 = view[pos]
  pos += 1
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a0.append(o1)
 o0.results = a0
 t3 = view[pos]
 pos += 1
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
def _decode_describe_log_dirs_response_3(view, size):
 pos = 0
 o0 = new(DescribeLogDirsResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DescribeLogDirsResponse.results')
 n0 -= 1
 if n0 * 5 > size - pos: raise beyond('DescribeLogDirsResponse.results')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribeLogDirsResult)
  o1.error_code, n1 = U_hB(view, pos)
  pos += 3
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('DescribeLogDirsResult.log_dir')
  end = pos + n1 - 1
  if end > size: raise beyond('DescribeLogDirsResult.log_dir')
  o1.log_dir = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('DescribeLogDirsResult.topics')
  n2 -= 1
  if n2 * 3 > size - pos: raise beyond('DescribeLogDirsResult.topics')
  a1 = []
  for _ in range(n2):
   o2 = new(DescribeLogDirsTopic)
   n3 = view[pos]
   pos += 1
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: raise null('DescribeLogDirsTopic.name')
   end = pos + n3 - 1
   if end > size: raise beyond('DescribeLogDirsTopic.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
   n4 = view[pos]
   pos += 1
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: raise null('DescribeLogDirsTopic.partitions')
   n4 -= 1
   if n4 * 22 > size - pos: raise beyond('DescribeLogDirsTopic.partitions')
   a2 = []
   for _ in range(n4):
    o3 = new(DescribeLogDirsPartition)
    o3.partition_index, o3.partition_size, o3.offset_lag, o3.is_future_key, t0 = U_iqqtB(view, pos)
    pos += 22
    if t0:
     pos = skip_tags(view, pos, t0, size)
    a2.append(o3)
   o2.partitions = a2
   t1 = view[pos]
   pos += 1
   if t1:
    pos = skip_tags(view, pos, t1, size)
   a1.append(o2)
  o1.topics = a1
  o1.total_bytes = -1
  o1.usable_bytes = -1
  t2 = view[pos]
  pos += 1
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a0.append(o1)
 o0.results = a0
 t3 = view[pos]
 pos += 1
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
def _decode_describe_log_dirs_response_4(view, size):
 pos = 0
 o0 = new(DescribeLogDirsResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DescribeLogDirsResponse.results')
 n0 -= 1
 if n0 * 21 > size - pos: raise beyond('DescribeLogDirsResponse.results')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribeLogDirsResult)
  o1.error_code, n1 = U_hB(view, pos)
  pos += 3
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('DescribeLogDirsResult.log_dir')
  end = pos + n1 - 1
  if end > size: raise beyond('DescribeLogDirsResult.log_dir')
  o1.log_dir = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('DescribeLogDirsResult.topics')
  n2 -= 1
  if n2 * 3 > size - pos: raise beyond('DescribeLogDirsResult.topics')
  a1 = []
  for _ in range(n2):
   o2 = new(DescribeLogDirsTopic)
   n3 = view[pos]
   pos += 1
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: raise null('DescribeLogDirsTopic.name')
   end = pos + n3 - 1
   if end > size: raise beyond('DescribeLogDirsTopic.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
   n4 = view[pos]
   pos += 1
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: raise null('DescribeLogDirsTopic.partitions')
   n4 -= 1
   if n4 * 22 > size - pos: raise beyond('DescribeLogDirsTopic.partitions')
   a2 = []
   for _ in range(n4):
    o3 = new(DescribeLogDirsPartition)
    o3.partition_index, o3.partition_size, o3.offset_lag, o3.is_future_key, t0 = U_iqqtB(view, pos)
    pos += 22
    if t0:
     pos = skip_tags(view, pos, t0, size)
    a2.append(o3)
   o2.partitions = a2
   t1 = view[pos]
   pos += 1
   if t1:
    pos = skip_tags(view, pos, t1, size)
   a1.append(o2)
  o1.topics = a1
  o1.total_bytes, o1.usable_bytes, t2 = U_qqB(view, pos)
  pos += 17
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a0.append(o1)
 o0.results = a0
 t3 = view[pos]
 pos += 1
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
DescribeLogDirsResponse.decoders = {1: _decode_describe_log_dirs_response_1, 2: _decode_describe_log_dirs_response_2, 3: _decode_describe_log_dirs_response_3, 4: _decode_describe_log_dirs_response_4}

def _encode_describe_log_dirs_response_1(m):
 out = []
 a0 = m.results
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.log_dir.encode()
  n1 = len(b0)
  out.append(P_hh(m0.error_code, n1))
  out.append(b0)
  a1 = m0.topics
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   b1 = m1.name.encode()
   n3 = len(b1)
   out.append(P_h(n3))
   out.append(b1)
   a2 = m1.partitions
   n4 = len(a2)
   out.append(P_i(n4))
   for m2 in a2:
    out.append(P_iqqt(m2.partition_index, m2.partition_size, m2.offset_lag, m2.is_future_key))
 return [b''.join(out)]
def _encode_describe_log_dirs_response_2(m):
 out = []
 a0 = m.results
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.log_dir.encode()
  n1 = len(b0) + 1
  out.append(P_hB(m0.error_code, n1) if n1 < 128 else P_h(m0.error_code) + varint(n1))
  out.append(b0)
  a1 = m0.topics
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   b1 = m1.name.encode()
   n3 = len(b1) + 1
   out.append(U8[n3] if n3 < 128 else varint(n3))
   out.append(b1)
   a2 = m1.partitions
   n4 = len(a2) + 1
   out.append(U8[n4] if n4 < 128 else varint(n4))
   for m2 in a2:
    out.append(P_iqqtx(m2.partition_index, m2.partition_size, m2.offset_lag, m2.is_future_key))
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_describe_log_dirs_response_3(m):
 out = []
 a0 = m.results
 n0 = len(a0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 for m0 in a0:
  b0 = m0.log_dir.encode()
  n1 = len(b0) + 1
  out.append(P_hB(m0.error_code, n1) if n1 < 128 else P_h(m0.error_code) + varint(n1))
  out.append(b0)
  a1 = m0.topics
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   b1 = m1.name.encode()
   n3 = len(b1) + 1
   out.append(U8[n3] if n3 < 128 else varint(n3))
   out.append(b1)
   a2 = m1.partitions
   n4 = len(a2) + 1
   out.append(U8[n4] if n4 < 128 else varint(n4))
   for m2 in a2:
    out.append(P_iqqtx(m2.partition_index, m2.partition_size, m2.offset_lag, m2.is_future_key))
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_describe_log_dirs_response_4(m):
 out = []
 a0 = m.results
 n0 = len(a0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 for m0 in a0:
  b0 = m0.log_dir.encode()
  n1 = len(b0) + 1
  out.append(P_hB(m0.error_code, n1) if n1 < 128 else P_h(m0.error_code) + varint(n1))
  out.append(b0)
  a1 = m0.topics
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   b1 = m1.name.encode()
   n3 = len(b1) + 1
   out.append(U8[n3] if n3 < 128 else varint(n3))
   out.append(b1)
   a2 = m1.partitions
   n4 = len(a2) + 1
   out.append(U8[n4] if n4 < 128 else varint(n4))
   for m2 in a2:
    out.append(P_iqqtx(m2.partition_index, m2.partition_size, m2.offset_lag, m2.is_future_key))
   out.append(b'\x00')
  out.append(P_qqx(m0.total_bytes, m0.usable_bytes))
 out.append(b'\x00')
 return [b''.join(out)]
DescribeLogDirsResponse.encoders = {1: _encode_describe_log_dirs_response_1, 2: _encode_describe_log_dirs_response_2, 3: _encode_describe_log_dirs_response_3, 4: _encode_describe_log_dirs_response_4}
