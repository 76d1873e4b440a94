import { COMMON_ERRORS, problemMedia } from '../http/endpoint.js';
import { ERRORS, type ErrorCode } from '../platform/errors.js';

/* The passthrough in the OpenAPI document. It is no Nest route, so decorators cannot describe it. */

const CODES: readonly ErrorCode[] = [
  ...COMMON_ERRORS,
  'answer_withheld',
  'body_too_large',
  'change_reason_required',
  'device_address_refused',
  'device_answer_cut',
  'device_answer_invalid',
  'device_answer_too_large',
  'device_circuit_open',
  'device_credentials_refused',
  'device_has_no_credentials',
  'device_login_failed',
  'device_not_found',
  'device_outcome_unknown',
  'device_queue_full',
  'device_refused', // the list of accounts, which some writes compare
  'device_timeout',
  'device_tls_failed',
  'device_trust_changed',
  'device_unreachable',
  'identity_mismatch',
  'invalid_json',
  'own_account',
  'path_refused',
  'redaction_marker',
  'request_aborted', // while the gateway reads a body
  'request_too_slow', // while other calls wait for the device
  'secret_unreadable',
  'shutting_down',
  'unsupported_media_type',
];

const READS = ['get', 'head', 'options'] as const;
const WRITES = ['post', 'put', 'patch', 'delete'] as const;

const PARAMETERS = [
  {
    name: 'ref',
    in: 'path',
    required: true,
    description: 'The device: its id, `name:…`, `serial:…` or `mac:…`',
    schema: { type: 'string' },
  },
  {
    name: 'path',
    in: 'path',
    required: true,
    description: 'The rest of the path on the device, with slashes, exactly as the device must receive it',
    schema: { type: 'string' },
    example: 'system/device/status',
  },
];

const REDACT = {
  name: 'Fleetgate-Redact',
  in: 'header',
  required: false,
  description: '`yes`: an answer without its secrets, also for those who may read them; no read of secrets is audited',
  schema: { type: 'string', enum: ['yes'] },
};

/** Bodies are the device's, with its JSON as examples. */
const BODY = { schema: {}, example: { data: { enabled: '1' } } };
const ANSWER = { schema: {}, example: { success: true, data: { id: 'wg0', '.type': 'interface', enabled: '1' } } };

const DESCRIPTION = `Path, query and body are the device's own, and so are status and body of the answer, byte for byte.
\`Proxy-Status\` says who speaks: \`received-status\` is the device, \`error\` is the gateway, and
\`details\` beside a status says that the device asks for another password first. \`Server-Timing\` holds the
milliseconds in the queue, for a login and of the device. Paths that are not canonical are refused, and so are
\`/api/login\` and \`/api/logout\`, since all callers share one session; each item of \`/api/bulk\` is authorized by itself.

Equal GETs that wait for a device at the same time are one call to it, up to answers of 1 MiB; \`Cache-Status: fleetgate;
fwd=miss; collapsed\` says that an answer was made for another caller, and \`Cache-Control: no-cache\` asks for a call of one's
own.`;

const FACADE = `The same for clients that were written for the device itself: give them \`https://<gateway>/d/{ref}\` as its
address and an API key as its password. \`POST /api/login\` answers the key as the token, \`/api/logout\` and
\`/api/session/status\` answer as the device does, and refusals of the gateway have the envelope of the device.
\`/api/unauthorized/status\` needs no token. Secrets are left out, with \`<option>:set\` in their place, and a refused item of
\`/api/bulk\` is an error at its place.

Where the gateway runs with \`DEVICE_HOST_SUFFIX=devices.example\`, \`https://<label>.devices.example/api/{path}\` is the same for
clients that take only a host and a port; the label is the device's id, its name, or \`serial-\` and its serial number.`;

/** The path items of the passthrough and of the façade. */
export function describePassthrough(): Record<string, Record<string, object>> {
  return {
    '/v1/devices/{ref}/api/{path}': operations('passthrough', DESCRIPTION),
    '/d/{ref}/api/{path}': operations('facade', FACADE),
  };
}

function operations(name: string, description: string): Record<string, object> {
  return Object.fromEntries([
    ...READS.map((method) => [method, operation(name, description, method, false)]),
    ...WRITES.map((method) => [method, operation(name, description, method, true)]),
  ]) as Record<string, object>;
}

function operation(name: string, description: string, method: string, writes: boolean): object {
  return {
    operationId: `${name}_${method}`,
    tags: [name === 'facade' ? 'Façade' : 'Passthrough'],
    summary: writes ? 'Writes to a device through the gateway' : 'Reads from a device through the gateway',
    description,
    parameters: name === 'facade' ? PARAMETERS : [...PARAMETERS, REDACT],
    ...(writes ? { requestBody: { description: 'Any body that the device accepts', content: { '*/*': BODY } } } : {}),
    responses: responses(),
    'x-permission': writes ? 'device.call_write' : 'device.call_read',
    ...(writes
      ? {
          'x-audit-action': 'device.call_write',
          'x-idempotency':
            'no: the answer is the device’s own, streamed and not stored; jobs of the kind call are durable',
        }
      : {}),
  };
}

function responses(): Record<string, object> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of CODES) byStatus.set(ERRORS[code].status, [...(byStatus.get(ERRORS[code].status) ?? []), code]);
  const problems = [...byStatus].map(([status, codes]) => [
    String(status),
    {
      description: `Of the gateway: ${codes.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('; ')}`,
      content: { 'application/problem+json': problemMedia(codes) },
    },
  ]);
  return {
    '2XX': { description: 'The answer of the device', content: { '*/*': ANSWER } },
    default: { description: 'The answer of the device with another status', content: { '*/*': ANSWER } },
    ...Object.fromEntries(problems),
  };
}
