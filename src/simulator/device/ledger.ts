/*
 * The ledger: what really happened to each device. One line per request, with the effects that it had; a line of its own for
 * what happens later (the flash that an upgrade started), which names the request that caused it. An effect is written when
 * it takes place and not when it is asked for, so a test may trust it more than any answer.
 */
import { z } from 'zod';

const EFFECTS = [
  'login',
  'logout',
  'create',
  'update',
  'delete',
  'upload',
  'generate',
  'generated',
  'backup',
  'restore',
  'fetch',
  'flash',
  'reboot',
  'factory-reset',
  'send-message',
] as const;
export type LedgerEffect = (typeof EFFECTS)[number];

export interface LedgerEntry {
  /** Counts up over the complete fleet. */
  readonly seq: number;
  readonly device: number;
  /** Milliseconds since 1970, on the simulator's clock. */
  readonly at: number;
  readonly method: string;
  /** As it was sent, query included; `(background)` for what no request waits for. */
  readonly path: string;
  status?: number;
  /** SHA-256 of the request body, hexadecimal; absent without a body. */
  bodySha256?: string;
  /** `X-Request-Id` of the request, or of the request that caused a background line. */
  requestId?: string;
  /** `s1`, `s2` … in the order of logins on this device; never the token. */
  session?: string;
  effects?: { readonly effect: LedgerEffect; readonly detail?: string }[];
  /** Kinds of the faults that were applied. */
  faults?: string[];
  /** `seq` of the request that caused a background line. */
  cause?: number;
}

interface Counters {
  logins: number;
  failedLogins: number;
  requests: number;
  /** Connections that have ended, and their bytes in both directions: TLS and all above it, without headers of TCP/IP. */
  connections: number;
  bytes: number;
  effects: Record<string, number>;
}

export type DeviceSummary = Readonly<Counters> & { readonly openSessions: number };

/** Which lines: all that are given must match. */
export const ledgerFilter = z.strictObject({
  device: z.coerce.number().int().optional(),
  /** Only lines with a greater `seq`. */
  since: z.coerce.number().int().optional(),
  effect: z.enum(EFFECTS).optional(),
  method: z.string().optional(),
  /** Beginning of the path. */
  path: z.string().optional(),
});
export type LedgerFilter = z.output<typeof ledgerFilter>;

/** Lines in memory; older ones are removed, their counts stay. About 60 MB when full. */
const DEFAULT_LIMIT = 200_000;

export class Ledger {
  /** Lines that left because the limit was reached. */
  dropped = 0;
  private lines: LedgerEntry[] = [];
  private readonly counters = new Map<number, Counters>();
  private seq = 0;

  /** `openSessions` counts what lives on a device now; `onLine` sees each line when it is complete. */
  constructor(
    private readonly openSessions: (device: number) => number,
    private readonly onLine?: (entry: LedgerEntry) => void,
    private readonly limit = DEFAULT_LIMIT,
  ) {}

  /** Opens the line of a request; `close` completes it. */
  open(device: number, at: number, method: string, path: string): LedgerEntry {
    this.of(device).requests++;
    return this.add({ seq: ++this.seq, device, at, method, path });
  }

  /** Writes that an effect took place, on the line of the request that had it. */
  effect(entry: LedgerEntry, effect: LedgerEffect, detail?: string): void {
    (entry.effects ??= []).push(detail === undefined ? { effect } : { effect, detail });
    const counters = this.of(entry.device);
    counters.effects[effect] = (counters.effects[effect] ?? 0) + 1;
    if (effect === 'login') counters.logins++;
  }

  /** Writes an effect that happened after its request was answered, or that no request caused. */
  background(device: number, at: number, effect: LedgerEffect, detail?: string, cause?: LedgerEntry): void {
    const entry = this.add({
      seq: ++this.seq,
      device,
      at,
      method: '-',
      path: '(background)',
      ...(cause ? { cause: cause.seq } : {}),
      ...(cause?.requestId === undefined ? {} : { requestId: cause.requestId }),
    });
    this.effect(entry, effect, detail);
    this.onLine?.(entry);
  }

  /** Counts a connection that has ended. */
  connectionEnded(device: number, bytes: number): void {
    const counters = this.of(device);
    counters.connections++;
    counters.bytes += bytes;
  }

  failedLogin(device: number): void {
    this.of(device).failedLogins++;
  }

  close(entry: LedgerEntry, status: number | undefined): void {
    if (status !== undefined) entry.status = status;
    this.onLine?.(entry);
  }

  /** Lines in the order in which they began. */
  entries(filter: LedgerFilter = {}): LedgerEntry[] {
    return this.lines.filter(
      (entry) =>
        (filter.device === undefined || entry.device === filter.device) &&
        (filter.since === undefined || entry.seq > filter.since) &&
        (filter.method === undefined || entry.method === filter.method) &&
        (filter.path === undefined || entry.path.startsWith(filter.path)) &&
        (filter.effect === undefined || (entry.effects?.some(({ effect }) => effect === filter.effect) ?? false)),
    );
  }

  summary(device: number): DeviceSummary {
    const counters = this.of(device);
    return { ...counters, openSessions: this.openSessions(device), effects: { ...counters.effects } };
  }

  /** Starts again with no lines and no counters. */
  clear(): void {
    this.lines = [];
    this.counters.clear();
  }

  private of(device: number): Counters {
    let counters = this.counters.get(device);
    if (!counters) {
      counters = { logins: 0, failedLogins: 0, requests: 0, connections: 0, bytes: 0, effects: {} };
      this.counters.set(device, counters);
    }
    return counters;
  }

  private add(entry: LedgerEntry): LedgerEntry {
    this.lines.push(entry);
    // A tenth at once, so that the cost of moving the rest is paid rarely.
    if (this.lines.length > this.limit * 1.1) {
      this.dropped += this.lines.length - this.limit;
      this.lines = this.lines.slice(-this.limit);
    }
    return entry;
  }
}
