import { hash } from 'node:crypto';
import { deviceJson } from '../../device-api/device-json.js';
import { boundedCache } from '../../platform/bounded-cache.js';
import { refusalFacts } from '../connections/device-errors.js';
import { type ResultLine } from './fan-out.contract.js';

/*
 * Reads the answers of one fan-out. Many devices give the same bytes, so an answer with a known digest is not parsed and
 * redacted again.
 */

/** What an answer says, and what its line shows of it. */
export interface ReadAnswer {
  /** Whether the device says in its envelope that it refused the call. */
  readonly isRefusal: boolean;
  readonly deviceCodes: readonly number[];
  readonly shown: Pick<ResultLine, 'digest' | 'body' | 'bodyWithheld'>;
}

/** The most answers that are stored, and the largest one: together 2 MB. */
const ANSWERS_MAX = 32;
const ANSWER_MAX_BYTES = 64 * 1024;

export class ReadAnswers {
  private readonly known = boundedCache<string, ReadAnswer>(ANSWERS_MAX);

  /** @param redact gives a parsed answer without its secrets */
  constructor(private readonly redact: (body: unknown) => unknown) {}

  /** @param isInClear whether the caller may read the secrets of this device */
  read(bytes: Buffer, isInClear: boolean): ReadAnswer {
    const digest = digestOf(bytes);
    const key = isInClear ? digest : `redacted ${digest}`;
    const known = this.known.get(key);
    if (known) return known;
    const body = deviceJson(bytes) ?? bytes.toString('utf8');
    const { deviceCodes } = refusalFacts(0, body) as { deviceCodes: number[] };
    const isRefusal = (body as { success?: unknown } | null)?.success === false;
    const answer = { isRefusal, deviceCodes, shown: isInClear ? { digest, body } : this.redacted(body) };
    if (bytes.length <= ANSWER_MAX_BYTES) this.known.set(key, answer);
    return answer;
  }

  /** The device's effect is known by then and must be reported, even when its answer cannot be shown. */
  private redacted(body: unknown): ReadAnswer['shown'] {
    if (typeof body === 'string') return { bodyWithheld: true };
    try {
      const value = this.redact(body);
      return { digest: digestOf(JSON.stringify(value)), body: value };
    } catch {
      return { bodyWithheld: true };
    }
  }
}

const digestOf = (body: Buffer | string): string => hash('sha256', body, 'hex');
