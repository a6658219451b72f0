"""DescribeUserScramCredentials: request in versions 0 to 0 and response in versions 0 to 0.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, varint, varint_rest

P_bix = Packing('>bix').pack
P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_ih = Packing('>ih').pack
P_ihB = Packing('>ihB').pack
U_biB = Packing('>biB').unpack_from
U_hB = Packing('>hB').unpack_from
U_ihB = Packing('>ihB').unpack_from


class UserName(Struct):
 __slots__ = ('name', )
 name: str
 def __init__(self, name: str = '') -> None:
  self.name = name


class DescribeUserScramCredentialsRequest(Message):
 __slots__ = ('users', )
 api_key: ClassVar[int] = 50
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = 0
 users: list[UserName] | None
 def __init__(self, users: list[UserName] | None = FRESH) -> None:
  self.users = [] if users is FRESH else users

def _decode_describe_user_scram_credentials_request_0(view, size):
 pos = 0
 o0 = new(DescribeUserScramCredentialsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.users = None
 else:
  n0 -= 1
  if n0 * 2 > size - pos: raise beyond('DescribeUserScramCredentialsRequest.users')
  a0 = []
  for _ in range(n0):
   o1 = new(UserName)
   n1 = view[pos]
   pos += 1
   if n1 > 127:
    n1, pos = varint_rest(view, pos, n1)
   if not n1: raise null('UserName.name')
   end = pos + n1 - 1
   if end > size: raise beyond('UserName.name')
   o1.name = view[pos:end].tobytes().decode()
   pos = end
   t0 = view[pos]
   pos += 1
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a0.append(o1)
  o0.users = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
DescribeUserScramCredentialsRequest.decoders = {0: _decode_describe_user_scram_credentials_request_0}

def _encode_describe_user_scram_credentials_request_0(m):
 out = []
 a0 = m.users
 n0 = 0 if a0 is None else len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0 or ():
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
DescribeUserScramCredentialsRequest.encoders = {0: _encode_describe_user_scram_credentials_request_0}


class CredentialInfo(Struct):
 __slots__ = ('mechanism', 'iterations', )
 mechanism: int
 iterations: int
 def __init__(self, mechanism: int = 0, iterations: int = 0) -> None:
  self.mechanism = mechanism
  self.iterations = iterations


class DescribeUserScramCredentialsResult(Struct):
 __slots__ = ('user', 'error_code', 'error_message', 'credential_infos', )
 user: str
 error_code: int
 error_message: str | None
 credential_infos: list[CredentialInfo]
 def __init__(self, user: str = '', error_code: int = 0, error_message: str | None = '', credential_infos: list[CredentialInfo] = FRESH) -> None:
  self.user = user
  self.error_code = error_code
  self.error_message = error_message
  self.credential_infos = [] if credential_infos is FRESH else credential_infos


class DescribeUserScramCredentialsResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'error_message', 'results', )
 api_key: ClassVar[int] = 50
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = 0
 throttle_time_ms: int
 error_code: int
 error_message: str | None
 results: list[DescribeUserScramCredentialsResult]
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = '', results: list[DescribeUserScramCredentialsResult] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.error_message = error_message
  self.results = [] if results is FRESH else results

def _decode_describe_user_scram_credentials_response_0(view, size):
 pos = 0
 o0 = new(DescribeUserScramCredentialsResponse)
 o0.throttle_time_ms, o0.error_code, n0 = U_ihB(view, pos)
 pos += 7
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: o0.error_message = None
 else:
  end = pos + n0 - 1
  if end > size: raise beyond('DescribeUserScramCredentialsResponse.error_message')
  o0.error_message = view[pos:end].tobytes().decode()
  pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('DescribeUserScramCredentialsResponse.results')
 n1 -= 1
 if n1 * 6 > size - pos: raise beyond('DescribeUserScramCredentialsResponse.results')
 a0 = []
 for _ in range(n1):
  o1 = new(DescribeUserScramCredentialsResult)
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('DescribeUserScramCredentialsResult.user')
  end = pos + n2 - 1
  if end > size: raise beyond('DescribeUserScramCredentialsResult.user')
  o1.user = view[pos:end].tobytes().decode()
  pos = end
  o1.error_code, n3 = U_hB(view, pos)
  pos += 3
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: o1.error_message = None
  else:
   end = pos + n3 - 1
   if end > size: raise beyond('DescribeUserScramCredentialsResult.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  n4 = view[pos]
  pos += 1
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('DescribeUserScramCredentialsResult.credential_infos')
  n4 -= 1
  if n4 * 6 > size - pos: raise beyond('DescribeUserScramCredentialsResult.credential_infos')
  a1 = []
  for _ in range(n4):
   o2 = new(CredentialInfo)
   o2.mechanism, o2.iterations, t0 = U_biB(view, pos)
   pos += 6
   if t0:
    pos = skip_tags(view, pos, t0, size)
   a1.append(o2)
  o1.credential_infos = a1
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
DescribeUserScramCredentialsResponse.decoders = {0: _decode_describe_user_scram_credentials_response_0}

def _encode_describe_user_scram_credentials_response_0(m):
 out = []
 b0 = m.error_message
 if b0 is None:
  b0 = b''; n0 = 0
 else:
  b0 = b0.encode()
  n0 = len(b0) + 1
 out.append(P_ihB(m.throttle_time_ms, m.error_code, n0) if n0 < 128 else P_ih(m.throttle_time_ms, m.error_code) + varint(n0))
 out.append(b0)
 a0 = m.results
 n1 = len(a0) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 for m0 in a0:
  b1 = m0.user.encode()
  n2 = len(b1) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(b1)
  b2 = m0.error_message
  if b2 is None:
   b2 = b''; n3 = 0
  else:
   b2 = b2.encode()
   n3 = len(b2) + 1
  out.append(P_hB(m0.error_code, n3) if n3 < 128 else P_h(m0.error_code) + varint(n3))
  out.append(b2)
  a1 = m0.credential_infos
  n4 = len(a1) + 1
  out.append(U8[n4] if n4 < 128 else varint(n4))
  for m1 in a1:
   out.append(P_bix(m1.mechanism, m1.iterations))
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
DescribeUserScramCredentialsResponse.encoders = {0: _encode_describe_user_scram_credentials_response_0}
