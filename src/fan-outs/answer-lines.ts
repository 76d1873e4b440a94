import { hash } from 'node:crypto';
import { deviceJson } from '../device-api/device-json.js';
import { passwordDemand } from '../device-api/password-demand.js';
import { type FleetMember } from '../devices/fleet-files/fleet.service.js';
import { boundedCache } from '../platform/bounded-cache.js';
import { type AppError, type ErrorCode } from '../platform/errors.js';
import { refusalFacts } from '../proxy/connections/device-errors.js';
import { type FanOutLine, type FanOutOutcome, type ResultLine } from './fan-outs.contract.js';

/*
 * From the answers of one fan-out to its lines. Many devices give the same bytes, so an answer with a known digest is not
 * parsed and redacted again.
 */

/** What an answer says, and what its line shows of it. */
export interface ReadAnswer {
  /** Whether the device says in its envelope that it refused the call. */
  readonly isRefusal: boolean;
  readonly deviceCodes: number[];
  readonly shown: Pick<ResultLine, 'digest' | 'body' | 'bodyWithheld'>;
  /** For a stored fan-out: the answer without its secrets; null when it cannot be searched for them. */
  readonly stored: StorableAnswer | null;
}

/** An answer without its secrets, as JSON, with its digest. */
export interface StorableAnswer {
  readonly digest: string;
  readonly json: string;
}

/** The most answers that are remembered, and the largest one: together 2 MB. */
const ANSWERS_MAX = 32;
const ANSWER_MAX_BYTES = 64 * 1024;

/**
 * JSON in one line, which goes into its line as it is: to write a parsed answer again costs as much as to parse it. Its
 * digest is that of these characters, and numbers stay as long as the device wrote them.
 */
class JsonText {
  /** @param text valid JSON without line breaks */
  constructor(readonly text: string) {}

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

export class ReadAnswers {
  private readonly known = boundedCache<string, ReadAnswer>(ANSWERS_MAX);

  /**
   * @param redact gives a parsed answer without its secrets
   * @param isStored whether answers are stored: then each is redacted, and that gives its digest also to a caller who
   *   gets it in clear, so that stream and rows have the same one
   */
  constructor(
    private readonly redact: (body: unknown) => unknown,
    private readonly isStored = false,
  ) {}

  /** @param isInClear whether the caller may read the secrets of this device */
  read(bytes: Buffer, isInClear: boolean): ReadAnswer {
    const digest = digestOf(bytes);
    const key = isInClear ? digest : `redacted ${digest}`;
    const known = this.known.get(key);
    if (known) return known;
    const body = deviceJson(bytes) ?? bytes.toString('utf8');
    const { deviceCodes } = refusalFacts(0, body) as { deviceCodes: number[] };
    const isRefusal = (body as { success?: unknown } | null)?.success === false;
    const redacted = isInClear && !this.isStored ? null : this.redacted(body);
    const clear = isInClear && { digest: redacted?.digest ?? digest, body: asText(bytes, body) };
    const shown = clear || (redacted && { digest: redacted.digest, body: new JsonText(redacted.json) });
    const stored = this.isStored ? redacted : null;
    const answer = { isRefusal, deviceCodes, shown: shown ?? ({ bodyWithheld: true } as const), stored };
    if (bytes.length <= ANSWER_MAX_BYTES) this.known.set(key, answer);
    return answer;
  }

  /** Null when it cannot: the device's effect is known by then and must be reported all the same. */
  private redacted(body: unknown): StorableAnswer | null {
    if (typeof body === 'string') return null;
    try {
      const json = JSON.stringify(this.redact(body));
      return { digest: digestOf(json), json };
    } catch {
      return null;
    }
  }
}

/** The bytes of a parsed answer, unless a line break would end its line: between its values JSON may have some. */
function asText(bytes: Buffer, parsed: unknown): unknown {
  if (typeof parsed === 'string') return parsed; // it may be no JSON
  return bytes.includes(LINE_FEED) || bytes.includes(CARRIAGE_RETURN) ? parsed : new JsonText(bytes.toString('utf8'));
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

const digestOf = (body: Buffer | string): string => hash('sha256', body, 'hex');

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
export function answerLine(member: FleetMember, status: number, answer: ReadAnswer, ms: number): ResultLine {
  const { isRefusal, deviceCodes: codes, shown } = answer;
  const isSuccess = status < 400 && !isRefusal;
  const deviceCodes = codes.length > 0 ? codes : undefined;
  const why = passwordDemand(status, codes) ?? undefined;
  const told = { status, deviceCodes, why, ...shown };
  return resultLine(member, isSuccess ? 'succeeded' : 'failed', isSuccess ? null : 'device_refused', ms, told);
}

/** The line of a device whose call ended with an error. */
export function errorLine(member: FleetMember, { code, facts }: AppError, ms: number): ResultLine {
  const why = code === 'device_login_failed' ? (facts['demand'] ?? facts['reason']) : undefined;
  return resultLine(member, outcomeOf(code), code, ms, typeof why === 'string' ? { why } : {});
}

/** The line of a device that is not called. @param reason null: it would be */
export function uncalledLine(member: FleetMember, reason: ErrorCode | null): ResultLine {
  const isByState = reason === 'device_credentials_refused' || reason === 'device_trust_changed';
  const why = (isByState ? member.stateReason : null) ?? undefined;
  return resultLine(member, reason === null ? 'would_call' : 'skipped', reason, undefined, { why });
}

/** Fields that do not apply are undefined and not written. */
export function resultLine(
  { id: deviceId, name }: FleetMember,
  outcome: ResultLine['outcome'],
  reason: string | null,
  ms?: number,
  { status, digest, body, bodyWithheld, deviceCodes, why }: Partial<ResultLine> = {},
): ResultLine {
  return { type: 'result', deviceId, name, outcome, reason, status, digest, body, bodyWithheld, deviceCodes, why, ms };
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
