"""DescribeDelegationToken: request in versions 1 to 3 and response in versions 1 to 3.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, unsupported, varint, varint_rest

P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_hi = Packing('>hi').pack
P_i = Packing('>i').pack
P_ix = Packing('>ix').pack
P_qqq = Packing('>qqq').pack
P_qqqB = Packing('>qqqB').pack
P_qqqh = Packing('>qqqh').pack
U_h = Packing('>h').unpack_from
U_hB = Packing('>hB').unpack_from
U_hi = Packing('>hi').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_qqqB = Packing('>qqqB').unpack_from
U_qqqh = Packing('>qqqh').unpack_from


class DescribeDelegationTokenOwner(Struct):
 __slots__ = ('principal_type', 'principal_name', )
 principal_type: str
 principal_name: str
 def __init__(self, principal_type: str = '', principal_name: str = '') -> None:
  self.principal_type = principal_type
  self.principal_name = principal_name


class DescribeDelegationTokenRequest(Message):
 __slots__ = ('owners', )
 api_key: ClassVar[int] = 41
 versions: ClassVar[range] = range(1, 4)
 first_flexible: ClassVar[int | None] = 2
 owners: list[DescribeDelegationTokenOwner] | None
 def __init__(self, owners: list[DescribeDelegationTokenOwner] | None = FRESH) -> None:
  self.owners = [] if owners is FRESH else owners

def _decode_describe_delegation_token_request_1(view, size):
 pos = 0
 o0 = new(DescribeDelegationTokenRequest)
 n0, = U_i(view, pos)
 pos += 4
 if n0 < 0: o0.owners = None
 else:
  if n0 * 4 > size - pos: raise beyond('DescribeDelegationTokenRequest.owners')
  a0 = []
  for _ in range(n0):
   o1 = new(DescribeDelegationTokenOwner)
   n1, = U_h(view, pos)
   pos += 2
   if n1 < 0: raise null('DescribeDelegationTokenOwner.principal_type')
   end = pos + n1
   if end > size: raise beyond('DescribeDelegationTokenOwner.principal_type')
   o1.principal_type = view[pos:end].tobytes().decode()
   pos = end
   n2, = U_h(view, pos)
   pos += 2
   if n2 < 0: raise null('DescribeDelegationTokenOwner.principal_name')
   end = pos + n2
   if end > size: raise beyond('DescribeDelegationTokenOwner.principal_name')
   o1.principal_name = view[pos:end].tobytes().decode()
   pos = end
   a0.append(o1)
  o0.owners = a0
 return o0, pos
def _decode_describe_delegation_token_request_2(view, size):
 pos = 0
 o0 = new(DescribeDelegationTokenRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.owners = None
 else:
  n0 -= 1
  if n0 * 3 > size - pos: raise beyond('DescribeDelegationTokenRequest.owners')
  a0 = []
  for _ in range(n0):
   o1 = new(DescribeDelegationTokenOwner)
   n1 = view[pos]
   pos += 1
   if n1 > 127:
    n1, pos = varint_rest(view, pos, n1)
   if not n1: raise null('DescribeDelegationTokenOwner.principal_type')
   end = pos + n1 - 1
   if end > size: raise beyond('DescribeDelegationTokenOwner.principal_type')
   o1.principal_type = view[pos:end].tobytes().decode()
   pos = end
   n2 = view[pos]
   pos += 1
   if n2 > 127:
    n2, pos = varint_rest(view, pos, n2)
   if not n2: raise null('DescribeDelegationTokenOwner.principal_name')
   end = pos + n2 - 1
   if end > size: raise beyond('DescribeDelegationTokenOwner.principal_name')
   o1.principal_name = view[pos:end].tobytes().decode()
   pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a0.append(o1)
  o0.owners = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
DescribeDelegationTokenRequest.decoders = {1: _decode_describe_delegation_token_request_1, 2: _decode_describe_delegation_token_request_2, 3: _decode_describe_delegation_token_request_2}

def _encode_describe_delegation_token_request_1(m):
 out = []
 a0 = m.owners
 n0 = -1 if a0 is None else len(a0)
 out.append(P_i(n0))
 for m0 in a0 or ():
  b0 = m0.principal_type.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  b1 = m0.principal_name.encode()
  n2 = len(b1)
  out.append(P_h(n2))
  out.append(b1)
 return [b''.join(out)]
def _encode_describe_delegation_token_request_2(m):
 out = []
 a0 = m.owners
 n0 = 0 if a0 is None else len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0 or ():
  b0 = m0.principal_type.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  b1 = m0.principal_name.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
DescribeDelegationTokenRequest.encoders = {1: _encode_describe_delegation_token_request_1, 2: _encode_describe_delegation_token_request_2, 3: _encode_describe_delegation_token_request_2}


class DescribedDelegationTokenRenewer(Struct):
 __slots__ = ('principal_type', 'principal_name', )
 principal_type: str
 principal_name: str
 def __init__(self, principal_type: str = '', principal_name: str = '') -> None:
  self.principal_type = principal_type
  self.principal_name = principal_name


class DescribedDelegationToken(Struct):
 __slots__ = ('principal_type', 'principal_name', 'token_requester_principal_type', 'token_requester_principal_name', 'issue_timestamp', 'expiry_timestamp', 'max_timestamp', 'token_id', 'hmac', 'renewers', )
 principal_type: str
 principal_name: str
 token_requester_principal_type: str
 token_requester_principal_name: str
 issue_timestamp: int
 expiry_timestamp: int
 max_timestamp: int
 token_id: str
 hmac: bytes
 renewers: list[DescribedDelegationTokenRenewer]
 def __init__(self, principal_type: str = '', principal_name: str = '', token_requester_principal_type: str = '', token_requester_principal_name: str = '', issue_timestamp: int = 0, expiry_timestamp: int = 0, max_timestamp: int = 0, token_id: str = '', hmac: bytes = b'', renewers: list[DescribedDelegationTokenRenewer] = FRESH) -> None:
  self.principal_type = principal_type
  self.principal_name = principal_name
  self.token_requester_principal_type = token_requester_principal_type
  self.token_requester_principal_name = token_requester_principal_name
  self.issue_timestamp = issue_timestamp
  self.expiry_timestamp = expiry_timestamp
  self.max_timestamp = max_timestamp
  self.token_id = token_id
  self.hmac = hmac
  self.renewers = [] if renewers is FRESH else renewers


class DescribeDelegationTokenResponse(Message):
 __slots__ = ('error_code', 'tokens', 'throttle_time_ms', )
 api_key: ClassVar[int] = 41
 versions: ClassVar[range] = range(1, 4)
 first_flexible: ClassVar[int | None] = 2
 error_code: int
 tokens: list[DescribedDelegationToken]
 throttle_time_ms: int
 def __init__(self, error_code: int = 0, tokens: list[DescribedDelegationToken] = FRESH, throttle_time_ms: int = 0) -> None:
  self.error_code = error_code
  self.tokens = [] if tokens is FRESH else tokens
  self.throttle_time_ms = throttle_time_ms

def _decode_describe_delegation_token_response_1(view, size):
 pos = 0
 o0 = new(DescribeDelegationTokenResponse)
 o0.error_code, n0 = U_hi(view, pos)
 pos += 6
 if n0 < 0: raise null('DescribeDelegationTokenResponse.tokens')
 if n0 * 38 > size - pos: raise beyond('DescribeDelegationTokenResponse.tokens')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribedDelegationToken)
  n1, = U_h(view, pos)
  pos += 2
  if n1 < 0: raise null('DescribedDelegationToken.principal_type')
  end = pos + n1
  if end > size: raise beyond('DescribedDelegationToken.principal_type')
  o1.principal_type = view[pos:end].tobytes().decode()
  pos = end
  n2, = U_h(view, pos)
  pos += 2
  if n2 < 0: raise null('DescribedDelegationToken.principal_name')
  end = pos + n2
  if end > size: raise beyond('DescribedDelegationToken.principal_name')
  o1.principal_name = view[pos:end].tobytes().decode()
  pos = end
  o1.token_requester_principal_type = ''
  o1.token_requester_principal_name = ''
  o1.issue_timestamp, o1.expiry_timestamp, o1.max_timestamp, n3 = U_qqqh(view, pos)
  pos += 26
  if n3 < 0: raise null('DescribedDelegationToken.token_id')
  end = pos + n3
  if end > size: raise beyond('DescribedDelegationToken.token_id')
  o1.token_id = view[pos:end].tobytes().decode()
  pos = end
  n4, = U_i(view, pos)
  pos += 4
  if n4 < 0: raise null('DescribedDelegationToken.hmac')
  end = pos + n4
  if end > size: raise beyond('DescribedDelegationToken.hmac')
  o1.hmac = view[pos:end].tobytes()
  pos = end
  n5, = U_i(view, pos)
  pos += 4
  if n5 < 0: raise null('DescribedDelegationToken.renewers')
  if n5 * 4 > size - pos: raise beyond('DescribedDelegationToken.renewers')
  a1 = []
  for _ in range(n5):
   o2 = new(DescribedDelegationTokenRenewer)
   n6, = U_h(view, pos)
   pos += 2
   if n6 < 0: raise null('DescribedDelegationTokenRenewer.principal_type')
   end = pos + n6
   if end > size: raise beyond('DescribedDelegationTokenRenewer.principal_type')
   o2.principal_type = view[pos:end].tobytes().decode()
   pos = end
   n7, = U_h(view, pos)
   pos += 2
   if n7 < 0: raise null('DescribedDelegationTokenRenewer.principal_name')
   end = pos + n7
   if end > size: raise beyond('DescribedDelegationTokenRenewer.principal_name')
   o2.principal_name = view[pos:end].tobytes().decode()
   pos = end
   a1.append(o2)
  o1.renewers = a1
  a0.append(o1)
 o0.tokens = a0
 o0.throttle_time_ms, = U_i(view, pos)
 pos += 4
 return o0, pos
def _decode_describe_delegation_token_response_2(view, size):
 pos = 0
 o0 = new(DescribeDelegationTokenResponse)
 o0.error_code, n0 = U_hB(view, pos)
 pos += 3
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DescribeDelegationTokenResponse.tokens')
 n0 -= 1
 if n0 * 30 > size - pos: raise beyond('DescribeDelegationTokenResponse.tokens')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribedDelegationToken)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('DescribedDelegationToken.principal_type')
  end = pos + n1 - 1
  if end > size: raise beyond('DescribedDelegationToken.principal_type')
  o1.principal_type = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('DescribedDelegationToken.principal_name')
  end = pos + n2 - 1
  if end > size: raise beyond('DescribedDelegationToken.principal_name')
  o1.principal_name = view[pos:end].tobytes().decode()
  pos = end
  o1.token_requester_principal_type = ''
  o1.token_requester_principal_name = ''
  o1.issue_timestamp, o1.expiry_timestamp, o1.max_timestamp, n3 = U_qqqB(view, pos)
  pos += 25
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('DescribedDelegationToken.token_id')
  end = pos + n3 - 1
  if end > size: raise beyond('DescribedDelegationToken.token_id')
  o1.token_id = view[pos:end].tobytes().decode()
  pos = end
  n4 = view[pos]
  pos += 1
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('DescribedDelegationToken.hmac')
  end = pos + n4 - 1
  if end > size: raise beyond('DescribedDelegationToken.hmac')
  o1.hmac = view[pos:end].tobytes()
  pos = end
  n5 = view[pos]
  pos += 1
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('DescribedDelegationToken.renewers')
  n5 -= 1
  if n5 * 3 > size - pos: raise beyond('DescribedDelegationToken.renewers')
  a1 = []
  for _ in range(n5):
   o2 = new(DescribedDelegationTokenRenewer)
   n6 = view[pos]
   pos += 1
   if n6 > 127:
    n6, pos = varint_rest(view, pos, n6)
   if not n6: raise null('DescribedDelegationTokenRenewer.principal_type')
   end = pos + n6 - 1
   if end > size: raise beyond('DescribedDelegationTokenRenewer.principal_type')
   o2.principal_type = view[pos:end].tobytes().decode()
   pos = end
   n7 = view[pos]
   pos += 1
   if n7 > 127:
    n7, pos = varint_rest(view, pos, n7)
   if not n7: raise null('DescribedDelegationTokenRenewer.principal_name')
   end = pos + n7 - 1
   if end > size: raise beyond('DescribedDelegationTokenRenewer.principal_name')
   o2.principal_name = view[pos:end].tobytes().decode()
   pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.renewers = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.tokens = a0
 o0.throttle_time_ms, t2 = U_iB(view, pos)
 pos += 5
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
def _decode_describe_delegation_token_response_3(view, size):
 pos = 0
 o0 = new(DescribeDelegationTokenResponse)
 o0.error_code, n0 = U_hB(view, pos)
 pos += 3
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('DescribeDelegationTokenResponse.tokens')
 n0 -= 1
 if n0 * 32 > size - pos: raise beyond('DescribeDelegationTokenResponse.tokens')
 a0 = []
 for _ in range(n0):
  o1 = new(DescribedDelegationToken)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('DescribedDelegationToken.principal_type')
  end = pos + n1 - 1
  if end > size: raise beyond('DescribedDelegationToken.principal_type')
  o1.principal_type = view[pos:end].tobytes().decode()
  pos = end
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('DescribedDelegationToken.principal_name')
  end = pos + n2 - 1
  if end > size: raise beyond('DescribedDelegationToken.principal_name')
  o1.principal_name = view[pos:end].tobytes().decode()
  pos = end
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('DescribedDelegationToken.token_requester_principal_type')
  end = pos + n3 - 1
  if end > size: raise beyond('DescribedDelegationToken.token_requester_principal_type')
  o1.token_requester_principal_type = view[pos:end].tobytes().decode()
  pos = end
  n4 = view[pos]
  pos += 1
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('DescribedDelegationToken.token_requester_principal_name')
  end = pos + n4 - 1
  if end > size: raise beyond('DescribedDelegationToken.token_requester_principal_name')
  o1.token_requester_principal_name = view[pos:end].tobytes().decode()
  pos = end
  o1.issue_timestamp, o1.expiry_timestamp, o1.max_timestamp, n5 = U_qqqB(view, pos)
  pos += 25
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('DescribedDelegationToken.token_id')
  end = pos + n5 - 1
  if end > size: raise beyond('DescribedDelegationToken.token_id')
  o1.token_id = view[pos:end].tobytes().decode()
  pos = end
  n6 = view[pos]
  pos += 1
  if n6 > 127:
   n6, pos = varint_rest(view, pos, n6)
  if not n6: raise null('DescribedDelegationToken.hmac')
  end = pos + n6 - 1
  if end > size: raise beyond('DescribedDelegationToken.hmac')
  o1.hmac = view[pos:end].tobytes()
  pos = end
  n7 = view[pos]
  pos += 1
  if n7 > 127:
   n7, pos = varint_rest(view, pos, n7)
  if not n7: raise null('DescribedDelegationToken.renewers')
  n7 -= 1
  if n7 * 3 > size - pos: raise beyond('DescribedDelegationToken.renewers')
  a1 = []
  for _ in range(n7):
   o2 = new(DescribedDelegationTokenRenewer)
   n8 = view[pos]
   pos += 1
   if n8 > 127:
    n8, pos = varint_rest(view, pos, n8)
   if not n8: raise null('DescribedDelegationTokenRenewer.principal_type')
   end = pos + n8 - 1
   if end > size: raise beyond('DescribedDelegationTokenRenewer.principal_type')
   o2.principal_type = view[pos:end].tobytes().decode()
   pos = end
   n9 = view[pos]
   pos += 1
   if n9 > 127:
    n9, pos = varint_rest(view, pos, n9)
   if not n9: raise null('DescribedDelegationTokenRenewer.principal_name')
   end = pos + n9 - 1
   if end > size: raise beyond('DescribedDelegationTokenRenewer.principal_name')
   o2.principal_name = view[pos:end].tobytes().decode()
   pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.renewers = a1
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a0.append(o1)
 o0.tokens = a0
 o0.throttle_time_ms, t2 = U_iB(view, pos)
 pos += 5
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
DescribeDelegationTokenResponse.decoders = {1: _decode_describe_delegation_token_response_1, 2: _decode_describe_delegation_token_response_2, 3: _decode_describe_delegation_token_response_3}

def _encode_describe_delegation_token_response_1(m):
 out = []
 a0 = m.tokens
 n0 = len(a0)
 out.append(P_hi(m.error_code, n0))
 for m0 in a0:
  b0 = m0.principal_type.encode()
  n1 = len(b0)
  out.append(P_h(n1))
  out.append(b0)
  b1 = m0.principal_name.encode()
  n2 = len(b1)
  out.append(P_h(n2))
  out.append(b1)
  if m0.token_requester_principal_type != '': raise unsupported('DescribedDelegationToken.token_requester_principal_type')
  if m0.token_requester_principal_name != '': raise unsupported('DescribedDelegationToken.token_requester_principal_name')
  b2 = m0.token_id.encode()
  n3 = len(b2)
  out.append(P_qqqh(m0.issue_timestamp, m0.expiry_timestamp, m0.max_timestamp, n3))
  out.append(b2)
  b3 = m0.hmac
  n4 = len(b3)
  out.append(P_i(n4))
  out.append(b3)
  a1 = m0.renewers
  n5 = len(a1)
  out.append(P_i(n5))
  for m1 in a1:
   b4 = m1.principal_type.encode()
   n6 = len(b4)
   out.append(P_h(n6))
   out.append(b4)
   b5 = m1.principal_name.encode()
   n7 = len(b5)
   out.append(P_h(n7))
   out.append(b5)
 out.append(P_i(m.throttle_time_ms))
 return [b''.join(out)]
def _encode_describe_delegation_token_response_2(m):
 out = []
 a0 = m.tokens
 n0 = len(a0) + 1
 out.append(P_hB(m.error_code, n0) if n0 < 128 else P_h(m.error_code) + varint(n0))
 for m0 in a0:
  b0 = m0.principal_type.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  b1 = m0.principal_name.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  if m0.token_requester_principal_type != '': raise unsupported('DescribedDelegationToken.token_requester_principal_type')
  if m0.token_requester_principal_name != '': raise unsupported('DescribedDelegationToken.token_requester_principal_name')
  b2 = m0.token_id.encode()
  n3 = len(b2) + 1
  out.append(P_qqqB(m0.issue_timestamp, m0.expiry_timestamp, m0.max_timestamp, n3) if n3 < 128 else P_qqq(m0.issue_timestamp, m0.expiry_timestamp, m0.max_timestamp) + varint(n3))
  out.append(b2)
  b3 = m0.hmac
  n4 = len(b3) + 1
  out.append(U8[n4] if n4 < 128 else varint(n4))
  out.append(b3)
  a1 = m0.renewers
  n5 = len(a1) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  for m1 in a1:
   b4 = m1.principal_type.encode()
   n6 = len(b4) + 1
   out.append(U8[n6] if n6 < 128 else varint(n6))
   out.append(b4)
   b5 = m1.principal_name.encode()
   n7 = len(b5) + 1
   out.append(U8[n7] if n7 < 128 else varint(n7))
   out.append(b5)
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(P_ix(m.throttle_time_ms))
 return [b''.join(out)]
def _encode_describe_delegation_token_response_3(m):
 out = []
 a0 = m.tokens
 n0 = len(a0) + 1
 out.append(P_hB(m.error_code, n0) if n0 < 128 else P_h(m.error_code) + varint(n0))
 for m0 in a0:
  b0 = m0.principal_type.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  b1 = m0.principal_name.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  b2 = m0.token_requester_principal_type.encode()
  n3 = len(b2) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  out.append(b2)
  b3 = m0.token_requester_principal_name.encode()
  n4 = len(b3) + 1
  out.append(U8[n4] if n4 < 128 else varint(n4))
  out.append(b3)
  b4 = m0.token_id.encode()
  n5 = len(b4) + 1
  out.append(P_qqqB(m0.issue_timestamp, m0.expiry_timestamp, m0.max_timestamp, n5) if n5 < 128 else P_qqq(m0.issue_timestamp, m0.expiry_timestamp, m0.max_timestamp) + varint(n5))
  out.append(b4)
  b5 = m0.hmac
  n6 = len(b5) + 1
  out.append(U8[n6] if n6 < 128 else varint(n6))
  out.append(b5)
  a1 = m0.renewers
  n7 = len(a1) + 1
  out.append(U8[n7] if n7 < 128 else varint(n7))
  for m1 in a1:
   b6 = m1.principal_type.encode()
   n8 = len(b6) + 1
   out.append(U8[n8] if n8 < 128 else varint(n8))
   out.append(b6)
   b7 = m1.principal_name.encode()
   n9 = len(b7) + 1
   out.append(U8[n9] if n9 < 128 else varint(n9))
   out.append(b7)
   out.append(b'\x00')
  out.append(b'\x00')
 out.append(P_ix(m.throttle_time_ms))
 return [b''.join(out)]
DescribeDelegationTokenResponse.encoders = {1: _encode_describe_delegation_token_response_1, 2: _encode_describe_delegation_token_response_2, 3: _encode_describe_delegation_token_response_3}
