import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Secret, TOTP } from 'otpauth';
import { Audit } from '../../audit/entries/audit.js';
import { type AuditAction } from '../../audit/entries/audit-actions.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { Secrets } from '../../secrets/secrets.js';
import { Access, type Principal } from '../access/access.js';
import { sourceOf } from '../rights/address-list.js';
import { Buckets } from '../../platform/limits/token-bucket.js';
import { digest } from '../rights/key-format.js';
import { LoginThrottle } from '../limits/login-throttle.js';

/*
 * The second factor of an operator: a code of an authenticator app, or one of ten recovery codes. Each code is valid
 * once.
 *
 *   none -> POST /v1/self/totp -> begun -> a first code -> active -> a code -> replaced or removed
 */

const RECOVERY_CODES = 10;

/** A digest without salt or cost is enough from 112 bits (OWASP ASVS 5.0, V6.5.2), and one statement finds it. */
const RECOVERY_BYTES = 15;

/** Attempts for an operator from one source address. */
const TRIES_HERE = { capacity: 5, windowMs: 5 * 60_000 } as const;

/**
 * Attempts from all addresses together: only a caller with the password or a session gets here. Three of a million
 * codes are valid at a time, so one attempt a minute succeeds once in half a year.
 */
const TRIES_ANYWHERE = { capacity: 50, windowMs: 50 * 60_000 } as const;

interface TotpRow {
  readonly seed: Buffer;
  readonly confirmed: boolean;
}

