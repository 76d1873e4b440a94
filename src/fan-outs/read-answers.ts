import { hash } from 'node:crypto';
import { deviceJson } from '../device-api/device-json.js';
import { boundedCache } from '../platform/bounded-cache.js';
import { refusalFacts } from '../proxy/connections/device-errors.js';
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
  /** For a stored fan-out: the answer without its secrets; null when it cannot be searched for them. */
  readonly stored: StorableAnswer | null;
}

/** An answer without its secrets, as JSON, with its digest. */
export interface StorableAnswer {
  readonly digest: string;
  readonly json: string;
}

/** The most answers that are stored, and the largest one: together 2 MB. */
const ANSWERS_MAX = 32;
const ANSWER_MAX_BYTES = 64 * 1024;

/**
 * JSON in one line, which goes into its line as it is: to write a parsed answer again costs as much as to parse it. Its
 * digest is that of these characters, and numbers stay as long as the device wrote them.
 */
export class JsonText {
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
    const answer = {
      isRefusal,
      deviceCodes,
      shown: isInClear
        ? { digest: redacted?.stored.digest ?? digest, body: asText(bytes, body) }
        : (redacted?.shown ?? WITHHELD),
      stored: this.isStored ? (redacted?.stored ?? null) : null,
    };
    if (bytes.length <= ANSWER_MAX_BYTES) this.known.set(key, answer);
    return answer;
  }

  /** Null when it cannot: the device's effect is known by then and must be reported all the same. */
  private redacted(body: unknown): { shown: ReadAnswer['shown']; stored: StorableAnswer } | null {
    if (typeof body === 'string') return null;
    try {
      const value = this.redact(body);
      const json = JSON.stringify(value);
      const digest = digestOf(json);
      return { shown: { digest, body: new JsonText(json) }, stored: { digest, json } };
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

const WITHHELD = { bodyWithheld: true } as const;

const digestOf = (body: Buffer | string): string => hash('sha256', body, 'hex');
