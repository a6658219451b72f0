"""AlterReplicaLogDirs: request in versions 1 to 2 and response in versions 1 to 2.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, pack, skip_tags, unpack_from, varint, varint_rest

P_h = Packing('>h').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
P_ih = Packing('>ih').pack
P_ihx = Packing('>ihx').pack
P_ii = Packing('>ii').pack
U_h = Packing('>h').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ih = Packing('>ih').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_ii = Packing('>ii').unpack_from


class AlterReplicaLogDirTopic(Struct):
 __slots__ = ('name', 'partitions', )
 name: str
 partitions: list[int]
 def __init__(self, name: str = '', partitions: list[int] = FRESH) -> None:
  self.name = name
  self.partitions = [] if partitions is FRESH else partitions


class AlterReplicaLogDir(Struct):
 __slots__ = ('path', 'topics', )
 path: str
 topics: list[AlterReplicaLogDirTopic]
 def __init__(self, path: str = '', topics: list[AlterReplicaLogDirTopic] = FRESH) -> None:
  self.path = path
  self.topics = [] if topics is FRESH else topics


class AlterReplicaLogDirsRequest(Message):
 __slots__ = ('dirs', )
 api_key: ClassVar[int] = 34
 versions: ClassVar[range] = range(1, 3)
 first_flexible: ClassVar[int | None] = 2
 dirs: list[AlterReplicaLogDir]
 def __init__(self, dirs: list[AlterReplicaLogDir] = FRESH) -> None:
  self.dirs = [] if dirs is FRESH else dirs

def _decode_alter_replica_log_dirs_request_1(view, size):
 pos = 0
 o0 = new(AlterReplicaLogDirsRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('AlterReplicaLogDirsRequest.dirs')
 if n0 * 6 > size - pos: raise beyond('AlterReplicaLogDirsRequest.dirs')
 a0 = []
 for _ in range(n0):
  o1 = new(AlterReplicaLogDir)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('AlterReplicaLogDir.path')
  end = pos + n1
  if end > size: raise beyond('AlterReplicaLogDir.path')
  o1.path = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('AlterReplicaLogDir.topics')
  if n2 * 6 > size - pos: raise beyond('AlterReplicaLogDir.topics')
  a1 = []
  for _ in range(n2):
   o2 = new(AlterReplicaLogDirTopic)
   n3, = U_h(view, pos)
   pos += 2
   if n3 < 0: raise null('AlterReplicaLogDirTopic.name')
   end = pos + n3
   if end > size: raise beyond('AlterReplicaLogDirTopic.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
   n4, = U_i(view, pos)
   pos += 4
   if n4 < 0: raise null('AlterReplicaLogDirTopic.partitions')
   if n4 * 4 > size - pos: raise beyond('AlterReplicaLogDirTopic.partitions')
   o2.partitions = list(unpack_from(f'>{n4}i', view, pos))
   pos += n4 * 4
   a1.append(o2)
  o1.topics = a1
  a0.append(o1)
 o0.dirs = a0
 return o0, pos
def _decode_alter_replica_log_dirs_request_2(view, size):
 pos = 0
 o0 = new(AlterReplicaLogDirsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('AlterReplicaLogDirsRequest.dirs')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('AlterReplicaLogDirsRequest.dirs')
 a0 = []
 for _ in range(n0):
  o1 = new(AlterReplicaLogDir)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('AlterReplicaLogDir.path')
  end = pos + n1 - 1
  if end > size: raise beyond('AlterReplicaLogDir.path')
  o1.path = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('AlterReplicaLogDir.topics')
  n2 -= 1
  if n2 * 3 > size - pos: raise beyond('AlterReplicaLogDir.topics')
  a1 = []
  for _ in range(n2):
   o2 = new(AlterReplicaLogDirTopic)
   n3 = view[pos]
   pos += 1
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: raise null('AlterReplicaLogDirTopic.name')
   end = pos + n3 - 1
   if end > size: raise beyond('AlterReplicaLogDirTopic.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
   n4 = view[pos]
   pos += 1
   if n4 > 127:
    n4, pos = varint_rest(view, pos, n4)
   if not n4: raise null('AlterReplicaLogDirTopic.partitions')
   n4 -= 1
   if n4 * 4 > size - pos: raise beyond('AlterReplicaLogDirTopic.partitions')
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
 o0.dirs = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
AlterReplicaLogDirsRequest.decoders = {1: _decode_alter_replica_log_dirs_request_1, 2: _decode_alter_replica_log_dirs_request_2}

def _encode_alter_replica_log_dirs_request_1(m):
 out = []
 a0 = m.dirs
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.path.encode()
  n1 = len(b0)
  out.append(P_h(n1))
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
   if a2: out.append(pack(f'>{len(a2)}i', *a2))
 return [b''.join(out)]
def _encode_alter_replica_log_dirs_request_2(m):
 out = []
 a0 = m.dirs
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.path.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
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
   if a2: out.append(pack(f'>{len(a2)}i', *a2))
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
AlterReplicaLogDirsRequest.encoders = {1: _encode_alter_replica_log_dirs_request_1, 2: _encode_alter_replica_log_dirs_request_2}


class AlterReplicaLogDirPartitionResult(Struct):
 __slots__ = ('partition_index', 'error_code', )
 partition_index: int
 error_code: int
 def __init__(self, partition_index: int = 0, error_code: int = 0) -> None:
  self.partition_index = partition_index
  self.error_code = error_code


class AlterReplicaLogDirTopicResult(Struct):
 __slots__ = ('topic_name', 'partitions', )
 topic_name: str
 partitions: list[AlterReplicaLogDirPartitionResult]
 def __init__(self, topic_name: str = '', partitions: list[AlterReplicaLogDirPartitionResult] = FRESH) -> None:
  self.topic_name = topic_name
  self.partitions = [] if partitions is FRESH else partitions


class AlterReplicaLogDirsResponse(Message):
 __slots__ = ('throttle_time_ms', 'results', )
 api_key: ClassVar[int] = 34
 versions: ClassVar[range] = range(1, 3)
 first_flexible: ClassVar[int | None] = 2
 throttle_time_ms: int
 results: list[AlterReplicaLogDirTopicResult]
 def __init__(self, throttle_time_ms: int = 0, results: list[AlterReplicaLogDirTopicResult] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.results = [] if results is FRESH else results

def _decode_alter_replica_log_dirs_response_1(view, size):
 pos = 0
 o0 = new(AlterReplicaLogDirsResponse)
 o0.throttle_time_ms, n0 = U_ii(view, pos)
 pos += 8
 if n0 < 0: raise null('AlterReplicaLogDirsResponse.results')
 if n0 * 6 > size - pos: raise beyond('AlterReplicaLogDirsResponse.results')
 a0 = []
 for _ in range(n0):
  o1 = new(AlterReplicaLogDirTopicResult)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('AlterReplicaLogDirTopicResult.topic_name')
  end = pos + n1
  if end > size: raise beyond('AlterReplicaLogDirTopicResult.topic_name')
  o1.topic_name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('AlterReplicaLogDirTopicResult.partitions')
  if n2 * 6 > size - pos: raise beyond('AlterReplicaLogDirTopicResult.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(AlterReplicaLogDirPartitionResult)
   o2.partition_index, o2.error_code = U_ih(view, pos)
   pos += 6
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.results = a0
 return o0, pos
def _decode_alter_replica_log_dirs_response_2(view, size):
 pos = 0
 o0 = new(AlterReplicaLogDirsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('AlterReplicaLogDirsResponse.results')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('AlterReplicaLogDirsResponse.results')
 a0 = []
 for _ in range(n0):
  o1 = new(AlterReplicaLogDirTopicResult)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('AlterReplicaLogDirTopicResult.topic_name')
  end = pos + n1 - 1
  if end > size: raise beyond('AlterReplicaLogDirTopicResult.topic_name')
  o1.topic_name = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('AlterReplicaLogDirTopicResult.partitions')
  n2 -= 1
  if n2 * 7 > size - pos: raise beyond('AlterReplicaLogDirTopicResult.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(AlterReplicaLogDirPartitionResult)
   o2.partition_index, o2.error_code, t0 = U_ihB(view, pos)
   pos += 7
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.partitions = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.results = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
AlterReplicaLogDirsResponse.decoders = {1: _decode_alter_replica_log_dirs_response_1, 2: _decode_alter_replica_log_dirs_response_2}

def _encode_alter_replica_log_dirs_response_1(m):
 out = []
 a0 = m.results
 n0 = len(a0)
 out.append(P_ii(m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.topic_name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   out.append(P_ih(m1.partition_index, m1.error_code))
 return [b''.join(out)]
def _encode_alter_replica_log_dirs_response_2(m):
 out = []
 a0 = m.results
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.topic_name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  for m1 in a1:
   out.append(P_ihx(m1.partition_index, m1.error_code))
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
AlterReplicaLogDirsResponse.encoders = {1: _encode_alter_replica_log_dirs_response_1, 2: _encode_alter_replica_log_dirs_response_2}