@Injectable()
export class SecondFactors {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Secrets) private readonly secrets: Secrets,
    @Inject(Buckets) private readonly buckets: Buckets,
    @Inject(LoginThrottle) private readonly throttle: LoginThrottle,
    @Inject(Access) private readonly access: Access,
  ) {}

  /**
   * An unconfirmed earlier enrolment is dropped. @returns the input for an authenticator app, once
   * @throws AppError `totp_exists` while one is active
   */
  async begin(actor: Principal) {
    const seed = newSeed();
    const { operatorId } = actor;
    await this.db.transaction(async (tx) => {
      const begun = await tx.query<unknown[]>(
        `insert into operator_totp as totp (operator_id, sealed_seed, made_at) values ($1, $2, $3)
         on conflict (operator_id) do update set sealed_seed = $2, made_at = $3 where totp.confirmed_at is null
         returning operator_id`,
        [operatorId, this.secrets.seal(seed, seedLocation(operatorId)), this.clock.now()],
      );
      if (begun.length === 0) throw new AppError('totp_exists');
      await this.record(tx, actor, 'second_factor.begin');
    });
    return { secret: seed, uri: enrolmentUri(seed, actor.name) };
  }

  /**
   * Confirms the enrolment by a first code, which counts as a second factor of this session.
   * @returns recovery codes, to be shown once
   * @throws AppError `totp_not_found`, `totp_exists`, `second_factor_refused`, `login_throttled`
   */
  async confirm(code: string, actor: Principal): Promise<string[]> {
    const { operatorId } = actor;
    const tries = await this.pay(operatorId, actor);
    const codes = await this.db.transaction(async (tx) => {
      // Locked: of several confirmations at once, one wins, and the others find the enrolment confirmed.
      const row = await this.find(tx, operatorId, 'for update');
      if (!row) throw new AppError('totp_not_found');
      if (row.confirmed) throw new AppError('totp_exists');
      const step = stepOfCode(this.open(row, operatorId), code, this.clock.now().getTime());
      if (step === null) throw new AppError('second_factor_refused');
      await tx.query('update operator_totp set confirmed_at = $2, last_step = $3 where operator_id = $1', [
        operatorId,
        this.clock.now(),
        step,
      ]);
      await this.markShown(tx, actor);
      await this.record(tx, actor, 'second_factor.confirm');
      return this.makeRecoveryCodes(tx, operatorId);
    });
    this.access.forgetOperator(operatorId);
    await tries.giveBack();
    return codes;
  }

  /**
   * Uses up a code of the authenticator app, or a recovery code.
   * @returns which of them it was
   * @throws AppError `totp_not_found`, `second_factor_refused` (also for a used code), `login_throttled`
   */
  async use(operatorId: string, code: string, actor: Actor): Promise<'totp' | 'recovery'> {
    const tries = await this.pay(operatorId, actor);
    const row = await this.find(this.db.manager, operatorId);
    if (!row?.confirmed) throw new AppError('totp_not_found');
    const kind = isTotpCode(code) ? 'totp' : 'recovery';
    const isGood =
      kind === 'totp' ? await this.useTotp(row, operatorId, code) : await this.useRecovery(operatorId, code);
    if (!isGood) {
      await this.record(this.db.manager, actor, 'second_factor.show', operatorId, { kind }, 'failed');
      throw new AppError('second_factor_refused');
    }
    await tries.giveBack();
    return kind;
  }

  /** For actions that require a recent second factor. @throws AppError as `use` */
  async show(code: string, actor: Principal): Promise<Date> {
    const kind = await this.use(actor.operatorId, code, actor);
    const shownAt = await this.db.transaction(async (tx) => {
      await this.record(tx, actor, 'second_factor.show', actor.operatorId, { kind });
      return this.markShown(tx, actor);
    });
    // The notification may arrive after the request that needs the code.
    this.access.forgetOperator(actor.operatorId);
    return shownAt;
  }

  /** The old codes stop working. @throws AppError as `use` */
  async renewRecoveryCodes(code: string, actor: Principal): Promise<string[]> {
    await this.use(actor.operatorId, code, actor);
    return this.db.transaction(async (tx) => {
      // Locked: of two renewals at once, each would leave the codes of the other.
      if (!(await this.find(tx, actor.operatorId, 'for update'))) throw new AppError('totp_not_found');
      await this.record(tx, actor, 'second_factor.renew_codes');
      return this.makeRecoveryCodes(tx, actor.operatorId);
    });
  }

  /** @throws AppError as `use` */
  async remove(code: string, actor: Principal): Promise<void> {
    await this.use(actor.operatorId, code, actor);
    await this.reset(actor.operatorId, actor);
  }

  /** For an operator who has lost the second factor. @throws AppError `totp_not_found` */
  async reset(operatorId: string, actor: Actor): Promise<void> {
    await this.db.transaction(async (tx) => {
      await tx.query('delete from recovery_code where operator_id = $1', [operatorId]);
      const [, removed] = await tx.query<[unknown[], number]>('delete from operator_totp where operator_id = $1', [
        operatorId,
      ]);
      if (removed === 0) throw new AppError('totp_not_found');
      await tx.query('update operator_session set second_factor_at = null where operator_id = $1', [operatorId]);
      await this.record(tx, actor, 'second_factor.remove', operatorId);
    });
    this.access.forgetOperator(operatorId);
  }

  private async useTotp(row: TotpRow, operatorId: string, code: string): Promise<boolean> {
    const step = stepOfCode(this.open(row, operatorId), code, this.clock.now().getTime());
    if (step === null) return false;
    // Of two simultaneous uses of one code, one fails.
    const [, used] = await this.db.query<[unknown[], number]>(
      'update operator_totp set last_step = $2 where operator_id = $1 and last_step < $2',
      [operatorId, step],
    );
    return used > 0;
  }

  private async useRecovery(operatorId: string, code: string): Promise<boolean> {
    const [, used] = await this.db.query<[unknown[], number]>(
      'update recovery_code set used_at = $3 where operator_id = $1 and hash = $2 and used_at is null',
      [operatorId, recoveryDigest(operatorId, code), this.clock.now()],
    );
    return used > 0;
  }

  private async makeRecoveryCodes(tx: EntityManager, operatorId: string): Promise<string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    await tx.query('delete from recovery_code where operator_id = $1', [operatorId]);
    await tx.query('insert into recovery_code (operator_id, hash) select $1, unnest($2::bytea[])', [
      operatorId,
      codes.map((code) => recoveryDigest(operatorId, code)),
    ]);
    return codes;
  }

  private async markShown(tx: EntityManager, { sessionId }: Principal): Promise<Date> {
    const now = this.clock.now();
    await tx.query('update operator_session set second_factor_at = $2 where id = $1', [sessionId, now]);
    return now;
  }

  private async pay(operatorId: string, actor: Actor): Promise<{ giveBack(): Promise<void> }> {
    const buckets = [
      [`code:${operatorId}:${sourceOf(actor.address ?? '')}`, TRIES_HERE],
      [`code:${operatorId}`, TRIES_ANYWHERE],
    ] as const;
    for (const [name, policy] of buckets) {
      const { granted, waitMs } = await this.buckets.take(name, policy, 1);
      if (granted === 0) throw await this.throttle.refusal(name, waitMs, actor, `operator:${operatorId}`);
    }
    return {
      giveBack: async () => {
        for (const [name, policy] of buckets) await this.buckets.give(name, policy, 1);
      },
    };
  }

  private async find(tx: EntityManager, operatorId: string, lock: 'for update' | '' = ''): Promise<TotpRow | null> {
    const rows = await tx.query<TotpRow[]>(
      `select sealed_seed as seed, confirmed_at is not null as confirmed from operator_totp where operator_id = $1 ${lock}`,
      [operatorId],
    );
    return rows[0] ?? null;
  }

  private open({ seed }: TotpRow, operatorId: string): string {
    return this.secrets.open(seed, seedLocation(operatorId));
  }

  private async record(
    tx: EntityManager,
    actor: Actor,
    action: Extract<AuditAction, `second_factor.${string}`>,
    operatorId = (actor as Principal).operatorId,
    facts: Record<string, unknown> = {},
    outcome: 'succeeded' | 'failed' = 'succeeded',
  ): Promise<void> {
    await this.audit.record(tx, { actor, action, subject: `operator:${operatorId}`, facts }, outcome);
  }
}

