"""AlterUserScramCredentials: request in versions 0 to 0 and response in versions 0 to 0.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, varint, varint_rest

P_bi = Packing('>bi').pack
P_biB = Packing('>biB').pack
P_bx = Packing('>bx').pack
P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_i = Packing('>i').pack
P_iB = Packing('>iB').pack
U_bB = Packing('>bB').unpack_from
U_biB = Packing('>biB').unpack_from
U_hB = Packing('>hB').unpack_from
U_iB = Packing('>iB').unpack_from


class ScramCredentialDeletion(Struct):
 __slots__ = ('name', 'mechanism', )
 name: str
 mechanism: int
 def __init__(self, name: str = '', mechanism: int = 0) -> None:
  self.name = name
  self.mechanism = mechanism


class ScramCredentialUpsertion(Struct):
 __slots__ = ('name', 'mechanism', 'iterations', 'salt', 'salted_password', )
 name: str
 mechanism: int
 iterations: int
 salt: bytes
 salted_password: bytes
 def __init__(self, name: str = '', mechanism: int = 0, iterations: int = 0, salt: bytes = b'', salted_password: bytes = b'') -> None:
  self.name = name
  self.mechanism = mechanism
  self.iterations = iterations
  self.salt = salt
  self.salted_password = salted_password


class AlterUserScramCredentialsRequest(Message):
 __slots__ = ('deletions', 'upsertions', )
 api_key: ClassVar[int] = 51
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = 0
 deletions: list[ScramCredentialDeletion]
 upsertions: list[ScramCredentialUpsertion]
 def __init__(self, deletions: list[ScramCredentialDeletion] = FRESH, upsertions: list[ScramCredentialUpsertion] = FRESH) -> None:
  self.deletions = [] if deletions is FRESH else deletions
  self.upsertions = [] if upsertions is FRESH else upsertions

def _decode_alter_user_scram_credentials_request_0(view, size):
 pos = 0
 o0 = new(AlterUserScramCredentialsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('AlterUserScramCredentialsRequest.deletions')
 n0 -= 1
 if n0 * 3 > size - pos: raise beyond('AlterUserScramCredentialsRequest.deletions')
 a0 = []
 for _ in range(n0):
  o1 = new(ScramCredentialDeletion)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('ScramCredentialDeletion.name')
  end = pos + n1 - 1
  if end > size: raise beyond('ScramCredentialDeletion.name')
  o1.name = view[pos:end].tobytes().decode()
  pos = end
  o1.mechanism, t0 = U_bB(view, pos)
  pos += 2
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.deletions = a0
 n2 = view[pos]
 pos += 1
 if n2 > 127:
  n2, pos = varint_rest(view, pos, n2)
 if not n2: raise null('AlterUserScramCredentialsRequest.upsertions')
 n2 -= 1
 if n2 * 9 > size - pos: raise beyond('AlterUserScramCredentialsRequest.upsertions')
 a1 = []
 for _ in range(n2):
  o2 = new(ScramCredentialUpsertion)
  n3 = view[pos]
  pos += 1
  if n3 > 127:
   n3, pos = varint_rest(view, pos, n3)
  if not n3: raise null('ScramCredentialUpsertion.name')
  end = pos + n3 - 1
  if end > size: raise beyond('ScramCredentialUpsertion.name')
  o2.name = view[pos:end].tobytes().decode()
  pos = end
  o2.mechanism, o2.iterations, n4 = U_biB(view, pos)
  pos += 6
  if n4 > 127:
   n4, pos = varint_rest(view, pos, n4)
  if not n4: raise null('ScramCredentialUpsertion.salt')
  end = pos + n4 - 1
  if end > size: raise beyond('ScramCredentialUpsertion.salt')
  o2.salt = view[pos:end].tobytes()
  pos = end
  n5 = view[pos]
  pos += 1
  if n5 > 127:
   n5, pos = varint_rest(view, pos, n5)
  if not n5: raise null('ScramCredentialUpsertion.salted_password')
  end = pos + n5 - 1
  if end > size: raise beyond('ScramCredentialUpsertion.salted_password')
  o2.salted_password = view[pos:end].tobytes()
  pos = end
  t1 = view[pos]
  pos += 1
  if t1:
   pos = skip_tags(view, pos, t1, size)
  a1.append(o2)
 o0.upsertions = a1
 t2 = view[pos]
 pos += 1
 if t2:
  pos = skip_tags(view, pos, t2, size)
 return o0, pos
AlterUserScramCredentialsRequest.decoders = {0: _decode_alter_user_scram_credentials_request_0}

def _encode_alter_user_scram_credentials_request_0(m):
 out = []
 a0 = m.deletions
 n0 = len(a0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 for m0 in a0:
  b0 = m0.name.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  out.append(P_bx(m0.mechanism))
 a1 = m.upsertions
 n2 = len(a1) + 1
 out.append(U8[n2] if n2 < 128 else varint(n2))
 for m1 in a1:
  b1 = m1.name.encode()
  n3 = len(b1) + 1
  out.append(U8[n3] if n3 < 128 else varint(n3))
  out.append(b1)
  b2 = m1.salt
  n4 = len(b2) + 1
  out.append(P_biB(m1.mechanism, m1.iterations, n4) if n4 < 128 else P_bi(m1.mechanism, m1.iterations) + varint(n4))
  out.append(b2)
  b3 = m1.salted_password
  n5 = len(b3) + 1
  out.append(U8[n5] if n5 < 128 else varint(n5))
  out.append(b3)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
AlterUserScramCredentialsRequest.encoders = {0: _encode_alter_user_scram_credentials_request_0}


class AlterUserScramCredentialsResult(Struct):
 __slots__ = ('user', 'error_code', 'error_message', )
 user: str
 error_code: int
 error_message: str | None
 def __init__(self, user: str = '', error_code: int = 0, error_message: str | None = '') -> None:
  self.user = user
  self.error_code = error_code
  self.error_message = error_message


class AlterUserScramCredentialsResponse(Message):
 __slots__ = ('throttle_time_ms', 'results', )
 api_key: ClassVar[int] = 51
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = 0
 throttle_time_ms: int
 results: list[AlterUserScramCredentialsResult]
 def __init__(self, throttle_time_ms: int = 0, results: list[AlterUserScramCredentialsResult] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.results = [] if results is FRESH else results

def _decode_alter_user_scram_credentials_response_0(view, size):
 pos = 0
 o0 = new(AlterUserScramCredentialsResponse)
 o0.throttle_time_ms, n0 = U_iB(view, pos)
 pos += 5
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('AlterUserScramCredentialsResponse.results')
 n0 -= 1
 if n0 * 5 > size - pos: raise beyond('AlterUserScramCredentialsResponse.results')
 a0 = []
 for _ in range(n0):
  o1 = new(AlterUserScramCredentialsResult)
  n1 = view[pos]
  pos += 1
  if n1 > 127:
   n1, pos = varint_rest(view, pos, n1)
  if not n1: raise null('AlterUserScramCredentialsResult.user')
  end = pos + n1 - 1
  if end > size: raise beyond('AlterUserScramCredentialsResult.user')
  o1.user = view[pos:end].tobytes().decode()
  pos = end
  o1.error_code, n2 = U_hB(view, pos)
  pos += 3
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: o1.error_message = None
  else:
   end = pos + n2 - 1
   if end > size: raise beyond('AlterUserScramCredentialsResult.error_message')
   o1.error_message = view[pos:end].tobytes().decode()
   pos = end
  t0 = view[pos]
  pos += 1
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.results = a0
 t1 = view[pos]
 pos += 1
 if t1:
  pos = skip_tags(view, pos, t1, size)
 return o0, pos
AlterUserScramCredentialsResponse.decoders = {0: _decode_alter_user_scram_credentials_response_0}

def _encode_alter_user_scram_credentials_response_0(m):
 out = []
 a0 = m.results
 n0 = len(a0) + 1
 out.append(P_iB(m.throttle_time_ms, n0) if n0 < 128 else P_i(m.throttle_time_ms) + varint(n0))
 for m0 in a0:
  b0 = m0.user.encode()
  n1 = len(b0) + 1
  out.append(U8[n1] if n1 < 128 else varint(n1))
  out.append(b0)
  b1 = m0.error_message
  if b1 is None:
   b1 = b''; n2 = 0
  else:
   b1 = b1.encode()
   n2 = len(b1) + 1
  out.append(P_hB(m0.error_code, n2) if n2 < 128 else P_h(m0.error_code) + varint(n2))
  out.append(b1)
  out.append(b'\x00')
 out.append(b'\x00')
 return [b''.join(out)]
AlterUserScramCredentialsResponse.encoders = {0: _encode_alter_user_scram_credentials_response_0}
