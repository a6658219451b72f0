"""RenewDelegationToken: request in versions 1 to 2 and response in versions 1 to 2.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import U8, Message, Packing, beyond, new, null, skip_tags, varint, varint_rest

P_hqi = Packing('>hqi').pack
P_hqix = Packing('>hqix').pack
P_i = Packing('>i').pack
P_q = Packing('>q').pack
P_qx = Packing('>qx').pack
U_hqi = Packing('>hqi').unpack_from
U_hqiB = Packing('>hqiB').unpack_from
U_i = Packing('>i').unpack_from
U_q = Packing('>q').unpack_from
U_qB = Packing('>qB').unpack_from


class RenewDelegationTokenRequest(Message):
 __slots__ = ('hmac', 'renew_period_ms', )
 api_key: ClassVar[int] = 39
 versions: ClassVar[range] = range(1, 3)
 first_flexible: ClassVar[int | None] = 2
 hmac: bytes
 renew_period_ms: int
 def __init__(self, hmac: bytes = b'', renew_period_ms: int = 0) -> None:
  self.hmac = hmac
  self.renew_period_ms = renew_period_ms

def _decode_renew_delegation_token_request_1(view, size):
 pos = 0
 o0 = new(RenewDelegationTokenRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('RenewDelegationTokenRequest.hmac')
 end = pos + n0
 if end > size: raise beyond('RenewDelegationTokenRequest.hmac')
 o0.hmac = view[pos:end].tobytes()
 pos = end
 o0.renew_period_ms, = U_q(view, pos)
 pos += 8
 return o0, pos
def _decode_renew_delegation_token_request_2(view, size):
 pos = 0
 o0 = new(RenewDelegationTokenRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('RenewDelegationTokenRequest.hmac')
 end = pos + n0 - 1
 if end > size: raise beyond('RenewDelegationTokenRequest.hmac')
 o0.hmac = view[pos:end].tobytes()
 pos = end
 o0.renew_period_ms, t0 = U_qB(view, pos)
 pos += 9
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
RenewDelegationTokenRequest.decoders = {1: _decode_renew_delegation_token_request_1, 2: _decode_renew_delegation_token_request_2}

def _encode_renew_delegation_token_request_1(m):
 out = []
 b0 = m.hmac
 n0 = len(b0)
 out.append(P_i(n0))
 out.append(b0)
 out.append(P_q(m.renew_period_ms))
 return [b''.join(out)]
def _encode_renew_delegation_token_request_2(m):
 out = []
 b0 = m.hmac
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 out.append(P_qx(m.renew_period_ms))
 return [b''.join(out)]
RenewDelegationTokenRequest.encoders = {1: _encode_renew_delegation_token_request_1, 2: _encode_renew_delegation_token_request_2}


class RenewDelegationTokenResponse(Message):
 __slots__ = ('error_code', 'expiry_timestamp_ms', 'throttle_time_ms', )
 api_key: ClassVar[int] = 39
 versions: ClassVar[range] = range(1, 3)
 first_flexible: ClassVar[int | None] = 2
 error_code: int
 expiry_timestamp_ms: int
 throttle_time_ms: int
 def __init__(self, error_code: int = 0, expiry_timestamp_ms: int = 0, throttle_time_ms: int = 0) -> None:
  self.error_code = error_code
  self.expiry_timestamp_ms = expiry_timestamp_ms
  self.throttle_time_ms = throttle_time_ms

def _decode_renew_delegation_token_response_1(view, size):
 pos = 0
 o0 = new(RenewDelegationTokenResponse)
 o0.error_code, o0.expiry_timestamp_ms, o0.throttle_time_ms = U_hqi(view, pos)
 pos += 14
 return o0, pos
def _decode_renew_delegation_token_response_2(view, size):
 pos = 0
 o0 = new(RenewDelegationTokenResponse)
 o0.error_code, o0.expiry_timestamp_ms, o0.throttle_time_ms, t0 = U_hqiB(view, pos)
 pos += 15
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
RenewDelegationTokenResponse.decoders = {1: _decode_renew_delegation_token_response_1, 2: _decode_renew_delegation_token_response_2}

def _encode_renew_delegation_token_response_1(m):
 out = []
 out.append(P_hqi(m.error_code, m.expiry_timestamp_ms, m.throttle_time_ms))
 return [b''.join(out)]
def _encode_renew_delegation_token_response_2(m):
 out = []
 out.append(P_hqix(m.error_code, m.expiry_timestamp_ms, m.throttle_time_ms))
 return [b''.join(out)]
RenewDelegationTokenResponse.encoders = {1: _encode_renew_delegation_token_response_1, 2: _encode_renew_delegation_token_response_2}
