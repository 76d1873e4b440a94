import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { Audit } from '../../audit/entries/audit.js';
import { type Principal } from '../../auth/access/access.js';
import { type ScopedDevice } from '../../auth/rights/rights.js';
import { type FactorHolder, StepUp } from '../../auth/people/step-up.js';
import { type Actor } from '../../platform/actor.js';
import { AppError } from '../../platform/errors.js';
import { errorFields, LOG } from '../../platform/log.js';
import { Redactor } from '../../secrets/redactor.js';
import { type Act } from '../connections/call-request.js';

/*
 * Decides who may read secrets in device answers, and audits such reads. An answer in clear is not parsed, so its
 * content is unknown: every read of a path that may contain secrets is audited.
 */

/** The reader of an answer. */
type Reader = FactorHolder & Pick<Principal, 'rights'>;

/** Closes the audit entries of a read. */
export type CloseRead = (error?: unknown) => void;

@Injectable()
export class SecretReads {
  constructor(
    @Inject(StepUp) private readonly stepUp: StepUp,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Redactor) readonly redactor: Redactor,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Whether neither redaction nor an audit entry is needed: no path may hold secrets, and the caller has the right to read
   * them there.
   */
  needsNoCheck({ rights }: Principal, device: ScopedDevice, acts: readonly Act[]): boolean {
    for (const { path, mayHoldSecrets } of acts) {
      if (mayHoldSecrets || !rights.allows({ action: 'device.read_secrets', device, path })) return false;
    }
    return true;
  }

  /** Whether the actor gets the device's answer unredacted. */
  async mayRead(actor: Reader, device: ScopedDevice, acts: readonly Act[]): Promise<boolean> {
    const isAllowed = ({ path }: Act) => actor.rights.allows({ action: 'device.read_secrets', device, path });
    return acts.every(isAllowed) && this.isFresh(actor, acts);
  }

  /** Whether the actor has the recent second factor that unredacted reads of secrets require. */
  async isFresh(actor: FactorHolder, acts: readonly Act[]): Promise<boolean> {
    return !acts.some(({ mayHoldSecrets }) => mayHoldSecrets) || this.stepUp.isFresh(actor);
  }

  /**
   * Commits an audit entry before answers are read unredacted.
   * @param acts the requested acts; writes have entries of their own
   * @returns how to close the entries of each device after its call; empty when nothing is audited
   * @throws AppError `database_unavailable`: nothing may be read
   */
  async open(
    actor: Actor,
    deviceIds: readonly string[],
    acts: readonly Act[],
  ): Promise<ReadonlyMap<string, CloseRead>> {
    const reads = acts.filter(({ writes, mayHoldSecrets }) => !writes && mayHoldSecrets);
    const closes = new Map<string, CloseRead>();
    if (reads.length === 0) return closes;
    for (let start = 0; start < deviceIds.length; start += BATCH) {
      const batch = deviceIds.slice(start, start + BATCH);
      const entries = batch.flatMap((deviceId) =>
        reads.map(({ method, path, query }) => ({
          actor,
          action: 'device.read_secrets' as const,
          subject: `${method} ${path}`,
          deviceId,
          facts: query === '' ? {} : { query: this.redactor.query(query, path) },
        })),
      );
      const ids = await this.audit.openAll(entries);
      for (const [index, deviceId] of batch.entries()) {
        const own = ids.slice(index * reads.length, (index + 1) * reads.length);
        closes.set(deviceId, (error) => this.close(own, error));
      }
    }
    return closes;
  }

  /** Runs after the answer: the sweeper closes an entry as `unknown` when this fails. */
  private close(ids: readonly string[], error: unknown): void {
    const code = error instanceof AppError ? error.code : 'internal_error';
    const closed = ids.map((id) =>
      error === undefined ? this.audit.close(id, 'succeeded') : this.audit.close(id, 'failed', { code }),
    );
    Promise.all(closed).catch((cause: unknown) =>
      this.log.warn({ count: ids.length, ...errorFields(cause) }, 'Audit entries of reads could not be closed'),
    );
  }
}

/** Devices of one statement. */
const BATCH = 500;
