"""PushTelemetry: request in versions 0 to 0 and response in versions 0 to 0.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import NO_UUID, UUID, UUIDS, Message, Packing, beyond, new, null, skip_tags, uuid_of, varint, varint_rest

P_16sitb = Packing('>16si?b').pack
P_16sitbB = Packing('>16si?bB').pack
P_ihx = Packing('>ihx').pack
U_16sitbB = Packing('>16si?bB').unpack_from
U_ihB = Packing('>ihB').unpack_from


class PushTelemetryRequest(Message):
 __slots__ = ('client_instance_id', 'subscription_id', 'terminating', 'compression_type', 'metrics', )
 api_key: ClassVar[int] = 72
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = 0
 client_instance_id: UUID
 subscription_id: int
 terminating: bool
 compression_type: int
 metrics: bytes
 def __init__(self, client_instance_id: UUID = NO_UUID, subscription_id: int = 0, terminating: bool = False, compression_type: int = 0, metrics: bytes = b'') -> None:
  self.client_instance_id = client_instance_id
  self.subscription_id = subscription_id
  self.terminating = terminating
  self.compression_type = compression_type
  self.metrics = metrics

def _decode_push_telemetry_request_0(view, size):
 pos = 0
 o0 = new(PushTelemetryRequest)
 o0.client_instance_id, o0.subscription_id, o0.terminating, o0.compression_type, n0 = U_16sitbB(view, pos)
 pos += 23
 o0.client_instance_id = UUIDS.get(o0.client_instance_id) or uuid_of(o0.client_instance_id)
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('PushTelemetryRequest.metrics')
 end = pos + n0 - 1
 if end > size: raise beyond('PushTelemetryRequest.metrics')
 o0.metrics = view[pos:end].tobytes()
 pos = end
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
PushTelemetryRequest.decoders = {0: _decode_push_telemetry_request_0}

def _encode_push_telemetry_request_0(m):
 out = []
 b0 = m.metrics
 n0 = len(b0) + 1
 out.append(P_16sitbB(m.client_instance_id.bytes, m.subscription_id, m.terminating, m.compression_type, n0) if n0 < 128 else P_16sitb(m.client_instance_id.bytes, m.subscription_id, m.terminating, m.compression_type) + varint(n0))
 out.append(b0)
 out.append(b'\x00')
 return [b''.join(out)]
PushTelemetryRequest.encoders = {0: _encode_push_telemetry_request_0}


class PushTelemetryResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', )
 api_key: ClassVar[int] = 72
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = 0
 throttle_time_ms: int
 error_code: int
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code

def _decode_push_telemetry_response_0(view, size):
 pos = 0
 o0 = new(PushTelemetryResponse)
 o0.throttle_time_ms, o0.error_code, t0 = U_ihB(view, pos)
 pos += 7
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
PushTelemetryResponse.decoders = {0: _decode_push_telemetry_response_0}

def _encode_push_telemetry_response_0(m):
 out = []
 out.append(P_ihx(m.throttle_time_ms, m.error_code))
 return [b''.join(out)]
PushTelemetryResponse.encoders = {0: _encode_push_telemetry_response_0}
