import { type ErrorCode } from '../../platform/errors.js';

/*
 * `Proxy-Status` (RFC 9209) tells whether the device or the gateway answered. An answer of the device has its status;
 * one of the gateway has `error` with a type of the registry in RFC 9209, section 2.3.
 */

const ERROR_TYPES: Partial<Record<ErrorCode, string>> = {
  path_refused: 'http_request_error',
  redaction_marker: 'http_request_error',
  own_account: 'http_request_denied',
  invalid_input: 'http_request_error',
  invalid_json: 'http_request_error',
  body_too_large: 'http_request_error',
  request_too_slow: 'http_request_error',
  unsupported_media_type: 'http_request_error',
  unauthenticated: 'http_request_denied',
  forbidden: 'http_request_denied',
  answer_withheld: 'http_request_denied',
  change_reason_required: 'http_request_denied',
  route_not_found: 'http_request_error',
  device_not_found: 'destination_not_found',
  device_has_no_credentials: 'proxy_configuration_error',
  device_credentials_refused: 'proxy_configuration_error',
  device_login_failed: 'http_protocol_error',
  secret_unreadable: 'proxy_configuration_error',
  device_address_refused: 'destination_ip_prohibited',
  device_unreachable: 'connection_refused',
  device_trust_changed: 'tls_certificate_error',
  identity_mismatch: 'destination_not_found',
  device_tls_failed: 'tls_protocol_error',
  device_timeout: 'http_response_timeout',
  device_answer_cut: 'http_response_incomplete',
  device_outcome_unknown: 'http_response_incomplete',
  device_answer_too_large: 'http_response_body_size',
  device_answer_invalid: 'http_protocol_error',
  device_circuit_open: 'destination_unavailable',
  device_queue_full: 'connection_limit_reached',
};

/** For an answer of the gateway. */
export function statusOfError(code: ErrorCode): string {
  return `fleetgate; error=${ERROR_TYPES[code] ?? 'proxy_internal_error'}; details="${code}"`;
}

/** For an answer of the device. @param demand what a person must do first, in the gateway's words */
export function statusOfAnswer(status: number, demand: string | null): string {
  return `fleetgate; received-status=${status}${demand === null ? '' : `; details="${demand}"`}`;
}
