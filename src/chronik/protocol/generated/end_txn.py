"""EndTxn: request in versions 0 to 5 and response in versions 0 to 5.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import U8, Message, Packing, beyond, new, null, skip_tags, varint, varint_rest

P_h = Packing('>h').pack
P_ih = Packing('>ih').pack
P_ihqhx = Packing('>ihqhx').pack
P_ihx = Packing('>ihx').pack
P_qht = Packing('>qh?').pack
P_qhtx = Packing('>qh?x').pack
U_h = Packing('>h').unpack_from
U_ih = Packing('>ih').unpack_from
U_ihB = Packing('>ihB').unpack_from
U_ihqhB = Packing('>ihqhB').unpack_from
U_qht = Packing('>qh?').unpack_from
U_qhtB = Packing('>qh?B').unpack_from


class EndTxnRequest(Message):
 __slots__ = ('transactional_id', 'producer_id', 'producer_epoch', 'committed', )
 api_key: ClassVar[int] = 26
 versions: ClassVar[range] = range(0, 6)
 first_flexible: ClassVar[int | None] = 3
 transactional_id: str
 producer_id: int
 producer_epoch: int
 committed: bool
 def __init__(self, transactional_id: str = '', producer_id: int = 0, producer_epoch: int = 0, committed: bool = False) -> None:
  self.transactional_id = transactional_id
  self.producer_id = producer_id
  self.producer_epoch = producer_epoch
  self.committed = committed

def _decode_end_txn_request_0(view, size):
 pos = 0
 o0 = new(EndTxnRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: raise null('EndTxnRequest.transactional_id')
 end = pos + n0
 if end > size: raise beyond('EndTxnRequest.transactional_id')
 o0.transactional_id = view[pos:end].tobytes().decode()
 pos = end
 o0.producer_id, o0.producer_epoch, o0.committed = U_qht(view, pos)
 pos += 11
 return o0, pos
def _decode_end_txn_request_3(view, size):
 pos = 0
 o0 = new(EndTxnRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('EndTxnRequest.transactional_id')
 end = pos + n0 - 1
 if end > size: raise beyond('EndTxnRequest.transactional_id')
 o0.transactional_id = view[pos:end].tobytes().decode()
 pos = end
 o0.producer_id, o0.producer_epoch, o0.committed, t0 = U_qhtB(view, pos)
 pos += 12
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
EndTxnRequest.decoders = {0: _decode_end_txn_request_0, 1: _decode_end_txn_request_0, 2: _decode_end_txn_request_0, 3: _decode_end_txn_request_3, 4: _decode_end_txn_request_3, 5: _decode_end_txn_request_3}

def _encode_end_txn_request_0(m):
 out = []
 b0 = m.transactional_id.encode()
 n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 out.append(P_qht(m.producer_id, m.producer_epoch, m.committed))
 return [b''.join(out)]
def _encode_end_txn_request_3(m):
 out = []
 b0 = m.transactional_id.encode()
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 out.append(P_qhtx(m.producer_id, m.producer_epoch, m.committed))
 return [b''.join(out)]
EndTxnRequest.encoders = {0: _encode_end_txn_request_0, 1: _encode_end_txn_request_0, 2: _encode_end_txn_request_0, 3: _encode_end_txn_request_3, 4: _encode_end_txn_request_3, 5: _encode_end_txn_request_3}


class EndTxnResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'producer_id', 'producer_epoch', )
 api_key: ClassVar[int] = 26
 versions: ClassVar[range] = range(0, 6)
 first_flexible: ClassVar[int | None] = 3
 throttle_time_ms: int
 error_code: int
 producer_id: int
 producer_epoch: int
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, producer_id: int = -1, producer_epoch: int = -1) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.producer_id = producer_id
  self.producer_epoch = producer_epoch

def _decode_end_txn_response_0(view, size):
 pos = 0
 o0 = new(EndTxnResponse)
 o0.producer_id = -1
 o0.producer_epoch = -1
 o0.throttle_time_ms, o0.error_code = U_ih(view, pos)
 pos += 6
 return o0, pos
def _decode_end_txn_response_3(view, size):
 pos = 0
 o0 = new(EndTxnResponse)
 o0.producer_id = -1
 o0.producer_epoch = -1
 o0.throttle_time_ms, o0.error_code, t0 = U_ihB(view, pos)
 pos += 7
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
def _decode_end_txn_response_5(view, size):
 pos = 0
 o0 = new(EndTxnResponse)
 o0.throttle_time_ms, o0.error_code, o0.producer_id, o0.producer_epoch, t0 = U_ihqhB(view, pos)
 pos += 17
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
EndTxnResponse.decoders = {0: _decode_end_txn_response_0, 1: _decode_end_txn_response_0, 2: _decode_end_txn_response_0, 3: _decode_end_txn_response_3, 4: _decode_end_txn_response_3, 5: _decode_end_txn_response_5}

def _encode_end_txn_response_0(m):
 out = []
 out.append(P_ih(m.throttle_time_ms, m.error_code))
 return [b''.join(out)]
def _encode_end_txn_response_3(m):
 out = []
 out.append(P_ihx(m.throttle_time_ms, m.error_code))
 return [b''.join(out)]
def _encode_end_txn_response_5(m):
 out = []
 out.append(P_ihqhx(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch))
 return [b''.join(out)]
EndTxnResponse.encoders = {0: _encode_end_txn_response_0, 1: _encode_end_txn_response_0, 2: _encode_end_txn_response_0, 3: _encode_end_txn_response_3, 4: _encode_end_txn_response_3, 5: _encode_end_txn_response_5}
