import { Inject, Injectable } from '@nestjs/common';
import { readDeviceJson, type UnreadableJson } from '../device-api/device-json.js';
import { withoutMarkers } from '../device-api/redaction-marker.js';
import {
  parseRedactionRules,
  redact,
  redactBulk,
  redactQuery,
  type RedactedValue,
  type RedactionRule,
} from '../device-api/redaction.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { AppError } from '../platform/errors.js';
import { Secrets } from './secrets.js';

/*
 * Redacts device data for callers without the right to read secrets: by the rules of `device-api/redaction.ts` and of
 * the configuration, with keyed fingerprints. Bytes that are no JSON (a backup, a key file, a broken answer) cannot be
 * checked and are withheld.
 */

/**
 * A larger answer is withheld, as redacting it blocks the event loop: for 160 ms with the worst texts, of which at most 1 MB
 * is searched, and for 100 ms with 50,000 values, the most of an answer (2 cores, Node 20.20.2).
 */
export const REDACTED_MAX_BYTES = 2 * 1024 * 1024;

/** How a caller sees that a secret was hidden. */
export type RedactionStyle = 'marker' | 'omit';

@Injectable()
export class Redactor {
  private readonly configuredRules: readonly RedactionRule[];
  private readonly marker = (text: string): string => this.secrets.fingerprint(text);

  constructor(
    @Inject(Secrets) private readonly secrets: Pick<Secrets, 'fingerprint'>,
    @Inject(CONFIG) config: Pick<GatewayConfig, 'REDACTION_RULES'>,
  ) {
    this.configuredRules = parseRedactionRules(config.REDACTION_RULES);
  }

  /** Hides the secrets of a parsed body. `path`: canonical device path; empty when there is none. */
  redact(value: unknown, path: string): RedactedValue {
    return redact(value, path, this.marker, this.configuredRules);
  }

  /** As `redact`, for a value that keeps its type. */
  redacted<T>(value: T, path = ''): T {
    return this.redact(value, path).value as T;
  }

  /** Hides the secrets of a query string. */
  query(query: string, path: string): string {
    return redactQuery(query, path, this.marker, this.configuredRules).query;
  }

  /** Hides the secrets of a parsed answer, of a bulk request item by item. */
  answer(body: unknown, paths: readonly string[], isBulk: boolean): RedactedValue {
    return isBulk ? redactBulk(body, paths, this.marker, this.configuredRules) : this.redact(body, paths[0] ?? '');
  }

  /**
   * The bytes of an answer without its secrets. They are always written again: of a duplicate name only the checked
   * value remains.
   * @param style what is in the place of a secret: a marker, or nothing, as on devices
   * @throws AppError `answer_withheld` when the bytes cannot be checked
   */
  bytes(
    body: Buffer,
    paths: readonly string[],
    isBulk: boolean,
    style: RedactionStyle,
  ): { body: Buffer; hidden: number } {
    if (body.length > REDACTED_MAX_BYTES) throw withheld('it is too large to be checked');
    const { value, hidden } = this.answer(read(body), paths, isBulk);
    return { body: Buffer.from(JSON.stringify(style === 'omit' ? withoutMarkers(value) : value)), hidden };
  }
}

function read(body: Buffer): unknown {
  try {
    return readDeviceJson(body);
  } catch (error) {
    throw withheld((error as UnreadableJson).message);
  }
}

/** The error for an answer that may contain secrets. */
export function withheld(reason: string): AppError {
  return new AppError('answer_withheld', { reason });
}
