"""CreateDelegationToken: request in versions 1 to 3 and response in versions 1 to 3.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, unsupported, varint, varint_rest

P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_hh = Packing('>hh').pack
P_i = Packing('>i').pack
P_ix = Packing('>ix').pack
P_q = Packing('>q').pack
P_qqq = Packing('>qqq').pack
P_qqqB = Packing('>qqqB').pack
P_qqqh = Packing('>qqqh').pack
P_qx = Packing('>qx').pack
U_h = Packing('>h').unpack_from
U_hB = Packing('>hB').unpack_from
U_hh = Packing('>hh').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_q = Packing('>q').unpack_from
U_qB = Packing('>qB').unpack_from
U_qqqB = Packing('>qqqB').unpack_from
U_qqqh = Packing('>qqqh').unpack_from


class CreatableRenewers(Struct):
 __slots__ = ('principal_type', 'principal_name', )
 principal_type: str
 principal_name: str
 def __init__(self, principal_type: str = '', principal_name: str = '') -> None:
  self.principal_type = principal_type
  self.principal_name = principal_name


class CreateDelegationTokenRequest(Message):
 __slots__ = ('owner_principal_type', 'owner_principal_name', 'renewers', 'max_lifetime_ms', )
 api_key: ClassVar[int] = 38
 versions: ClassVar[range] = range(1, 4)
 first_flexible: ClassVar[int | None] = 2
 owner_principal_type: str | None
 owner_principal_name: str | None
 renewers: list[CreatableRenewers]
 max_lifetime_ms: int
 def __init__(self, owner_principal_type: str | None = '', owner_principal_name: str | None = '', renewers: list[CreatableRenewers] = FRESH, max_lifetime_ms: int = 0) -> None:
  self.owner_principal_type = owner_principal_type
  self.owner_principal_name = owner_principal_name
  self.renewers = [] if renewers is FRESH else renewers
  self.max_lifetime_ms = max_lifetime_ms

def _decode_create_delegation_token_request_1(view, size):
 pos = 0
 o0 = new(CreateDelegationTokenRequest)
 o0.owner_principal_type = ''
 o0.owner_principal_name = ''
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: raise null('CreateDelegationTokenRequest.renewers')
 if n0 * 4 > size - pos: raise beyond('CreateDelegationTokenRequest.renewers')
 a0 = []
 for _ in range(n0):
  o1 = new(CreatableRenewers)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('CreatableRenewers.principal_type')
  end = pos + n1
  if end > size: raise beyond('CreatableRenewers.principal_type')
  o1.principal_type = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_h(view, pos)
  pos += 2
  if n2 < 0: raise null('CreatableRenewers.principal_name')
  end = pos + n2
  if end > size: raise beyond('CreatableRenewers.principal_name')
  o1.principal_name = view[pos:end].tobytes().decode()
  pos = end
  a0.append(o1)
 o0.renewers = a0
 o0.max_lifetime_ms, = U_q(view, pos)
 pos += 8
 return o0, pos
def _decode_create_delegation_token_request_2(view, size):
 pos = 0
 o0 = new(CreateDelegationTokenRequest)
 o0.owner_principal_type = ''
 o0.owner_principal_name = ''
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('CreateDelegationTokenRequest.renewers')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('CreateDelegationTokenRequest.renewers')
 a0 = []
 for _ in range(n0):
  o1 = new(CreatableRenewers)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('CreatableRenewers.principal_type')
  end = pos + n1 - 1
  if end > size: raise beyond('CreatableRenewers.principal_type')
  o1.principal_type = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('CreatableRenewers.principal_name')
  end = pos + n2 - 1
  if end > size: raise beyond('CreatableRenewers.principal_name')
  o1.principal_name = view[pos:end].tobytes().decode()
  pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.renewers = a0
 o0.max_lifetime_ms, t1 = U_qB(view, pos)
 pos += 9
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
def _decode_create_delegation_token_request_3(view, size):
 pos = 0
 o0 = new(CreateDelegationTokenRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.owner_principal_type = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('CreateDelegationTokenRequest.owner_principal_type')
  o0.owner_principal_type = view[pos:end].tobytes().decode()
  pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: o0.owner_principal_name = None
 else:
  end = pos + n1 - 1
  if end > size: raise beyond('CreateDelegationTokenRequest.owner_principal_name')
  o0.owner_principal_name = view[pos:end].tobytes().decode()
  pos = end
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('CreateDelegationTokenRequest.renewers')
 n2 -= 1
 if n2 * 3 > size - pos: raise beyond('CreateDelegationTokenRequest.renewers')
 a0 = []
 for _ in range(n2):
  o1 = new(CreatableRenewers)
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('CreatableRenewers.principal_type')
  end = pos + n3 - 1
  if end > size: raise beyond('CreatableRenewers.principal_type')
  o1.principal_type = view[pos:end].tobytes().decode()
  pos = end
  n4 = view[pos]
  pos += 1
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('CreatableRenewers.principal_name')
  end = pos + n4 - 1
  if end > size: raise beyond('CreatableRenewers.principal_name')
  o1.principal_name = view[pos:end].tobytes().decode()
  pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.renewers = a0
 o0.max_lifetime_ms, t1 = U_qB(view, pos)
 pos += 9
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
CreateDelegationTokenRequest.decoders = {1: _decode_create_delegation_token_request_1, 2: _decode_create_delegation_token_request_2, 3: _decode_create_delegation_token_request_3}

def _encode_create_delegation_token_request_1(m):
 out = []
 if m.owner_principal_type != '': raise unsupported('CreateDelegationTokenRequest.owner_principal_type')
 if m.owner_principal_name != '': raise unsupported('CreateDelegationTokenRequest.owner_principal_name')
 a0 = m.renewers
 n0 = len(a0)
 out.append(P_i(n0))
 for m0 in a0:
  b0 = m0.principal_type.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  b1 = m0.principal_name.encode()
  n2 = len(b1)
  out.append(P_h(n2))
  out.append(b1)
 out.append(P_q(m.max_lifetime_ms))
 return [b''.join(out)]
def _encode_create_delegation_token_request_2(m):
 out = []
 if m.owner_principal_type != '': raise unsupported('CreateDelegationTokenRequest.owner_principal_type')
 if m.owner_principal_name != '': raise unsupported('CreateDelegationTokenRequest.owner_principal_name')
 a0 = m.renewers
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.principal_type.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  b1 = m0.principal_name.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  out.append(b'\x00')
 out.append(P_qx(m.max_lifetime_ms))
 return [b''.join(out)]
def _encode_create_delegation_token_request_3(m):
 out = []
 b0 = m.owner_principal_type
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 b1 = m.owner_principal_name
 if b1 is None:
  b1 = b''; n1 = 0
 else:
  b1 = b1.encode()
  n1 = len(b1) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 out.append(b1)
 a0 = m.renewers
 n2 = len(a0) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 for m0 in a0:
  b2 = m0.principal_type.encode()
  n3 = len(b2) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  out.append(b2)
  b3 = m0.principal_name.encode()
  n4 = len(b3) + 1
  out.append(U8[n4] if n4 < 128 else varint(n4))
  out.append(b3)
  out.append(b'\x00')
 out.append(P_qx(m.max_lifetime_ms))
 return [b''.join(out)]
CreateDelegationTokenRequest.encoders = {1: _encode_create_delegation_token_request_1, 2: _encode_create_delegation_token_request_2, 3: _encode_create_delegation_token_request_3}


class CreateDelegationTokenResponse(Message):
 __slots__ = ('error_code', 'principal_type', 'principal_name', 'token_requester_principal_type', 'token_requester_principal_name', 'issue_timestamp_ms', 'expiry_timestamp_ms', 'max_timestamp_ms', 'token_id', 'hmac', 'throttle_time_ms', )
 api_key: ClassVar[int] = 38
 versions: ClassVar[range] = range(1, 4)
 first_flexible: ClassVar[int | None] = 2
 error_code: int
 principal_type: str
 principal_name: str
 token_requester_principal_type: str
 token_requester_principal_name: str
 issue_timestamp_ms: int
 expiry_timestamp_ms: int
 max_timestamp_ms: int
 token_id: str
 hmac: bytes
 throttle_time_ms: int
 def __init__(self, error_code: int = 0, principal_type: str = '', principal_name: str = '', token_requester_principal_type: str = '', token_requester_principal_name: str = '', issue_timestamp_ms: int = 0, expiry_timestamp_ms: int = 0, max_timestamp_ms: int = 0, token_id: str = '', hmac: bytes = b'', throttle_time_ms: int = 0) -> None:
  self.error_code = error_code
  self.principal_type = principal_type
  self.principal_name = principal_name
  self.token_requester_principal_type = token_requester_principal_type
  self.token_requester_principal_name = token_requester_principal_name
  self.issue_timestamp_ms = issue_timestamp_ms
  self.expiry_timestamp_ms = expiry_timestamp_ms
  self.max_timestamp_ms = max_timestamp_ms
  self.token_id = token_id
  self.hmac = hmac
  self.throttle_time_ms = throttle_time_ms

def _decode_create_delegation_token_response_1(view, size):
 pos = 0
 o0 = new(CreateDelegationTokenResponse)
 o0.error_code, n0 = U_hh(view, pos)
 pos += 4
 if n0 < 0: raise null('CreateDelegationTokenResponse.principal_type')
 end = pos + n0
 if end > size: raise beyond('CreateDelegationTokenResponse.principal_type')
 o0.principal_type = view[pos:end].tobytes().decode()
 pos = end
 n1, = U_h(view, pos)
 pos += 2
 if n1 < 0: raise null('CreateDelegationTokenResponse.principal_name')
 end = pos + n1
 if end > size: raise beyond('CreateDelegationTokenResponse.principal_name')
 o0.principal_name = view[pos:end].tobytes().decode()
 pos = end
 o0.token_requester_principal_type = ''
 o0.token_requester_principal_name = ''
 o0.issue_timestamp_ms, o0.expiry_timestamp_ms, o0.max_timestamp_ms, n2 = U_qqqh(view, pos)
 pos += 26
 if n2 < 0: raise null('CreateDelegationTokenResponse.token_id')
 end = pos + n2
 if end > size: raise beyond('CreateDelegationTokenResponse.token_id')
 o0.token_id = view[pos:end].tobytes().decode()
 pos = end
 n3, = U_i(view, pos)
 pos += 4
 if n3 < 0: raise null('CreateDelegationTokenResponse.hmac')
 end = pos + n3
 if end > size: raise beyond('CreateDelegationTokenResponse.hmac')
 o0.hmac = view[pos:end].tobytes()
 pos = end
 o0.throttle_time_ms, = U_i(view, pos)
 pos += 4
 return o0, pos
def _decode_create_delegation_token_response_2(view, size):
 pos = 0
 o0 = new(CreateDelegationTokenResponse)
 o0.error_code, n0 = U_hB(view, pos)
 pos += 3
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('CreateDelegationTokenResponse.principal_type')
 end = pos + n0 - 1
 if end > size: raise beyond('CreateDelegationTokenResponse.principal_type')
 o0.principal_type = view[pos:end].tobytes().decode()
 pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('CreateDelegationTokenResponse.principal_name')
 end = pos + n1 - 1
 if end > size: raise beyond('CreateDelegationTokenResponse.principal_name')
 o0.principal_name = view[pos:end].tobytes().decode()
 pos = end
 o0.token_requester_principal_type = ''
 o0.token_requester_principal_name = ''
 o0.issue_timestamp_ms, o0.expiry_timestamp_ms, o0.max_timestamp_ms, n2 = U_qqqB(view, pos)
 pos += 25
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('CreateDelegationTokenResponse.token_id')
 end = pos + n2 - 1
 if end > size: raise beyond('CreateDelegationTokenResponse.token_id')
 o0.token_id = view[pos:end].tobytes().decode()
 pos = end
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: raise null('CreateDelegationTokenResponse.hmac')
 end = pos + n3 - 1
 if end > size: raise beyond('CreateDelegationTokenResponse.hmac')
 o0.hmac = view[pos:end].tobytes()
 pos = end
 o0.throttle_time_ms, t0 = U_iB(view, pos)
 pos += 5
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
def _decode_create_delegation_token_response_3(view, size):
 pos = 0
 o0 = new(CreateDelegationTokenResponse)
 o0.error_code, n0 = U_hB(view, pos)
 pos += 3
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('CreateDelegationTokenResponse.principal_type')
 end = pos + n0 - 1
 if end > size: raise beyond('CreateDelegationTokenResponse.principal_type')
 o0.principal_type = view[pos:end].tobytes().decode()
 pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('CreateDelegationTokenResponse.principal_name')
 end = pos + n1 - 1
 if end > size: raise beyond('CreateDelegationTokenResponse.principal_name')
 o0.principal_name = view[pos:end].tobytes().decode()
 pos = end
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('CreateDelegationTokenResponse.token_requester_principal_type')
 end = pos + n2 - 1
 if end > size: raise beyond('CreateDelegationTokenResponse.token_requester_principal_type')
 o0.token_requester_principal_type = view[pos:end].tobytes().decode()
 pos = end
 n3 = view[pos]
 pos += 1
 if n3 > 127:
  n3, pos = varint_rest(view, pos, n3)
 if not n3: raise null('CreateDelegationTokenResponse.token_requester_principal_name')
 end = pos + n3 - 1
 if end > size: raise beyond('CreateDelegationTokenResponse.token_requester_principal_name')
 o0.token_requester_principal_name = view[pos:end].tobytes().decode()
 pos = end
 o0.issue_timestamp_ms, o0.expiry_timestamp_ms, o0.max_timestamp_ms, n4 = U_qqqB(view, pos)
 pos += 25
 if n4 > 127:
  n4, pos = varint_rest(view, pos, n4)
 if not n4: raise null('CreateDelegationTokenResponse.token_id')
 end = pos + n4 - 1
 if end > size: raise beyond('CreateDelegationTokenResponse.token_id')
 o0.token_id = view[pos:end].tobytes().decode()
 pos = end
 n5 = view[pos]
 pos += 1
 if n5 > 127:
  n5, pos = varint_rest(view, pos, n5)
 if not n5: raise null('CreateDelegationTokenResponse.hmac')
 end = pos + n5 - 1
 if end > size: raise beyond('CreateDelegationTokenResponse.hmac')
 o0.hmac = view[pos:end].tobytes()
 pos = end
 o0.throttle_time_ms, t0 = U_iB(view, pos)
 pos += 5
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
CreateDelegationTokenResponse.decoders = {1: _decode_create_delegation_token_response_1, 2: _decode_create_delegation_token_response_2, 3: _decode_create_delegation_token_response_3}

def _encode_create_delegation_token_response_1(m):
 out = []
 b0 = m.principal_type.encode()
 n0 = len(b0)
 out.append(P_hh(m.error_code, n0))
 out.append(b0)
 b1 = m.principal_name.encode()
 n1 = len(b1)
 out.append(P_h(n1))
 out.append(b1)
 if m.token_requester_principal_type != '': raise unsupported('CreateDelegationTokenResponse.token_requester_principal_type')
 if m.token_requester_principal_name != '': raise unsupported('CreateDelegationTokenResponse.token_requester_principal_name')
 b2 = m.token_id.encode()
 n2 = len(b2)
 out.append(P_qqqh(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms, n2))
 out.append(b2)
 b3 = m.hmac
 n3 = len(b3)
 out.append(P_i(n3))
 out.append(b3)
 out.append(P_i(m.throttle_time_ms))
 return [b''.join(out)]
def _encode_create_delegation_token_response_2(m):
 out = []
 b0 = m.principal_type.encode()
 n0 = len(b0) + 1
 out.append(P_hB(m.error_code, n0) if n0 < 128 else P_h(m.error_code) + varint(n0))
 out.append(b0)
 b1 = m.principal_name.encode()
 n1 = len(b1) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 out.append(b1)
 if m.token_requester_principal_type != '': raise unsupported('CreateDelegationTokenResponse.token_requester_principal_type')
 if m.token_requester_principal_name != '': raise unsupported('CreateDelegationTokenResponse.token_requester_principal_name')
 b2 = m.token_id.encode()
 n2 = len(b2) + 1
 out.append(P_qqqB(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms, n2) if n2 < 128 else P_qqq(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms) + varint(n2))
 out.append(b2)
 b3 = m.hmac
 n3 = len(b3) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 out.append(b3)
 out.append(P_ix(m.throttle_time_ms))
 return [b''.join(out)]
def _encode_create_delegation_token_response_3(m):
 out = []
 b0 = m.principal_type.encode()
 n0 = len(b0) + 1
 out.append(P_hB(m.error_code, n0) if n0 < 128 else P_h(m.error_code) + varint(n0))
 out.append(b0)
 b1 = m.principal_name.encode()
 n1 = len(b1) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 out.append(b1)
 b2 = m.token_requester_principal_type.encode()
 n2 = len(b2) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 out.append(b2)
 b3 = m.token_requester_principal_name.encode()
 n3 = len(b3) + 1
 out.append(U8[n3] if n3 < 128 else varint(n3))
 out.append(b3)
 b4 = m.token_id.encode()
 n4 = len(b4) + 1
 out.append(P_qqqB(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms, n4) if n4 < 128 else P_qqq(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms) + varint(n4))
 out.append(b4)
 b5 = m.hmac
 n5 = len(b5) + 1
 out.append(U8[n5] if n5 < 128 else varint(n5))
 out.append(b5)
 out.append(P_ix(m.throttle_time_ms))
 return [b''.join(out)]
CreateDelegationTokenResponse.encoders = {1: _encode_create_delegation_token_response_1, 2: _encode_create_delegation_token_response_2, 3: _encode_create_delegation_token_response_3}
