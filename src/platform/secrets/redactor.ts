import { Inject, Injectable } from '@nestjs/common';
import { readDeviceJson, type UnreadableJson } from '../../device-api/device-json.js';
import {
  parseRedactionRules,
  redact,
  redactBulk,
  redactQuery,
  type Redacted,
  type RedactionRule,
} from '../../device-api/redaction.js';
import { CONFIG, type GatewayConfig } from '../config.js';
import { AppError } from '../errors.js';
import { Secrets } from './secrets.js';

/*
 * Device data for those who may not read secrets: by the rules of `device-api/redaction.ts` and those of the
 * configuration, with keyed fingerprints. What cannot be judged is not shown: bytes that are no JSON (a backup, a key
 * file, a broken answer) stay behind.
 */

/** A larger answer is not looked through: it would stop the event loop for more than 200 ms. */
export const REDACTED_MAX_BYTES = 2 * 1024 * 1024;

@Injectable()
export class Redactor {
  private readonly own: readonly RedactionRule[];
  private readonly mark = (text: string): string => this.secrets.fingerprint(text);

  constructor(
    @Inject(Secrets) private readonly secrets: Pick<Secrets, 'fingerprint'>,
    @Inject(CONFIG) config: Pick<GatewayConfig, 'REDACTION_RULES'>,
  ) {
    this.own = parseRedactionRules(config.REDACTION_RULES);
  }

  /** Hides what is secret in a parsed body. `path`: canonical device path; empty when it belongs to none. */
  redact(value: unknown, path: string): Redacted {
    return redact(value, path, this.mark, this.own);
  }

  /** As `redact`, for what keeps its type. */
  hide<T>(value: T, path = ''): T {
    return this.redact(value, path).value as T;
  }

  /** Hides what is secret in a query string. */
  query(query: string, path: string): string {
    return redactQuery(query, path, this.mark, this.own).query;
  }

  /** Hides what is secret in the parsed answer to a request, a bulk request item by item. */
  answer(body: unknown, paths: readonly string[], isBulk: boolean): Redacted {
    return isBulk ? redactBulk(body, paths, this.mark, this.own) : this.redact(body, paths[0] ?? '');
  }

  /**
   * The bytes of an answer without its secrets, always written anew: of a name that stands twice only what was judged
   * is left.
   * @throws AppError `answer_withheld` when they cannot be judged
   */
  bytes(body: Buffer, paths: readonly string[], isBulk: boolean): { body: Buffer; hidden: number } {
    if (body.length > REDACTED_MAX_BYTES) throw withheld('it is too large to be looked through');
    const { value, hidden } = this.answer(read(body), paths, isBulk);
    return { body: Buffer.from(JSON.stringify(value)), hidden };
  }
}

function read(body: Buffer): unknown {
  try {
    return readDeviceJson(body);
  } catch (error) {
    throw withheld((error as UnreadableJson).message);
  }
}

/** The refusal to hand out what may hold secrets. */
export function withheld(reason: string): AppError {
  return new AppError('answer_withheld', { reason });
}
