"""GetTelemetrySubscriptions: request in versions 0 to 0 and response in versions 0 to 0.

Generated from the message definitions of kafka-clients 4.1.0 by ``python -m generator``: do not edit.
"""
from typing import ClassVar

from chronik.protocol.wire import FRESH, NO_UUID, U8, UUID, UUIDS, Message, Packing, beyond, new, null, pack, skip_tags, unpack_from, uuid_of, varint, varint_rest

P_16sx = Packing('>16sx').pack
P_ih16si = Packing('>ih16si').pack
P_ih16siB = Packing('>ih16siB').pack
P_iit = Packing('>ii?').pack
P_iitB = Packing('>ii?B').pack
U_16sB = Packing('>16sB').unpack_from
U_ih16siB = Packing('>ih16siB').unpack_from
U_iitB = Packing('>ii?B').unpack_from


class GetTelemetrySubscriptionsRequest(Message):
 __slots__ = ('client_instance_id', )
 api_key: ClassVar[int] = 71
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = 0
 client_instance_id: UUID
 def __init__(self, client_instance_id: UUID = NO_UUID) -> None:
  self.client_instance_id = client_instance_id

def _decode_get_telemetry_subscriptions_request_0(view, size):
 pos = 0
 o0 = new(GetTelemetrySubscriptionsRequest)
 o0.client_instance_id, t0 = U_16sB(view, pos)
 pos += 17
 o0.client_instance_id = UUIDS.get(o0.client_instance_id) or uuid_of(o0.client_instance_id)
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
GetTelemetrySubscriptionsRequest.decoders = {0: _decode_get_telemetry_subscriptions_request_0}

def _encode_get_telemetry_subscriptions_request_0(m):
 out = []
 out.append(P_16sx(m.client_instance_id.bytes))
 return [b''.join(out)]
GetTelemetrySubscriptionsRequest.encoders = {0: _encode_get_telemetry_subscriptions_request_0}


class GetTelemetrySubscriptionsResponse(Message):
 __slots__ = ('throttle_time_ms', 'error_code', 'client_instance_id', 'subscription_id', 'accepted_compression_types', 'push_interval_ms', 'telemetry_max_bytes', 'delta_temporality', 'requested_metrics', )
 api_key: ClassVar[int] = 71
 versions: ClassVar[range] = range(0, 1)
 first_flexible: ClassVar[int | None] = 0
 throttle_time_ms: int
 error_code: int
 client_instance_id: UUID
 subscription_id: int
 accepted_compression_types: list[int]
 push_interval_ms: int
 telemetry_max_bytes: int
 delta_temporality: bool
 requested_metrics: list[str]
 def __init__(self, throttle_time_ms: int = 0, error_code: int = 0, client_instance_id: UUID = NO_UUID, subscription_id: int = 0, accepted_compression_types: list[int] = FRESH, push_interval_ms: int = 0, telemetry_max_bytes: int = 0, delta_temporality: bool = False, requested_metrics: list[str] = FRESH) -> None:
  self.throttle_time_ms = throttle_time_ms
  self.error_code = error_code
  self.client_instance_id = client_instance_id
  self.subscription_id = subscription_id
  self.accepted_compression_types = [] if accepted_compression_types is FRESH else accepted_compression_types
  self.push_interval_ms = push_interval_ms
  self.telemetry_max_bytes = telemetry_max_bytes
  self.delta_temporality = delta_temporality
  self.requested_metrics = [] if requested_metrics is FRESH else requested_metrics

def _decode_get_telemetry_subscriptions_response_0(view, size):
 pos = 0
 o0 = new(GetTelemetrySubscriptionsResponse)
 o0.throttle_time_ms, o0.error_code, o0.client_instance_id, o0.subscription_id, n0 = U_ih16siB(view, pos)
 pos += 27
 o0.client_instance_id = UUIDS.get(o0.client_instance_id) or uuid_of(o0.client_instance_id)
 if n0 > 127:
  n0, pos = varint_rest(view, pos, n0)
 if not n0: raise null('GetTelemetrySubscriptionsResponse.accepted_compression_types')
 n0 -= 1
 if n0 > size - pos: raise beyond('GetTelemetrySubscriptionsResponse.accepted_compression_types')
 o0.accepted_compression_types = list(unpack_from(f'>{n0}b', view, pos))
 pos += n0
 o0.push_interval_ms, o0.telemetry_max_bytes, o0.delta_temporality, n1 = U_iitB(view, pos)
 pos += 10
 if n1 > 127:
  n1, pos = varint_rest(view, pos, n1)
 if not n1: raise null('GetTelemetrySubscriptionsResponse.requested_metrics')
 n1 -= 1
 if n1 > size - pos: raise beyond('GetTelemetrySubscriptionsResponse.requested_metrics')
 a0 = []
 for _ in range(n1):
  n2 = view[pos]
  pos += 1
  if n2 > 127:
   n2, pos = varint_rest(view, pos, n2)
  if not n2: raise null('GetTelemetrySubscriptionsResponse.requested_metrics')
  end = pos + n2 - 1
  if end > size: raise beyond('GetTelemetrySubscriptionsResponse.requested_metrics')
  e0 = view[pos:end].tobytes().decode()
  pos = end
  a0.append(e0)
 o0.requested_metrics = a0
 t0 = view[pos]
 pos += 1
 if t0:
  pos = skip_tags(view, pos, t0, size)
 return o0, pos
GetTelemetrySubscriptionsResponse.decoders = {0: _decode_get_telemetry_subscriptions_response_0}

def _encode_get_telemetry_subscriptions_response_0(m):
 out = []
 a0 = m.accepted_compression_types
 n0 = len(a0) + 1
 out.append(P_ih16siB(m.throttle_time_ms, m.error_code, m.client_instance_id.bytes, m.subscription_id, n0) if n0 < 128 else P_ih16si(m.throttle_time_ms, m.error_code, m.client_instance_id.bytes, m.subscription_id) + varint(n0))
 if a0: out.append(pack(f'>{len(a0)}b', *a0))
 a1 = m.requested_metrics
 n1 = len(a1) + 1
 out.append(P_iitB(m.push_interval_ms, m.telemetry_max_bytes, m.delta_temporality, n1) if n1 < 128 else P_iit(m.push_interval_ms, m.telemetry_max_bytes, m.delta_temporality) + varint(n1))
 for m0 in a1:
  m0 = m0.encode()
  n2 = len(m0) + 1
  out.append(U8[n2] if n2 < 128 else varint(n2))
  out.append(m0)
 out.append(b'\x00')
 return [b''.join(out)]
GetTelemetrySubscriptionsResponse.encoders = {0: _encode_get_telemetry_subscriptions_response_0}
