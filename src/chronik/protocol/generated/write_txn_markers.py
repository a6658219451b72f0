"""WriteTxnMarkers: request in versions 1 to 1 and response in versions 1 to 1.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, pack, skip_tags, unpack_from, varint, varint_rest

P_ihx = Packing('>ihx').pack
P_ix = Packing('>ix').pack
P_q = Packing('>q').pack
P_qB = Packing('>qB').pack
P_qht = Packing('>qh?').pack
P_qhtB = Packing('>qh?B').pack
U_iB = Packing('>iB').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_qB = Packing('>qB').unpack_from
U_qhtB = Packing('>qh?B').unpack_from


class WritableTxnMarkerTopic(Struct):
 __slots__ = ('name', 'partition_indexes', )
 name: str
 partition_indexes: list[int]
 def __init__(self, name: str = '', partition_indexes: list[int] = FRESH) -> None:
  self.name = name
  self.partition_indexes = [] if partition_indexes is FRESH else partition_indexes


class WritableTxnMarker(Struct):
 __slots__ = ('producer_id', 'producer_epoch', 'transaction_result', 'topics', 'coordinator_epoch', )
 producer_id: int
 producer_epoch: int
 transaction_result: bool
 topics: list[WritableTxnMarkerTopic]
 coordinator_epoch: int
 def __init__(self, producer_id: int = 0, producer_epoch: int = 0, transaction_result: bool = False, topics: list[WritableTxnMarkerTopic] = FRESH, coordinator_epoch: int = 0) -> None:
  self.producer_id = producer_id
  self.producer_epoch = producer_epoch
  self.transaction_result = transaction_result
  self.topics = [] if topics is FRESH else topics
  self.coordinator_epoch = coordinator_epoch


class WriteTxnMarkersRequest(Message):
 __slots__ = ('markers', )
 api_key: ClassVar[int] = 27
 versions: ClassVar[range] = range(1, 2)
 first_flexible: ClassVar[int | None] = 1
 markers: list[WritableTxnMarker]
 def __init__(self, markers: list[WritableTxnMarker] = FRESH) -> None:
  self.markers = [] if markers is FRESH else markers

def _decode_write_txn_markers_request_1(view, size):
 pos = 0
 o0 = new(WriteTxnMarkersRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('WriteTxnMarkersRequest.markers')
 n0 -= 1
 if n0 * 17 > size - pos: raise beyond('WriteTxnMarkersRequest.markers')
 a0 = []
 for _ in range(n0):
  o1 = new(WritableTxnMarker)
  o1.producer_id, o1.producer_epoch, o1.transaction_result, n1 = U_qhtB(view, pos)
  pos += 12
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('WritableTxnMarker.topics')
  n1 -= 1
  if n1 * 3 > size - pos: raise beyond('WritableTxnMarker.topics')
  a1 = []
  for _ in range(n1):
   o2 = new(WritableTxnMarkerTopic)
   n2 = view[pos]
   pos += 1
   if n2 > 127:
    n2, pos = varint_rest(view, pos, n2)
   if not n2: raise null('WritableTxnMarkerTopic.name')
   end = pos + n2 - 1
   if end > size: raise beyond('WritableTxnMarkerTopic.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
   n3 = view[pos]
   pos += 1
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: raise null('WritableTxnMarkerTopic.partition_indexes')
   n3 -= 1
   if n3 * 4 > size - pos: raise beyond('WritableTxnMarkerTopic.partition_indexes')
   o2.partition_indexes = list(unpack_from(f'>{n3}i', view, pos))
   pos += n3 * 4
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.topics = a1
  o1.coordinator_epoch, t1 = U_iB(view, pos)
  pos += 5
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.markers = a0
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
WriteTxnMarkersRequest.decoders = {1: _decode_write_txn_markers_request_1}

def _encode_write_txn_markers_request_1(m):
 out = []
 a0 = m.markers
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  a1 = m0.topics
  n1 = len(a1) + 1
  out.append(P_qhtB(m0.producer_id, m0.producer_epoch, m0.transaction_result, n1) if n1 < 128 else P_qht(m0.producer_id, m0.producer_epoch, m0.transaction_result) + varint(n1))
  for m1 in a1:
   b0 = m1.name.encode()
   n2 = len(b0) + 1
   out.append(U8[n2] if n2 < 128 else varint(n2))
   out.append(b0)
   a2 = m1.partition_indexes
   n3 = len(a2) + 1
   out.append(U8[n3] if n3 < 128 else varint(n3))
   if a2: out.append(pack(f'>{len(a2)}i', *a2))
   out.append(b'\x00')
  out.append(P_ix(m0.coordinator_epoch))
 out.append(b'\x00')
 return [b''.join(out)]
WriteTxnMarkersRequest.encoders = {1: _encode_write_txn_markers_request_1}


class WritableTxnMarkerPartitionResult(Struct):
 __slots__ = ('partition_index', 'error_code', )
 partition_index: int
 error_code: int
 def __init__(self, partition_index: int = 0, error_code: int = 0) -> None:
  self.partition_index = partition_index
  self.error_code = error_code


class WritableTxnMarkerTopicResult(Struct):
 __slots__ = ('name', 'partitions', )
 name: str
 partitions: list[WritableTxnMarkerPartitionResult]
 def __init__(self, name: str = '', partitions: list[WritableTxnMarkerPartitionResult] = FRESH) -> None:
  self.name = name
  self.partitions = [] if partitions is FRESH else partitions


class WritableTxnMarkerResult(Struct):
 __slots__ = ('producer_id', 'topics', )
 producer_id: int
 topics: list[WritableTxnMarkerTopicResult]
 def __init__(self, producer_id: int = 0, topics: list[WritableTxnMarkerTopicResult] = FRESH) -> None:
  self.producer_id = producer_id
  self.topics = [] if topics is FRESH else topics


class WriteTxnMarkersResponse(Message):
 __slots__ = ('markers', )
 api_key: ClassVar[int] = 27
 versions: ClassVar[range] = range(1, 2)
 first_flexible: ClassVar[int | None] = 1
 markers: list[WritableTxnMarkerResult]
 def __init__(self, markers: list[WritableTxnMarkerResult] = FRESH) -> None:
  self.markers = [] if markers is FRESH else markers

def _decode_write_txn_markers_response_1(view, size):
 pos = 0
 o0 = new(WriteTxnMarkersResponse)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('WriteTxnMarkersResponse.markers')
 n0 -= 1
 if n0 * 10 > size - pos: raise beyond('WriteTxnMarkersResponse.markers')
 a0 = []
 for _ in range(n0):
  o1 = new(WritableTxnMarkerResult)
  o1.producer_id, n1 = U_qB(view, pos)
  pos += 9
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('WritableTxnMarkerResult.topics')
  n1 -= 1
  if n1 * 3 > size - pos: raise beyond('WritableTxnMarkerResult.topics')
  a1 = []
  for _ in range(n1):
   o2 = new(WritableTxnMarkerTopicResult)
   n2 = view[pos]
   pos += 1
   if n2 > 127:
    n2, pos = varint_rest(view, pos, n2)
   if not n2: raise null('WritableTxnMarkerTopicResult.name')
   end = pos + n2 - 1
   if end > size: raise beyond('WritableTxnMarkerTopicResult.name')
   o2.name = view[pos:end].tobytes().decode()
   pos = end
   n3 = view[pos]
   pos += 1
   if n3 > 127:
    n3, pos = varint_rest(view, pos, n3)
   if not n3: raise null('WritableTxnMarkerTopicResult.partitions')
   n3 -= 1
   if n3 * 7 > size - pos: raise beyond('WritableTxnMarkerTopicResult.partitions')
   a2 = []
   for _ in range(n3):
    o3 = new(WritableTxnMarkerPartitionResult)
    o3.partition_index, o3.error_code, t0 = U_ihB(view, pos)
    pos += 7
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
  t2 = view[pos]
  pos += 1
  if t2:
   pos = skip_tags(view, pos, t2, size)
  a0.append(o1)
 o0.markers = a0
 t3 = view[pos]
 pos += 1
 if t3:
  pos = skip_tags(view, pos, t3, size)
 return o0, pos
WriteTxnMarkersResponse.decoders = {1: _decode_write_txn_markers_response_1}

def _encode_write_txn_markers_response_1(m):
 out = []
 a0 = m.markers
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  a1 = m0.topics
  n1 = len(a1) + 1
  out.append(P_qB(m0.producer_id, n1) if n1 < 128 else P_q(m0.producer_id) + varint(n1))
  for m1 in a1:
   b0 = m1.name.encode()
   n2 = len(b0) + 1
   out.append(U8[n2] if n2 < 128 else varint(n2))
   out.append(b0)
   a2 = m1.partitions
   n3 = len(a2) + 1
   out.append(U8[n3] if n3 < 128 else varint(n3))
   for m2 in a2:
    out.append(P_ihx(m2.partition_index, m2.error_code))
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
WriteTxnMarkersResponse.encoders = {1: _encode_write_txn_markers_response_1}
