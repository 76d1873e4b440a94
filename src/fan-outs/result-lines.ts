import { type FleetMember } from '../devices/fleet-files/fleet.service.js';
import { type ErrorCode } from '../platform/errors.js';
import { type FanOutLine, type FanOutOutcome, type ResultLine } from './fan-out.contract.js';
import { JsonText, type ReadAnswer } from './read-answers.js';

/* The line of one device. Pure. */

/** Errors that prove that the device was not reached. */
const UNREACHABLE: ReadonlySet<ErrorCode> = new Set([
  'device_unreachable',
  'device_timeout',
  'device_tls_failed',
  'device_circuit_open',
  'device_answer_cut',
]);

/** Errors before any call to the device. */
const NOT_CALLED: ReadonlySet<ErrorCode> = new Set([
  'device_has_no_credentials',
  'device_credentials_refused',
  'device_trust_changed',
  'device_address_refused',
  'device_not_found',
  'identity_mismatch',
  'shutting_down',
  'locked',
  'author_gone',
  'starter_may_not',
  'call_given_up',
]);

/** The line of a device that answered. */
export function answerLine(
  member: FleetMember,
  status: number,
  { isRefusal, deviceCodes, shown }: ReadAnswer,
  ms: number,
): ResultLine {
  const isSuccess = status < 400 && !isRefusal;
  return resultLine(member, isSuccess ? 'succeeded' : 'failed', isSuccess ? null : 'device_refused', ms, {
    status,
    deviceCodes: deviceCodes.length > 0 ? deviceCodes : undefined,
    ...shown,
  });
}

/** The line of a device whose call ended with an error. */
export const errorLine = (member: FleetMember, code: ErrorCode, ms: number): ResultLine =>
  resultLine(member, outcomeOf(code), code, ms);

/** Makes a line; fields that do not apply are undefined and not written. */
export function resultLine(
  { id: deviceId, name }: FleetMember,
  outcome: ResultLine['outcome'],
  reason: string | null,
  ms?: number,
  { status, digest, body, bodyWithheld, deviceCodes }: Partial<ResultLine> = {},
): ResultLine {
  return { type: 'result', deviceId, name, outcome, reason, status, digest, body, bodyWithheld, deviceCodes, ms };
}

function outcomeOf(code: ErrorCode): FanOutOutcome {
  if (code === 'device_outcome_unknown') return 'unknown';
  if (NOT_CALLED.has(code)) return 'skipped';
  return UNREACHABLE.has(code) ? 'unreachable' : 'failed';
}

/** Serializes each line separately: a failure costs that device its body, and no other device its line. */
export function lineJson(line: FanOutLine): string {
  try {
    if (line.type === 'result' && line.body instanceof JsonText) {
      const rest = JSON.stringify({ ...line, body: undefined });
      return `${rest.slice(0, -1)},"body":${line.body.text}}`;
    }
    return JSON.stringify(line);
  } catch {
    return JSON.stringify({ ...line, body: undefined, bodyWithheld: true });
  }
}
