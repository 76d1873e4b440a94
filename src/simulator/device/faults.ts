/*
 * Faults on demand: rules of one device that are asked at fixed points of a request or an operation. A rule names what goes
 * wrong, and optionally for which paths, how often and how likely; its chance comes from the device's seed, so a run replays.
 *
 * Three families, by the point where they are asked:
 *   answer     one request: its answer is lost, wrong, slow, cut or replaced;
 *   wire       the TCP connection itself, below TLS, as a TCP fault proxy would (`wire.ts`);
 *   operation  long work ends otherwise than it should (a flash that flashes nothing, a stuck generation).
 */
import { z } from 'zod';
import type { Random } from './random.js';

const ANSWER_FAULTS = [
  /** The request takes effect, then the connection breaks without an answer. */
  'lost-answer',
  'reset-before',
  'reset-mid-answer',
  /** An error answer instead, without effect: `status` and `code`. */
  'error',
  /** The token of the request ends (401/123). */
  'dead-token',
  'password-expired',
  'first-login',
  /** The caller's address is locked out from here on. */
  'blocked-address',
  'html',
  'truncated-json',
  /** `fields` (all of the first level of `data` when absent) are left out of the answer. */
  'missing-fields',
  /** An answer of `bytes` (100 MB when absent). */
  'huge-answer',
  'endless-answer',
  /** `bytesPerSecond` (10 when absent). */
  'slow-drip',
  /** `ms` more before the answer; with `factor` the latency so many times over. */
  'latency',
  'hang',
  'out-of-space',
  'file-too-large',
  'events-log-busy',
  'no-internet',
  /** After this request another client changes the password. */
  'password-changed',
  /** After this request the device shows another certificate. */
  'certificate-changed',
  /** After this request another device answers at the same address. */
  'serial-changed',
] as const;

const WIRE_FAULTS = [
  /** The listener is closed while the rule exists. */
  'refuse',
  /** TLS is accepted, then closed. */
  'tls-close',
  'wire-latency',
  'bandwidth',
  'slow-close',
  'timeout',
  'reset',
  'slicer',
  'data-limit',
  'half-open',
  'corrupt',
] as const;

export const OPERATION_FAULTS = [
  /** The image is judged invalid, or as one of another family. */
  'image-invalid',
  'image-other-family',
  /** `upgrade` answers 200 and nothing more happens. */
  'flash-nothing',
  /** The device goes away and comes back as it was. */
  'flash-old-version',
  /** The device goes away and stays away: after a flash, or a restore. */
  'never-returns',
  'flash-factory-settings',
  /** The download of the firmware fails at `percent`. */
  'download-fails',
  'progress-frozen',
  /** Generation stops before `file` (the first one when absent) and says nothing. */
  'generation-stuck',
  /** The stored backup is not the one that was announced. */
  'backup-corrupt',
  /** `apply` answers 200 and nothing more happens. */
  'restore-nothing',
  /** The device comes back at `port` (one that it has not now), as it announced. */
  'restore-moves',
  /** `modems/status` answers that the modem does not respond, or the record of the board, as some firmware did. */
  'modem-offline',
  'modem-board-record',
] as const;

export const FAULT_KINDS = [...ANSWER_FAULTS, ...WIRE_FAULTS, ...OPERATION_FAULTS] as const;

/** One rule, as programs, fleet files and the control API write it. */
export const faultRule = z.strictObject({
  kind: z.enum(FAULT_KINDS),
  /** Exact path without version prefix, or a prefix that ends in `*`; absent: every path. */
  path: z.string().optional(),
  method: z.enum(['GET', 'POST', 'PUT', 'DELETE']).optional(),
  /** Chance of each match, 0 to 1. */
  probability: z.number().min(0).max(1).default(1),
  /** How many times it strikes before it is gone; absent: until it is removed. */
  count: z.number().int().positive().optional(),
  /** Matches that pass unharmed before the first strike. */
  skip: z.number().int().min(0).default(0),
  status: z.number().int().min(400).max(599).optional(),
  code: z.number().int().optional(),
  ms: z.number().min(0).optional(),
  factor: z.number().positive().optional(),
  bytes: z.number().int().positive().optional(),
  bytesPerSecond: z.number().positive().optional(),
  percent: z.number().min(0).max(100).optional(),
  file: z.string().optional(),
  port: z.number().int().min(1).max(65_535).optional(),
  fields: z.array(z.string()).optional(),
});
export type FaultInput = z.input<typeof faultRule>;
export type FaultRule = z.output<typeof faultRule> & { readonly id: number };

