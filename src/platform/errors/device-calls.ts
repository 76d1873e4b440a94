import { type ErrorInfo } from './error-info.js';

export const DEVICE_CALL_ERRORS = {
  path_refused: {
    status: 400,
    title: 'The device path is not in canonical form',
    advice: 'Send ASCII only, without dot segments, double or encoded slashes, or backslashes.',
  },
  redaction_marker: {
    status: 422,
    title: 'The request holds a redaction marker in the place of a secret',
    advice:
      'Leave out the options whose values you may not read, or send their real values. A marker is `hmac:` and 16 hexadecimal digits.',
  },
  own_account: {
    status: 409,
    title: 'The gateway itself uses this account: its password is changed with a job of the kind credentials',
    advice:
      'Start a job of the kind `credentials`. It sets the new password, proves it with a login and stores it, so that the gateway keeps its access to the device.',
  },
  answer_withheld: {
    status: 403,
    title: "The device's answer may hold secrets, and the gateway cannot check it",
    advice:
      'Ask for the permission `device.read_secrets`. `deviceStatus` is the status of the device: it shows whether a write took effect.',
  },
  too_many_fan_outs: {
    status: 429,
    retryable: true,
    title: 'This operator has too many open fan-outs',
    advice: 'Read the open ones to their end or close them, then try again. `limit` is the largest number.',
  },
  fan_out_not_found: {
    status: 404,
    title: 'There is no such stored fan-out',
    advice: 'GET /v1/fan-outs lists them. The gateway deletes them after STORED_FAN_OUT_DAYS.',
  },
  fan_out_answer_not_found: {
    status: 404,
    title: 'The fan-out has no such answer',
    advice: 'GET /v1/fan-outs/{fanOutId} has the digests of its answers.',
  },
  fan_out_ended: {
    status: 409,
    title: 'The fan-out has ended',
    advice: 'GET /v1/fan-outs/{fanOutId} shows its outcomes.',
  },
  fan_out_running: {
    status: 409,
    retryable: true,
    title: 'The fan-out has not ended',
    advice: 'Wait until it ends, or cancel it, then retry.',
  },
  fan_out_unknown_write: {
    status: 409,
    title: 'Some of these devices may have executed the write',
    advice: 'Read their state first. Then leave out `unknown`, or send `repeatUnknown: true` to write again.',
  },
  fan_out_complete: {
    status: 409,
    title: 'No device of the fan-out has one of these outcomes',
    advice: 'GET /v1/fan-outs/{fanOutId} counts them. Devices whose write may have been executed need `repeatUnknown`.',
  },
  device_replaced: {
    status: 409,
    title: 'The device has another address or serial number than when the work was made',
    advice: 'Check that it is the device you mean. Then start the work again.',
  },
  device_unreachable: {
    status: 502,
    retryable: true,
    title: 'The gateway cannot connect to the device',
    advice: 'Check that the device is on, that the gateway can reach it, and that its base URL is right.',
  },
  device_address_refused: {
    status: 502,
    title: "The device's name resolves to an address that is never a device",
    advice: 'Correct the base URL or the DNS record. DEVICE_ALLOWED_CIDRS narrows the allowed addresses.',
  },
  device_trust_changed: {
    status: 502,
    title: 'The device shows another certificate than before',
    advice:
      'Compare both fingerprints with the device. If the hardware was replaced, use POST /v1/devices/{ref}/replace. ' +
      'Otherwise accept the new one with PUT /v1/devices/{ref}/trust.',
  },
  identity_mismatch: {
    status: 502,
    title: 'Another device answers at this address',
    advice:
      'If the hardware was replaced, use POST /v1/devices/{ref}/replace. Otherwise correct the base URL of the device.',
  },
  device_tls_failed: {
    status: 502,
    retryable: true,
    title: 'The TLS handshake with the device failed',
    advice: 'Check the trust setting of the device, and that it offers TLS 1.2 or newer.',
  },
  device_credentials_refused: {
    status: 502,
    title: 'The device refuses the stored credentials',
    advice: 'Correct them with PUT /v1/devices/{ref}/credentials. The gateway does not retry refused ones.',
  },
  device_login_failed: {
    status: 502,
    retryable: true,
    title: 'The device did not answer the login with a session',
    advice:
      'Look at `deviceErrors` and `reason`: a locked account is unlocked on the device. Where there is a `demand`, set a new password on the device itself, then store it with PUT /v1/devices/{ref}/credentials.',
  },
  device_answer_invalid: {
    status: 502,
    title: "The device's answer does not match its API",
    advice: 'Read the same path through the passthrough to see the answer.',
  },
  device_answer_too_large: {
    status: 502,
    title: "The device's answer is too large",
    advice: 'Ask the device for less.',
  },
  device_answer_cut: {
    status: 502,
    retryable: true,
    title: "The connection closed in the middle of the device's answer",
    advice: 'A read changes nothing, so try again.',
  },
  device_timeout: {
    status: 504,
    retryable: true,
    title: 'The device did not answer in time',
    advice: 'Try again later. Slow device links may need a longer deadline.',
  },
  call_given_up: {
    status: 503,
    retryable: true,
    title: 'The call was cancelled before anything was sent',
    advice: 'Its caller disconnected or stopped. Send it again.',
  },
  device_outcome_unknown: {
    status: 502,
    title: 'The device may or may not have executed the request',
    advice: 'Read the state of the device before you send anything again.',
  },
  device_refused: {
    status: 502,
    title: 'The device refused the request',
    advice:
      "Look at `deviceErrors`: they are the device's own error objects. Where there is a `demand`, set a new password on the device itself, then store it with PUT /v1/devices/{ref}/credentials.",
  },
  device_circuit_open: {
    status: 503,
    retryable: true,
    title: 'The device failed so often that the gateway sends it nothing for a while',
    advice: 'Try again after Retry-After seconds.',
  },
  device_queue_full: {
    status: 503,
    retryable: true,
    title: 'Too many calls already wait for this device',
    advice: 'Send fewer calls at once to this device.',
  },
} as const satisfies Record<string, ErrorInfo>;
