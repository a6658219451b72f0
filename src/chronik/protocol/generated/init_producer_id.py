"""InitProducerId: request in versions 0 to 5 and response in versions 0 to 5.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import U8, Message, Packing, beyond, new, skip_tags, unsupported, varint, varint_rest

P_h = Packing('>h').pack
P_i = Packing('>i').pack
P_ihqh = Packing('>ihqh').pack
P_ihqhx = Packing('>ihqhx').pack
P_iqhx = Packing('>iqhx').pack
P_ix = Packing('>ix').pack
U_h = Packing('>h').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_ihqh = Packing('>ihqh').unpack_from
U_ihqhB = Packing('>ihqhB').unpack_from
U_iqhB = Packing('>iqhB').unpack_from


class InitProducerIdRequest(Message):
 __slots__ = ('transactional_id', 'transaction_timeout_ms', 'producer_id', 'producer_epoch', 'enable2_pc', 'keep_prepared_txn', )
 api_key: ClassVar[int] = 22
 versions: ClassVar[range] = range(0, 6)
 first_flexible: ClassVar[int | None] = 2
 transactional_id: str | None
 transaction_timeout_ms: int
 producer_id: int
 producer_epoch: int
 enable2_pc: bool
 keep_prepared_txn: bool
 def __init__(self, transactional_id: str | None = '', transaction_timeout_ms: int = 0, producer_id: int = -1, producer_epoch: int = -1, enable2_pc: bool = False, keep_prepared_txn: bool = False) -> None:
  self.transactional_id = transactional_id
  self.transaction_timeout_ms = transaction_timeout_ms
  self.producer_id = producer_id
  self.producer_epoch = producer_epoch
  self.enable2_pc = enable2_pc
  self.keep_prepared_txn = keep_prepared_txn

def _decode_init_producer_id_request_0(view, size):
 pos = 0
 o0 = new(InitProducerIdRequest)
 n0, = U_h(view, pos)
 pos += 2
 if n0 < 0: o0.transactional_id = None
 else:
  end = pos + n0
  if end > size: raise beyond('InitProducerIdRequest.transactional_id')
  o0.transactional_id = view[pos:end].tobytes().decode()
  pos = end
 o0.producer_id = -1
 o0.producer_epoch = -1
 o0.enable2_pc = False
 o0.keep_prepared_txn = False
 o0.transaction_timeout_ms, = U_i(view, pos)
 pos += 4
 return o0, pos
def _decode_init_producer_id_request_2(view, size):
 pos = 0
 o0 = new(InitProducerIdRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.transactional_id = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('InitProducerIdRequest.transactional_id')
  o0.transactional_id = view[pos:end].tobytes().decode()
  pos = end
 o0.producer_id = -1
 o0.producer_epoch = -1
 o0.enable2_pc = False
 o0.keep_prepared_txn = False
 o0.transaction_timeout_ms, t0 = U_iB(view, pos)
 pos += 5
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
def _decode_init_producer_id_request_3(view, size):
 pos = 0
 o0 = new(InitProducerIdRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.transactional_id = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('InitProducerIdRequest.transactional_id')
  o0.transactional_id = view[pos:end].tobytes().decode()
  pos = end
 o0.enable2_pc = False
 o0.keep_prepared_txn = False
 o0.transaction_timeout_ms, o0.producer_id, o0.producer_epoch, t0 = U_iqhB(view, pos)
 pos += 15
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
InitProducerIdRequest.decoders = {0: _decode_init_producer_id_request_0, 1: _decode_init_producer_id_request_0, 2: _decode_init_producer_id_request_2, 3: _decode_init_producer_id_request_3, 4: _decode_init_producer_id_request_3, 5: _decode_init_producer_id_request_3}

def _encode_init_producer_id_request_0(m):
 out = []
 b0 = m.transactional_id
 if b0 is None:
  b0 = b''; n0 = -1
 else:
  b0 = b0.encode()
  n0 = len(b0)
 out.append(P_h(n0))
 out.append(b0)
 if m.producer_id != -1: raise unsupported('InitProducerIdRequest.producer_id')
 if m.producer_epoch != -1: raise unsupported('InitProducerIdRequest.producer_epoch')
 if m.enable2_pc: raise unsupported('InitProducerIdRequest.enable2_pc')
 if m.keep_prepared_txn: raise unsupported('InitProducerIdRequest.keep_prepared_txn')
 out.append(P_i(m.transaction_timeout_ms))
 return [b''.join(out)]
def _encode_init_producer_id_request_2(m):
 out = []
 b0 = m.transactional_id
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 if m.producer_id != -1: raise unsupported('InitProducerIdRequest.producer_id')
 if m.producer_epoch != -1: raise unsupported('InitProducerIdRequest.producer_epoch')
 if m.enable2_pc: raise unsupported('InitProducerIdRequest.enable2_pc')
 if m.keep_prepared_txn: raise unsupported('InitProducerIdRequest.keep_prepared_txn')
 out.append(P_ix(m.transaction_timeout_ms))
 return [b''.join(out)]
def _encode_init_producer_id_request_3(m):
 out = []
 b0 = m.transactional_id
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 if m.enable2_pc: raise unsupported('InitProducerIdRequest.enable2_pc')
 if m.keep_prepared_txn: raise unsupported('InitProducerIdRequest.keep_prepared_txn')
 out.append(P_iqhx(m.transaction_timeout_ms, m.producer_id, m.producer_epoch))
 return [b''.join(out)]
InitProducerIdRequest.encoders = {0: _encode_init_producer_id_request_0, 1: _encode_init_producer_id_request_0, 2: _encode_init_producer_id_request_2, 3: _encode_init_producer_id_request_3, 4: _encode_init_producer_id_request_3, 5: _encode_init_producer_id_request_3}


class InitProducerIdResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'producer_id', 'producer_epoch', 'ongoing_txn_producer_id', 'ongoing_txn_producer_epoch', )
 api_key: ClassVar[int] = 22
 versions: ClassVar[range] = range(0, 6)
 first_flexible: ClassVar[int | None] = 2
 throttle_time_ms: int
 error_code: int
 producer_id: int
 producer_epoch: int
 ongoing_txn_producer_id: int
 ongoing_txn_producer_epoch: int
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, producer_id: int = -1, producer_epoch: int = 0, ongoing_txn_producer_id: int = -1, ongoing_txn_producer_epoch: int = -1) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.producer_id = producer_id
  self.producer_epoch = producer_epoch
  self.ongoing_txn_producer_id = ongoing_txn_producer_id
  self.ongoing_txn_producer_epoch = ongoing_txn_producer_epoch

def _decode_init_producer_id_response_0(view, size):
 pos = 0
 o0 = new(InitProducerIdResponse)
 o0.ongoing_txn_producer_id = -1
 o0.ongoing_txn_producer_epoch = -1
 o0.throttle_time_ms, o0.error_code, o0.producer_id, o0.producer_epoch = U_ihqh(view, pos)
 pos += 16
 return o0, pos
def _decode_init_producer_id_response_2(view, size):
 pos = 0
 o0 = new(InitProducerIdResponse)
 o0.ongoing_txn_producer_id = -1
 o0.ongoing_txn_producer_epoch = -1
 o0.throttle_time_ms, o0.error_code, o0.producer_id, o0.producer_epoch, t0 = U_ihqhB(view, pos)
 pos += 17
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
InitProducerIdResponse.decoders = {0: _decode_init_producer_id_response_0, 1: _decode_init_producer_id_response_0, 2: _decode_init_producer_id_response_2, 3: _decode_init_producer_id_response_2, 4: _decode_init_producer_id_response_2, 5: _decode_init_producer_id_response_2}

def _encode_init_producer_id_response_0(m):
 out = []
 if m.ongoing_txn_producer_id != -1: raise unsupported('InitProducerIdResponse.ongoing_txn_producer_id')
 if m.ongoing_txn_producer_epoch != -1: raise unsupported('InitProducerIdResponse.ongoing_txn_producer_epoch')
 out.append(P_ihqh(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch))
 return [b''.join(out)]
def _encode_init_producer_id_response_2(m):
 out = []
 if m.ongoing_txn_producer_id != -1: raise unsupported('InitProducerIdResponse.ongoing_txn_producer_id')
 if m.ongoing_txn_producer_epoch != -1: raise unsupported('InitProducerIdResponse.ongoing_txn_producer_epoch')
 out.append(P_ihqhx(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch))
 return [b''.join(out)]
InitProducerIdResponse.encoders = {0: _encode_init_producer_id_response_0, 1: _encode_init_producer_id_response_0, 2: _encode_init_producer_id_response_2, 3: _encode_init_producer_id_response_2, 4: _encode_init_producer_id_response_2, 5: _encode_init_producer_id_response_2}
