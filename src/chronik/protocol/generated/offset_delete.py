"""OffsetDelete: request in versions 0 to 0 and response in versions 0 to 0.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, Message, Packing, Struct, beyond, new, null

P_h = Packing('>h').pack
P_hii = Packing('>hii').pack
P_i = Packing('>i').pack
P_ih = Packing('>ih').pack
U_h = Packing('>h').unpack_from
U_hii = Packing('>hii').unpack_from
U_i = Packing('>i').unpack_from
U_ih = Packing('>ih').unpack_from


class OffsetDeleteRequestPartition(Struct):
 __slots__ = ('partition_index', )
 partition_index: int
 def __init__(self, partition_index: int = 0) -> None:
  self.partition_index = partition_index


class OffsetDeleteRequestTopic(Struct):
 __slots__ = ('name', 'partitions', )
 name: str
 partitions: list[OffsetDeleteRequestPartition]
 def __init__(self, name: str = '', partitions: list[OffsetDeleteRequestPartition] = FRESH) -> None:
  self.name = name
  self.partitions = [] if partitions is FRESH else partitions


class OffsetDeleteRequest(Message):
 __slots__ = ('group_id', 'topics', )
 api_key: ClassVar[int] = 47
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = None
 group_id: str
 topics: list[OffsetDeleteRequestTopic]
 def __init__(self, group_id: str = '', topics: list[OffsetDeleteRequestTopic] = FRESH) -> None:
  self.group_id = group_id
  self.topics = [] if topics is FRESH else topics

def _decode_offset_delete_request_0(view, size):
 pos = 0
 o0 = new(OffsetDeleteRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('OffsetDeleteRequest.group_id')
 end = pos + n0
 if end > size: raise beyond('OffsetDeleteRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 n1, = U_i(view, pos)
 pos += 4
 if n1 < 0: raise null('OffsetDeleteRequest.topics')
 if n1 * 6 > size - pos: raise beyond('OffsetDeleteRequest.topics')
 a0 = []
 for _ in range(n1):
  o1 = new(OffsetDeleteRequestTopic)
  n2, = U_h(view, pos)
  pos += 2
  if n2 < 0: raise null('OffsetDeleteRequestTopic.name')
  end = pos + n2
  if end > size: raise beyond('OffsetDeleteRequestTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n3, = U_i(view, pos)
  pos += 4
  if n3 < 0: raise null('OffsetDeleteRequestTopic.partitions')
  if n3 * 4 > size - pos: raise beyond('OffsetDeleteRequestTopic.partitions')
  a1 = []
  for _ in range(n3):
   o2 = new(OffsetDeleteRequestPartition)
   o2.partition_index, = U_i(view, pos)
   pos += 4
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
OffsetDeleteRequest.decoders = {0: _decode_offset_delete_request_0}

def _encode_offset_delete_request_0(m):
 out = []
 b0 = m.group_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 a0 = m.topics
 n1 = len(a0)
 out.append(P_i(n1))
 for m0 in a0:
  b1 = m0.name.encode()
  n2 = len(b1)
  out.append(P_h(n2))
  out.append(b1)
  a1 = m0.partitions
  n3 = len(a1)
  out.append(P_i(n3))
  for m1 in a1:
   out.append(P_i(m1.partition_index))
 return [b''.join(out)]
OffsetDeleteRequest.encoders = {0: _encode_offset_delete_request_0}


class OffsetDeleteResponsePartition(Struct):
 __slots__ = ('partition_index', 'error_code', )
 partition_index: int
 error_code: int
 def __init__(self, partition_index: int = 0, error_code: int = 0) -> None:
  self.partition_index = partition_index
  self.error_code = error_code


class OffsetDeleteResponseTopic(Struct):
 __slots__ = ('name', 'partitions', )
 name: str
 partitions: list[OffsetDeleteResponsePartition]
 def __init__(self, name: str = '', partitions: list[OffsetDeleteResponsePartition] = FRESH) -> None:
  self.name = name
  self.partitions = [] if partitions is FRESH else partitions


class OffsetDeleteResponse(Message):
 __slots__ = ('error_code', 'throttle_time_ms', 'topics', )
 api_key: ClassVar[int] = 47
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = None
 error_code: int
 throttle_time_ms: int
 topics: list[OffsetDeleteResponseTopic]
 def __init__(self, error_code: int = 0, throttle_time_ms: int = 0, topics: list[OffsetDeleteResponseTopic] = FRESH) -> None:
  self.error_code = error_code
  self.throttle_time_ms = throttle_time_ms
  self.topics = [] if topics is FRESH else topics

def _decode_offset_delete_response_0(view, size):
 pos = 0
 o0 = new(OffsetDeleteResponse)
 o0.error_code, o0.throttle_time_ms, n0 = U_hii(view, pos)
 pos += 10
 if n0 < 0: raise null('OffsetDeleteResponse.topics')
 if n0 * 6 > size - pos: raise beyond('OffsetDeleteResponse.topics')
 a0 = []
 for _ in range(n0):
  o1 = new(OffsetDeleteResponseTopic)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('OffsetDeleteResponseTopic.name')
  end = pos + n1
  if end > size: raise beyond('OffsetDeleteResponseTopic.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_i(view, pos)
  pos += 4
  if n2 < 0: raise null('OffsetDeleteResponseTopic.partitions')
  if n2 * 6 > size - pos: raise beyond('OffsetDeleteResponseTopic.partitions')
  a1 = []
  for _ in range(n2):
   o2 = new(OffsetDeleteResponsePartition)
   o2.partition_index, o2.error_code = U_ih(view, pos)
   pos += 6
   a1.append(o2)
  o1.partitions = a1
  a0.append(o1)
 o0.topics = a0
 return o0, pos
OffsetDeleteResponse.decoders = {0: _decode_offset_delete_response_0}

def _encode_offset_delete_response_0(m):
 out = []
 a0 = m.topics
 n0 = len(a0)
 out.append(P_hii(m.error_code, m.throttle_time_ms, n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  a1 = m0.partitions
  n2 = len(a1)
  out.append(P_i(n2))
  for m1 in a1:
   out.append(P_ih(m1.partition_index, m1.error_code))
 return [b''.join(out)]
OffsetDeleteResponse.encoders = {0: _encode_offset_delete_response_0}
