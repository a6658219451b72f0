"""ListTransactions: request in versions 0 to 2 and response in versions 0 to 2.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, pack, skip_tags, unpack_from, unsupported, varint, varint_rest

P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
P_q = Packing('>q').pack
P_qB = Packing('>qB').pack
P_qx = Packing('>qx').pack
U_ihB = Packing('>ihB').unpack_from
U_qB = Packing('>qB').unpack_from


class ListTransactionsRequest(Message):
 __slots__ = ('state_filters', 'producer_id_filters', 'duration_filter', 'transactional_id_pattern', )
 api_key: ClassVar[int] = 66
 versions: ClassVar[range] = range(0, 3)
 first_flexible: ClassVar[int | None] = 0
 state_filters: list[str]
 producer_id_filters: list[int]
 duration_filter: int
 transactional_id_pattern: str | None
 def __init__(self, state_filters: list[str] = FRESH, producer_id_filters: list[int] = FRESH, duration_filter: int = -1, transactional_id_pattern: str | None = None) -> None:
  self.state_filters = [] if state_filters is FRESH else state_filters
  self.producer_id_filters = [] if producer_id_filters is FRESH else producer_id_filters
  self.duration_filter = duration_filter
  self.transactional_id_pattern = transactional_id_pattern

def _decode_list_transactions_request_0(view, size):
 pos = 0
 o0 = new(ListTransactionsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ListTransactionsRequest.state_filters')
 n0 -= 1
 if n0 > size - pos: raise beyond('ListTransactionsRequest.state_filters')
 a0 = []
 for _ in range(n0):
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ListTransactionsRequest.state_filters')
  end = pos + n1 - 1
  if end > size: raise beyond('ListTransactionsRequest.state_filters')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.state_filters = a0
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('ListTransactionsRequest.producer_id_filters')
 n2 -= 1
 if n2 * 8 > size - pos: raise beyond('ListTransactionsRequest.producer_id_filters')
 o0.producer_id_filters = list(unpack_from(f'>{n2}q', view, pos))
 pos += n2 * 8
 o0.duration_filter = -1
 o0.transactional_id_pattern = None
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
def _decode_list_transactions_request_1(view, size):
 pos = 0
 o0 = new(ListTransactionsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ListTransactionsRequest.state_filters')
 n0 -= 1
 if n0 > size - pos: raise beyond('ListTransactionsRequest.state_filters')
 a0 = []
 for _ in range(n0):
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ListTransactionsRequest.state_filters')
  end = pos + n1 - 1
  if end > size: raise beyond('ListTransactionsRequest.state_filters')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.state_filters = a0
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('ListTransactionsRequest.producer_id_filters')
 n2 -= 1
 if n2 * 8 > size - pos: raise beyond('ListTransactionsRequest.producer_id_filters')
 o0.producer_id_filters = list(unpack_from(f'>{n2}q', view, pos))
 pos += n2 * 8
 o0.transactional_id_pattern = None
 o0.duration_filter, t0 = U_qB(view, pos)
 pos += 9
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
def _decode_list_transactions_request_2(view, size):
 pos = 0
 o0 = new(ListTransactionsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ListTransactionsRequest.state_filters')
 n0 -= 1
 if n0 > size - pos: raise beyond('ListTransactionsRequest.state_filters')
 a0 = []
 for _ in range(n0):
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ListTransactionsRequest.state_filters')
  end = pos + n1 - 1
  if end > size: raise beyond('ListTransactionsRequest.state_filters')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.state_filters = a0
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('ListTransactionsRequest.producer_id_filters')
 n2 -= 1
 if n2 * 8 > size - pos: raise beyond('ListTransactionsRequest.producer_id_filters')
 o0.producer_id_filters = list(unpack_from(f'>{n2}q', view, pos))
 pos += n2 * 8
 o0.duration_filter, n3 = U_qB(view, pos)
 pos += 9
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: o0.transactional_id_pattern = None
 else:
  end = pos + n3 - 1
  if end > size: raise beyond('ListTransactionsRequest.transactional_id_pattern')
  o0.transactional_id_pattern = view[pos:end].tobytes().decode()
  pos = end
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
ListTransactionsRequest.decoders = {0: _decode_list_transactions_request_0, 1: _decode_list_transactions_request_1, 2: _decode_list_transactions_request_2}

def _encode_list_transactions_request_0(m):
 out = []
 a0 = m.state_filters
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(m0)
 a1 = m.producer_id_filters
 n2 = len(a1) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 if a1: out.append(pack(f'>{len(a1)}q', *a1))
 if m.duration_filter != -1: raise unsupported('ListTransactionsRequest.duration_filter')
 if m.transactional_id_pattern is not None: raise unsupported('ListTransactionsRequest.transactional_id_pattern')
 out.append(b'\x00')
 return [b''.join(out)]
def _encode_list_transactions_request_1(m):
 out = []
 a0 = m.state_filters
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(m0)
 a1 = m.producer_id_filters
 n2 = len(a1) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 if a1: out.append(pack(f'>{len(a1)}q', *a1))
 if m.transactional_id_pattern is not None: raise unsupported('ListTransactionsRequest.transactional_id_pattern')
 out.append(P_qx(m.duration_filter))
 return [b''.join(out)]
def _encode_list_transactions_request_2(m):
 out = []
 a0 = m.state_filters
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(m0)
 a1 = m.producer_id_filters
 n2 = len(a1) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 if a1: out.append(pack(f'>{len(a1)}q', *a1))
 b0 = m.transactional_id_pattern
 if b0 is None:
  b0 = b''; n3 = 0
 else:
  b0 = b0.encode()
  n3 = len(b0) + 1
 out.append(P_qB(m.duration_filter, n3) if n3 < 128 else P_q(m.duration_filter) + varint(n3))
 out.append(b0)
 out.append(b'\x00')
 return [b''.join(out)]
ListTransactionsRequest.encoders = {0: _encode_list_transactions_request_0, 1: _encode_list_transactions_request_1, 2: _encode_list_transactions_request_2}


class TransactionState(Struct):
 __slots__ = ('transactional_id', 'producer_id', 'transaction_state', )
 transactional_id: str
 producer_id: int
 transaction_state: str
 def __init__(self, transactional_id: str = '', producer_id: int = 0, transaction_state: str = '') -> None:
  self.transactional_id = transactional_id
  self.producer_id = producer_id
  self.transaction_state = transaction_state


class ListTransactionsResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'unknown_state_filters', 'transaction_states', )
 api_key: ClassVar[int] = 66
 versions: ClassVar[range] = range(0, 3)
 first_flexible: ClassVar[int | None] = 0
 throttle_time_ms: int
 error_code: int
 unknown_state_filters: list[str]
 transaction_states: list[TransactionState]
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, unknown_state_filters: list[str] = FRESH, transaction_states: list[TransactionState] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.unknown_state_filters = [] if unknown_state_filters is FRESH else unknown_state_filters
  self.transaction_states = [] if transaction_states is FRESH else transaction_states

def _decode_list_transactions_response_0(view, size):
 pos = 0
 o0 = new(ListTransactionsResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ListTransactionsResponse.unknown_state_filters')
 n0 -= 1
 if n0 > size - pos: raise beyond('ListTransactionsResponse.unknown_state_filters')
 a0 = []
 for _ in range(n0):
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ListTransactionsResponse.unknown_state_filters')
  end = pos + n1 - 1
  if end > size: raise beyond('ListTransactionsResponse.unknown_state_filters')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.unknown_state_filters = a0
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('ListTransactionsResponse.transaction_states')
 n2 -= 1
 if n2 * 11 > size - pos: raise beyond('ListTransactionsResponse.transaction_states')
 a1 = []
 for _ in range(n2):
  o1 = new(TransactionState)
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('TransactionState.transactional_id')
  end = pos + n3 - 1
  if end > size: raise beyond('TransactionState.transactional_id')
  o1.transactional_id = view[pos:end].tobytes().decode()
  pos = end
  o1.producer_id, n4 = U_qB(view, pos)
  pos += 9
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('TransactionState.transaction_state')
  end = pos + n4 - 1
  if end > size: raise beyond('TransactionState.transaction_state')
  o1.transaction_state = view[pos:end].tobytes().decode()
  pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a1.append(o1)
 o0.transaction_states = a1
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
ListTransactionsResponse.decoders = {0: _decode_list_transactions_response_0, 1: _decode_list_transactions_response_0, 2: _decode_list_transactions_response_0}

def _encode_list_transactions_response_0(m):
 out = []
 a0 = m.unknown_state_filters
 n0 = len(a0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 for m0 in a0:
  m0 = m0.encode()
  n1 = len(m0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(m0)
 a1 = m.transaction_states
 n2 = len(a1) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 for m1 in a1:
  b0 = m1.transactional_id.encode()
  n3 = len(b0) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  out.append(b0)
  b1 = m1.transaction_state.encode()
  n4 = len(b1) + 1
  out.append(P_qB(m1.producer_id, n4) if n4 < 128 else P_q(m1.producer_id) + varint(n4))
  out.append(b1)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
ListTransactionsResponse.encoders = {0: _encode_list_transactions_response_0, 1: _encode_list_transactions_response_0, 2: _encode_list_transactions_response_0}
