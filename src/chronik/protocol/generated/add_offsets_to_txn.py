"""AddOffsetsToTxn: request in versions 0 to 4 and response in versions 0 to 4.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import U8, Message, Packing, beyond, new, null, skip_tags, varint, varint_rest

P_h = Packing('>h').pack
P_ih = Packing('>ih').pack
P_ihx = Packing('>ihx').pack
P_qh = Packing('>qh').pack
P_qhB = Packing('>qhB').pack
P_qhh = Packing('>qhh').pack
U_h = Packing('>h').unpack_from
U_ih = Packing('>ih').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_qhB = Packing('>qhB').unpack_from
U_qhh = Packing('>qhh').unpack_from


class AddOffsetsToTxnRequest(Message):
 __slots__ = ('transactional_id', 'producer_id', 'producer_epoch', 'group_id', )
 api_key: ClassVar[int] = 25
 versions: ClassVar[range] = range(0, 5)
 first_flexible: ClassVar[int | None] = 3
 transactional_id: str
 producer_id: int
 producer_epoch: int
 group_id: str
 def __init__(self, transactional_id: str = '', producer_id: int = 0, producer_epoch: int = 0, group_id: str = '') -> None:
  self.transactional_id = transactional_id
  self.producer_id = producer_id
  self.producer_epoch = producer_epoch
  self.group_id = group_id

def _decode_add_offsets_to_txn_request_0(view, size):
 pos = 0
 o0 = new(AddOffsetsToTxnRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('AddOffsetsToTxnRequest.transactional_id')
 end = pos + n0
 if end > size: raise beyond('AddOffsetsToTxnRequest.transactional_id')
 o0.transactional_id = view[pos:end].tobytes().decode()
 pos = end
 o0.producer_id, o0.producer_epoch, n1 = U_qhh(view, pos)
 pos += 12
 if n1 < 0: raise null('AddOffsetsToTxnRequest.group_id')
 end = pos + n1
 if end > size: raise beyond('AddOffsetsToTxnRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 return o0, pos
def _decode_add_offsets_to_txn_request_3(view, size):
 pos = 0
 o0 = new(AddOffsetsToTxnRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('AddOffsetsToTxnRequest.transactional_id')
 end = pos + n0 - 1
 if end > size: raise beyond('AddOffsetsToTxnRequest.transactional_id')
 o0.transactional_id = view[pos:end].tobytes().decode()
 pos = end
 o0.producer_id, o0.producer_epoch, n1 = U_qhB(view, pos)
 pos += 11
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('AddOffsetsToTxnRequest.group_id')
 end = pos + n1 - 1
 if end > size: raise beyond('AddOffsetsToTxnRequest.group_id')
 o0.group_id = view[pos:end].tobytes().decode()
 pos = end
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
AddOffsetsToTxnRequest.decoders = {0: _decode_add_offsets_to_txn_request_0, 1: _decode_add_offsets_to_txn_request_0, 2: _decode_add_offsets_to_txn_request_0, 3: _decode_add_offsets_to_txn_request_3, 4: _decode_add_offsets_to_txn_request_3}

def _encode_add_offsets_to_txn_request_0(m):
 out = []
 b0 = m.transactional_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 b1 = m.group_id.encode()
 n1 = len(b1)
 out.append(P_qhh(m.producer_id, m.producer_epoch, n1))
 out.append(b1)
 return [b''.join(out)]
def _encode_add_offsets_to_txn_request_3(m):
 out = []
 b0 = m.transactional_id.encode()
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 b1 = m.group_id.encode()
 n1 = len(b1) + 1
 out.append(P_qhB(m.producer_id, m.producer_epoch, n1) if n1 < 128 else P_qh(m.producer_id, m.producer_epoch) + varint(n1))
 out.append(b1)
 out.append(b'\x00')
 return [b''.join(out)]
AddOffsetsToTxnRequest.encoders = {0: _encode_add_offsets_to_txn_request_0, 1: _encode_add_offsets_to_txn_request_0, 2: _encode_add_offsets_to_txn_request_0, 3: _encode_add_offsets_to_txn_request_3, 4: _encode_add_offsets_to_txn_request_3}


class AddOffsetsToTxnResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', )
 api_key: ClassVar[int] = 25
 versions: ClassVar[range] = range(0, 5)
 first_flexible: ClassVar[int | None] = 3
 throttle_time_ms: int
 error_code: int
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code

def _decode_add_offsets_to_txn_response_0(view, size):
 pos = 0
 o0 = new(AddOffsetsToTxnResponse)
 o0.throttle_time_ms, o0.error_code = U_ih(view, pos)
 pos += 6
 return o0, pos
def _decode_add_offsets_to_txn_response_3(view, size):
 pos = 0
 o0 = new(AddOffsetsToTxnResponse)
 o0.throttle_time_ms, o0.error_code, t0 = U_ihB(view, pos)
 pos += 7
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
AddOffsetsToTxnResponse.decoders = {0: _decode_add_offsets_to_txn_response_0, 1: _decode_add_offsets_to_txn_response_0, 2: _decode_add_offsets_to_txn_response_0, 3: _decode_add_offsets_to_txn_response_3, 4: _decode_add_offsets_to_txn_response_3}

def _encode_add_offsets_to_txn_response_0(m):
 out = []
 out.append(P_ih(m.throttle_time_ms, m.error_code))
 return [b''.join(out)]
def _encode_add_offsets_to_txn_response_3(m):
 out = []
 out.append(P_ihx(m.throttle_time_ms, m.error_code))
 return [b''.join(out)]
AddOffsetsToTxnResponse.encoders = {0: _encode_add_offsets_to_txn_response_0, 1: _encode_add_offsets_to_txn_response_0, 2: _encode_add_offsets_to_txn_response_0, 3: _encode_add_offsets_to_txn_response_3, 4: _encode_add_offsets_to_txn_response_3}