const seedLocation = (operatorId: string) => ({ table: 'operator_totp', column: 'sealed_seed', rowId: operatorId });

/** In base32, whose digits do not look like letters: `mfzw-…`, six groups of four. */
const newRecoveryCode = (): string =>
  newRandom(RECOVERY_BYTES)
    .toLowerCase()
    .replaceAll(/(.{4})(?=.)/g, '$1-');

/** Hyphens, spaces and letter case make no difference. */
const recoveryDigest = (operatorId: string, code: string) =>
  digest(`${operatorId}:${code.toLowerCase().replaceAll(/[\s-]/g, '')}`);

/*
 * Time-based one-time passwords (RFC 6238) in the form that every authenticator app supports: SHA-1, six digits, 30 s.
 * Pure.
 */

const STEP_S = 30;

/** RFC 6238, section 5.2: one step of delay; and one ahead, for clocks that run fast. */
const WINDOW = 1;

/** RFC 4226, section 4: 160 bits recommended. */
const SEED_BYTES = 20;

const newSeed = () => newRandom(SEED_BYTES);

/** Random bytes in base32. */
const newRandom = (bytes: number): string => new Secret({ size: bytes }).base32;

/** The content of the QR code for an authenticator app: `otpauth://totp/…`. */
function enrolmentUri(seed: string, operatorName: string): string {
  return totpOf(seed, operatorName).toString();
}

/**
 * Finds the time step of a code.
 * @returns the number of the step since 1970, or null when no near step has this code
 */
function stepOfCode(seed: string, code: string, nowMs: number): number | null {
  const delta = totpOf(seed).validate({ token: code, timestamp: nowMs, window: WINDOW });
  return delta === null ? null : Math.floor(nowMs / 1_000 / STEP_S) + delta;
}

/** Whether a text has the form of a code. */
const isTotpCode = (text: string) => /^\d{6}$/.test(text);

function totpOf(seed: string, label = ''): TOTP {
  return new TOTP({ issuer: 'Fleetgate', label, secret: Secret.fromBase32(seed), period: STEP_S });
}
