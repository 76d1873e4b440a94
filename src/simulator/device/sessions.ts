/*
 * Login sessions of one device: tokens, when they end, and the addresses that are locked out.
 * Specification, States: (none) → valid by a login, valid → expired by time.
 */
import { randomBytes } from 'node:crypto';
import { TOKEN_LIFETIME_S } from '../../device-api/contract.js';
import type { SimulatorClock } from './clock.js';
import type { Behaviour } from './profile.js';

export interface SimulatedSession {
  /** `s1`, `s2` … for the ledger. */
  readonly label: string;
  readonly token: string;
  readonly username: string;
  expiresAt: number;
}

/** How every token of a simulated device begins, so that one is known wherever it should not be: in a log, in a table. */
export const TOKEN_MARK = '5e5510475e55';

/** Digits of a token: what routers give out (observed-devices.md 1.2). */
const TOKEN_LENGTH = 32;

/** A router keeps some hundred sessions at most; the one that ends first makes room (chosen). */
const MAX_SESSIONS = 256;

/** Addresses remembered for the lock-out; beyond it the oldest is forgotten. */
const MAX_SOURCES = 1_000;

export class Sessions {
  private readonly byToken = new Map<string, SimulatedSession>();
  private readonly failures = new Map<string, { count: number; blockedUntil: number }>();
  private made = 0;

  constructor(
    private readonly clock: SimulatorClock,
    private readonly behaviour: Behaviour,
    private readonly lifetimeMs = TOKEN_LIFETIME_S * 1000,
  ) {}

  begin(username: string): SimulatedSession {
    this.sweep();
    if (this.byToken.size >= MAX_SESSIONS) this.byToken.delete(this.byToken.keys().next().value as string);
    const session: SimulatedSession = {
      label: `s${++this.made}`,
      token: TOKEN_MARK + randomBytes((TOKEN_LENGTH - TOKEN_MARK.length) / 2).toString('hex'),
      username,
      expiresAt: this.clock.now() + this.lifetimeMs,
    };
    this.byToken.set(session.token, session);
    return session;
  }

  /** The living session of a token; its use prolongs it where the profile says so. */
  find(token: string): SimulatedSession | null {
    const session = this.byToken.get(token);
    if (!session) return null;
    const now = this.clock.now();
    if (session.expiresAt <= now) {
      this.byToken.delete(token);
      return null;
    }
    if (this.behaviour.slidingTokens) session.expiresAt = now + this.lifetimeMs;
    return session;
  }

  /** Full seconds that a session still has; "just under 300" on a fresh one (specification, Session). */
  secondsLeft(session: SimulatedSession): number {
    return Math.max(0, Math.ceil((session.expiresAt - this.clock.now()) / 1000) - 1);
  }

  end(token: string): boolean {
    return this.byToken.delete(token);
  }

  /** After a password change, a profile switch, a reboot. */
  endAll(): void {
    this.byToken.clear();
  }

  get open(): number {
    this.sweep();
    return this.byToken.size;
  }

  isBlocked(source: string): boolean {
    return (this.failures.get(source)?.blockedUntil ?? 0) > this.clock.now();
  }

  /** Counts a failed login of an address; the last one allowed blocks it. */
  failed(source: string): void {
    if (this.behaviour.lockoutAfter === 0 || this.isBlocked(source)) return;
    const count = (this.failures.get(source)?.count ?? 0) + 1;
    if (this.failures.size >= MAX_SOURCES) this.failures.delete(this.failures.keys().next().value as string);
    if (count >= this.behaviour.lockoutAfter) this.block(source);
    else this.failures.set(source, { count, blockedUntil: 0 });
  }

  block(source: string): void {
    this.failures.set(source, { count: 0, blockedUntil: this.clock.now() + (this.behaviour.lockoutMs || 15 * 60_000) });
  }

  succeeded(source: string): void {
    this.failures.delete(source);
  }

  unblockAll(): void {
    this.failures.clear();
  }

  private sweep(): void {
    const now = this.clock.now();
    for (const [token, session] of this.byToken) if (session.expiresAt <= now) this.byToken.delete(token);
  }
}
