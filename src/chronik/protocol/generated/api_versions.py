"""ApiVersions: request in versions 0 to 4 and response in versions 0 to 4.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, U8, Message, Packing, Struct, beyond, new, null, skip_tags, tagged, unused, varint, varint_rest

P_t = Packing('>?').pack
P_h = Packing('>h').pack
P_hB = Packing('>hB').pack
P_hhh = Packing('>hhh').pack
P_hhhx = Packing('>hhhx').pack
P_hhx = Packing('>hhx').pack
P_hi = Packing('>hi').pack
P_i = Packing('>i').pack
P_q = Packing('>q').pack
U_t = Packing('>?').unpack_from
U_hB = Packing('>hB').unpack_from
U_hhB = Packing('>hhB').unpack_from
U_hhh = Packing('>hhh').unpack_from
U_hhhB = Packing('>hhhB').unpack_from
U_hi = Packing('>hi').unpack_from
U_i = Packing('>i').unpack_from
U_iB = Packing('>iB').unpack_from
U_q = Packing('>q').unpack_from


class ApiVersionsRequest(Message):
 __slots__ = ('client_software_name', 'client_software_version', )
 api_key: ClassVar[int] = 18
 versions: ClassVar[range] = range(0, 5)
 first_flexible: ClassVar[int | None] = 3
 client_software_name: str
 client_software_version: str
 def __init__(self, client_software_name: str = '', client_software_version: str = '') -> None:
  self.client_software_name = client_software_name
  self.client_software_version = client_software_version

def _decode_api_versions_request_0(view, size):
 pos = 0
 o0 = new(ApiVersionsRequest)
 o0.client_software_name = ''
 o0.client_software_version = ''
 return o0, pos
def _decode_api_versions_request_3(view, size):
 pos = 0
 o0 = new(ApiVersionsRequest)
 n0 = view[pos]
 pos += 1
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ApiVersionsRequest.client_software_name')
 end = pos + n0 - 1
 if end > size: raise beyond('ApiVersionsRequest.client_software_name')
 o0.client_software_name = view[pos:end].tobytes().decode()
 pos = end
 n1 = view[pos]
 pos += 1
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('ApiVersionsRequest.client_software_version')
 end = pos + n1 - 1
 if end > size: raise beyond('ApiVersionsRequest.client_software_version')
 o0.client_software_version = view[pos:end].tobytes().decode()
 pos = end
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
ApiVersionsRequest.decoders = {0: _decode_api_versions_request_0, 1: _decode_api_versions_request_0, 2: _decode_api_versions_request_0, 3: _decode_api_versions_request_3, 4: _decode_api_versions_request_3}

def _encode_api_versions_request_0(m):
 out = []
 return [b''.join(out)]
def _encode_api_versions_request_3(m):
 out = []
 b0 = m.client_software_name.encode()
 n0 = len(b0) + 1
 out.append(U8[n0] if n0 < 128 else varint(n0))
 out.append(b0)
 b1 = m.client_software_version.encode()
 n1 = len(b1) + 1
 out.append(U8[n1] if n1 < 128 else varint(n1))
 out.append(b1)
 out.append(b'\x00')
 return [b''.join(out)]
ApiVersionsRequest.encoders = {0: _encode_api_versions_request_0, 1: _encode_api_versions_request_0, 2: _encode_api_versions_request_0, 3: _encode_api_versions_request_3, 4: _encode_api_versions_request_3}


class ApiVersion(Struct):
 __slots__ = ('api_key', 'min_version', 'max_version', )
 api_key: int
 min_version: int
 max_version: int
 def __init__(self, api_key: int = 0, min_version: int = 0, max_version: int = 0) -> None:
  self.api_key = api_key
  self.min_version = min_version
  self.max_version = max_version


class SupportedFeatureKey(Struct):
 __slots__ = ('name', 'min_version', 'max_version', )
 name: str
 min_version: int
 max_version: int
 def __init__(self, name: str = '', min_version: int = 0, max_version: int = 0) -> None:
  self.name = name
  self.min_version = min_version
  self.max_version = max_version


class FinalizedFeatureKey(Struct):
 __slots__ = ('name', 'max_version_level', 'min_version_level', )
 name: str
 max_version_level: int
 min_version_level: int
 def __init__(self, name: str = '', max_version_level: int = 0, min_version_level: int = 0) -> None:
  self.name = name
  self.max_version_level = max_version_level
  self.min_version_level = min_version_level


class ApiVersionsResponse(Message):
 __slots__ = ('error_code', 'api_keys', 'throttle_time_ms', 'supported_features', 'finalized_features_epoch', 'finalized_features', 'zk_migration_ready', )
 api_key: ClassVar[int] = 18
 versions: ClassVar[range] = range(0, 5)
 first_flexible: ClassVar[int | None] = 3
 error_code: int
 api_keys: list[ApiVersion]
 throttle_time_ms: int
 supported_features: list[SupportedFeatureKey]
 finalized_features_epoch: int
 finalized_features: list[FinalizedFeatureKey]
 zk_migration_ready: bool
 def __init__(self, error_code: int = 0, api_keys: list[ApiVersion] = FRESH, throttle_time_ms: int = 0, supported_features: list[SupportedFeatureKey] = FRESH, finalized_features_epoch: int = -1, finalized_features: list[FinalizedFeatureKey] = FRESH, zk_migration_ready: bool = False) -> None:
  self.error_code = error_code
  self.api_keys = [] if api_keys is FRESH else api_keys
  self.throttle_time_ms = throttle_time_ms
  self.supported_features = [] if supported_features is FRESH else supported_features
  self.finalized_features_epoch = finalized_features_epoch
  self.finalized_features = [] if finalized_features is FRESH else finalized_features
  self.zk_migration_ready = zk_migration_ready

def _decode_api_versions_response_0(view, size):
 pos = 0
 o0 = new(ApiVersionsResponse)
 o0.error_code, n0 = U_hi(view, pos)
 pos += 6
 if n0 < 0: raise null('ApiVersionsResponse.api_keys')
 if n0 * 6 > size - pos: raise beyond('ApiVersionsResponse.api_keys')
 a0 = []
 for _ in range(n0):
  o1 = new(ApiVersion)
  o1.api_key, o1.min_version, o1.max_version = U_hhh(view, pos)
  pos += 6
  a0.append(o1)
 o0.api_keys = a0
 o0.throttle_time_ms = 0
 o0.supported_features = []
 o0.finalized_features_epoch = -1
 o0.finalized_features = []
 o0.zk_migration_ready = False
 return o0, pos
def _decode_api_versions_response_1(view, size):
 pos = 0
 o0 = new(ApiVersionsResponse)
 o0.error_code, n0 = U_hi(view, pos)
 pos += 6
 if n0 < 0: raise null('ApiVersionsResponse.api_keys')
 if n0 * 6 > size - pos: raise beyond('ApiVersionsResponse.api_keys')
 a0 = []
 for _ in range(n0):
  o1 = new(ApiVersion)
  o1.api_key, o1.min_version, o1.max_version = U_hhh(view, pos)
  pos += 6
  a0.append(o1)
 o0.api_keys = a0
 o0.supported_features = []
 o0.finalized_features_epoch = -1
 o0.finalized_features = []
 o0.zk_migration_ready = False
 o0.throttle_time_ms, = U_i(view, pos)
 pos += 4
 return o0, pos
def _decode_api_versions_response_3(view, size):
 pos = 0
 o0 = new(ApiVersionsResponse)
 o0.error_code, n0 = U_hB(view, pos)
 pos += 3
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('ApiVersionsResponse.api_keys')
 n0 -= 1
 if n0 * 7 > size - pos: raise beyond('ApiVersionsResponse.api_keys')
 a0 = []
 for _ in range(n0):
  o1 = new(ApiVersion)
  o1.api_key, o1.min_version, o1.max_version, t0 = U_hhhB(view, pos)
  pos += 7
  if t0:
   pos = skip_tags(view, pos, t0, size)
  a0.append(o1)
 o0.api_keys = a0
 o0.supported_features = []
 o0.finalized_features_epoch = -1
 o0.finalized_features = []
 o0.zk_migration_ready = False
 o0.throttle_time_ms, t1 = U_iB(view, pos)
 pos += 5
 if t1:
  if t1 > 127:
   t1, pos = varint_rest(view, pos, t1)
  for _ in range(t1):
   tag0 = view[pos]
   pos += 1
   if tag0 > 127:
    tag0, pos = varint_rest(view, pos, tag0)
   stop0 = view[pos]
   pos += 1
   if stop0 > 127:
    stop0, pos = varint_rest(view, pos, stop0)
   stop0 += pos
   if stop0 > size: raise beyond('ApiVersionsResponse')
   if tag0 == 0:
    n1 = view[pos]
    pos += 1
    if n1 > 127:
     n1, pos = varint_rest(view, pos, n1)
    if not n1: raise null('ApiVersionsResponse.supported_features')
    n1 -= 1
    if n1 * 6 > size - pos: raise beyond('ApiVersionsResponse.supported_features')
    a1 = []
    for _ in range(n1):
     o2 = new(SupportedFeatureKey)
     n2 = view[pos]
     pos += 1
     if n2 > 127:
      n2, pos = varint_rest(view, pos, n2)
     if not n2: raise null('SupportedFeatureKey.name')
     end = pos + n2 - 1
     if end > size: raise beyond('SupportedFeatureKey.name')
     o2.name = view[pos:end].tobytes().decode()
     pos = end
     o2.min_version, o2.max_version, t2 = U_hhB(view, pos)
     pos += 5
     if t2:
      pos = skip_tags(view, pos, t2, size)
     a1.append(o2)
    o0.supported_features = a1
    if pos != stop0: raise unused('ApiVersionsResponse.supported_features')
   elif tag0 == 1:
    o0.finalized_features_epoch, = U_q(view, pos)
    pos += 8
    if pos != stop0: raise unused('ApiVersionsResponse.finalized_features_epoch')
   elif tag0 == 2:
    n3 = view[pos]
    pos += 1
    if n3 > 127:
     n3, pos = varint_rest(view, pos, n3)
    if not n3: raise null('ApiVersionsResponse.finalized_features')
    n3 -= 1
    if n3 * 6 > size - pos: raise beyond('ApiVersionsResponse.finalized_features')
    a2 = []
    for _ in range(n3):
     o3 = new(FinalizedFeatureKey)
     n4 = view[pos]
     pos += 1
     if n4 > 127:
      n4, pos = varint_rest(view, pos, n4)
     if not n4: raise null('FinalizedFeatureKey.name')
     end = pos + n4 - 1
     if end > size: raise beyond('FinalizedFeatureKey.name')
     o3.name = view[pos:end].tobytes().decode()
     pos = end
     o3.max_version_level, o3.min_version_level, t3 = U_hhB(view, pos)
     pos += 5
     if t3:
      pos = skip_tags(view, pos, t3, size)
     a2.append(o3)
    o0.finalized_features = a2
    if pos != stop0: raise unused('ApiVersionsResponse.finalized_features')
   elif tag0 == 3:
    o0.zk_migration_ready, = U_t(view, pos)
    pos += 1
    if pos != stop0: raise unused('ApiVersionsResponse.zk_migration_ready')
   else:
    pos = stop0
 return o0, pos
ApiVersionsResponse.decoders = {0: _decode_api_versions_response_0, 1: _decode_api_versions_response_1, 2: _decode_api_versions_response_1, 3: _decode_api_versions_response_3, 4: _decode_api_versions_response_3}

def _encode_api_versions_response_0(m):
 out = []
 a0 = m.api_keys
 n0 = len(a0)
 out.append(P_hi(m.error_code, n0))
 for m0 in a0:
  out.append(P_hhh(m0.api_key, m0.min_version, m0.max_version))
 return [b''.join(out)]
def _encode_api_versions_response_1(m):
 out = []
 a0 = m.api_keys
 n0 = len(a0)
 out.append(P_hi(m.error_code, n0))
 for m0 in a0:
  out.append(P_hhh(m0.api_key, m0.min_version, m0.max_version))
 out.append(P_i(m.throttle_time_ms))
 return [b''.join(out)]
def _encode_api_versions_response_3(m):
 out = []
 a0 = m.api_keys
 n0 = len(a0) + 1
 out.append(P_hB(m.error_code, n0) if n0 < 128 else P_h(m.error_code) + varint(n0))
 for m0 in a0:
  out.append(P_hhhx(m0.api_key, m0.min_version, m0.max_version))
 out.append(P_i(m.throttle_time_ms))
 if (m.supported_features) or (m.finalized_features_epoch != -1) or (m.finalized_features) or (m.zk_migration_ready):
  t0 = []
  if m.supported_features:
   part0 = []
   a1 = m.supported_features
   n1 = len(a1) + 1
   part0.append(U8[n1] if n1 < 128 else varint(n1))
   for m1 in a1:
    b0 = m1.name.encode()
    n2 = len(b0) + 1
    part0.append(U8[n2] if n2 < 128 else varint(n2))
    part0.append(b0)
    part0.append(P_hhx(m1.min_version, m1.max_version))
   t0.append(tagged(0, part0))
  if m.finalized_features_epoch != -1:
   part0 = []
   part0.append(P_q(m.finalized_features_epoch))
   t0.append(tagged(1, part0))
  if m.finalized_features:
   part0 = []
   a2 = m.finalized_features
   n3 = len(a2) + 1
   part0.append(U8[n3] if n3 < 128 else varint(n3))
   for m2 in a2:
    b1 = m2.name.encode()
    n4 = len(b1) + 1
    part0.append(U8[n4] if n4 < 128 else varint(n4))
    part0.append(b1)
    part0.append(P_hhx(m2.max_version_level, m2.min_version_level))
   t0.append(tagged(2, part0))
  if m.zk_migration_ready:
   part0 = []
   part0.append(P_t(m.zk_migration_ready))
   t0.append(tagged(3, part0))
  out.append(varint(len(t0)))
  out += t0
 else:
  out.append(b'\x00')
 return [b''.join(out)]
ApiVersionsResponse.encoders = {0: _encode_api_versions_response_0, 1: _encode_api_versions_response_1, 2: _encode_api_versions_response_1, 3: _encode_api_versions_response_3, 4: _encode_api_versions_response_3}