/** More rules than this on one device are a mistake. */
const MAX_RULES = 1_000;

const WIRE: ReadonlySet<string> = new Set(WIRE_FAULTS);
const ANSWER: ReadonlySet<string> = new Set(ANSWER_FAULTS);

export class Faults {
  private rules: { rule: FaultRule; struck: number; seen: number; chance: Random }[] = [];
  private made = 0;
  /** Told when rules come or go: the listener follows `refuse`, and open connections end when a wire rule comes. */
  onChange: ((rule: FaultRule, added: boolean) => void) | undefined;

  constructor(private readonly random: () => Random) {}

  /** Whether there is nothing to ask for: the usual case, on every request. */
  get none(): boolean {
    return this.rules.length === 0;
  }

  /** @returns the number that `remove` takes. @throws ZodError for a rule that has not the right form */
  add(input: FaultInput): number {
    if (this.rules.length >= MAX_RULES) throw new Error(`A device has at most ${MAX_RULES} fault rules`);
    const rule: FaultRule = { ...faultRule.parse(input), id: ++this.made };
    this.rules.push({ rule, struck: 0, seen: 0, chance: this.random().fork(`fault-${rule.id}`) });
    this.onChange?.(rule, true);
    return rule.id;
  }

  remove(id: number): boolean {
    const found = this.rules.find(({ rule }) => rule.id === id);
    if (!found) return false;
    this.rules = this.rules.filter((other) => other !== found);
    this.onChange?.(found.rule, false);
    return true;
  }

  clear(): void {
    // `remove` makes a new list, so a list that is being read does not change; below too.
    for (const { rule } of this.rules) this.remove(rule.id);
  }

  list(): { rule: FaultRule; struck: number }[] {
    return this.rules.map(({ rule, struck }) => ({ rule, struck }));
  }

  /** The answer faults that strike this request, each counted once. */
  strikeAnswer(method: string, path: string): FaultRule[] {
    return this.strike((rule) => ANSWER.has(rule.kind) && matches(rule, method, path));
  }

  /** The wire faults that strike a new connection (`path` absent) or the connection of a request. */
  strikeWire(method?: string, path?: string): FaultRule[] {
    return this.strike(
      (rule) =>
        WIRE.has(rule.kind) &&
        rule.kind !== 'refuse' &&
        (path === undefined ? isConnectionWide(rule) : !isConnectionWide(rule) && matches(rule, method ?? '', path)),
    );
  }

  /** Whether some wire rule exists, so that connections must be made interruptible. */
  get hasWire(): boolean {
    return this.rules.some(({ rule }) => WIRE.has(rule.kind));
  }

  /** The operation fault of a kind, when it strikes now. */
  strikeOperation(kind: (typeof OPERATION_FAULTS)[number]): FaultRule | null {
    return this.strike((rule) => rule.kind === kind)[0] ?? null;
  }

  private strike(applies: (rule: FaultRule) => boolean): FaultRule[] {
    const struck: FaultRule[] = [];
    for (const entry of this.rules) {
      if (!applies(entry.rule) || entry.seen++ < entry.rule.skip) continue;
      if (entry.rule.probability < 1 && entry.chance.next() >= entry.rule.probability) continue;
      entry.struck++;
      struck.push(entry.rule);
    }
    for (const { rule, struck: times } of this.rules)
      if (rule.count !== undefined && times >= rule.count) this.remove(rule.id);
    return struck;
  }
}

function isConnectionWide(rule: FaultRule): boolean {
  return rule.path === undefined && rule.method === undefined;
}

function matches(rule: FaultRule, method: string, path: string): boolean {
  if (rule.method !== undefined && rule.method !== method) return false;
  if (rule.path === undefined) return true;
  return rule.path.endsWith('*') ? path.startsWith(rule.path.slice(0, -1)) : rule.path === path;
}
