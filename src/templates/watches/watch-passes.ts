import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { Authors } from '../../auth/keys/authors.service.js';
import { type Rights } from '../../auth/rights/rights.js';
import { type ItemAnswer, joinBulk } from '../../device-api/bulk.js';
import { PATHS } from '../../device-api/contract.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { type BudgetedRead, hasOwnSession, intervalAfter, monthOf } from '../../monitoring/policy-price.js';
import { BackgroundRead, BackgroundReads } from '../../monitoring/samples/background-reads.js';
import { systemActor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { errorFields, LOG } from '../../platform/log.js';
import { Redactor } from '../../secrets/redactor.js';
import { BODY_BYTES_MAX, ObservedBodies } from '../observed/observed-bodies.js';
import { ObservedStore, type PassEnd, type PathReading } from '../observed/observed-store.js';
import { canonicalBody } from '../observed/sections.js';
import { type Watch } from './watch.entity.js';
import { WatchedCertificates } from './watched-certificates.js';

/*
 * One pass of a watch on one device: a bulk request on the shared session, without an audit entry, for the paths that the author
 * may read there now. Bodies lose their secrets before they get a digest or are stored.
 */

/** After a pass without an answer that cost nothing: sooner than the next one of a daily watch, and no burden. */
const FAILED_AGAIN_S = 900;

/** Passes of one moment do not stay together: each comes up to this part of the interval sooner. */
const SPREAD = 0.05;

/** With which a device says that it has no such service: there is nothing to mend (observed-devices.md 1.9). */
const NOT_THERE: ReadonlySet<number> = new Set([100, 102, 113, 122]);

const ACTOR = systemActor('watches');

/** A device whose turn it is, and what its month has cost so far. */
export interface DuePass extends BudgetedRead {
  readonly watchId: string;
  readonly deviceId: string;
}

@Injectable()
export class WatchPasses {
  constructor(
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'get'>,
    @Inject(BackgroundReads) private readonly reads: BackgroundReads,
    @Inject(Authors) private readonly authors: Pick<Authors, 'rightsOf'>,
    @Inject(Redactor) private readonly redactor: Pick<Redactor, 'redact'>,
    @Inject(ObservedStore) private readonly store: ObservedStore,
    @Inject(WatchedCertificates) private readonly certificates: Pick<WatchedCertificates, 'note'>,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** The present rights of the authors, by watch; without those that have none. */
  async rightsOf(watches: readonly Watch[]): Promise<ReadonlyMap<string, Rights>> {
    const found = new Map<string, Rights>();
    for (const watch of watches) {
      const rights = await this.authors.rightsOf(watch);
      if (rights) found.set(watch.id, rights);
    }
    return found;
  }

  /** Reads a device and stores what it has; one that fails says so in its row. @param rights those of the author */
  async pass(due: DuePass, watch: Watch, rights: Rights): Promise<void> {
    const read = new BackgroundRead(ACTOR);
    const readAt = this.clock.now();
    try {
      const { device } = await this.devices.get(due.deviceId);
      const allowed = watch.paths.filter((path) => rights.allows({ action: 'device.call_read', device, path }));
      if (allowed.length === 0) throw new AppError('forbidden');
      const answers = await this.readAll(device.id, allowed, read);
      const readings = allowed.map((path) => this.readingOf(path, answers.get(path) ?? null));
      const listing = answers.get(PATHS.certificates);
      if (listing && listing !== 'too large' && listing.success)
        await this.certificates.note(device, listing.data, rights, read);
      const refusedPaths = watch.paths.filter((path) => !allowed.includes(path));
      await this.store.keep({ ...this.endOf(due, watch, read, readAt, null), refusedPaths }, readings);
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'internal_error';
      if (!(error instanceof AppError))
        this.log.warn({ deviceId: due.deviceId, ...errorFields(error) }, 'A watch failed');
      await this.store.keep(this.endOf(due, watch, read, readAt, code), []).catch(() => undefined); // the next pass says it again
    } finally {
      if (hasOwnSession(due.intervalSeconds)) await this.reads.endSessions(read);
    }
  }

  /** Paths whose answers together are too large are read in halves. @throws AppError of the call, `device_answer_invalid` */
  private async readAll(
    deviceId: string,
    paths: readonly string[],
    read: BackgroundRead,
  ): Promise<Map<string, ItemAnswer | 'too large'>> {
    try {
      await this.reads.bulk(deviceId, paths, read);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'device_answer_too_large')) throw error;
      if (paths.length === 1) return new Map([[paths[0]!, 'too large']]);
      const middle = Math.ceil(paths.length / 2);
      const first = await this.readAll(deviceId, paths.slice(0, middle), read);
      return new Map([...first, ...(await this.readAll(deviceId, paths.slice(middle), read))]);
    }
    const answers = joinBulk(read.answer.json(), paths.length);
    if (answers.every((one) => one === null))
      throw new AppError('device_answer_invalid', { deviceStatus: read.answer.status, reason: 'it answers no item' });
    return new Map(paths.map((path, index) => [path, answers[index]!]));
  }

  private readingOf(path: string, answer: ItemAnswer | 'too large'): PathReading {
    const failed = (error: string): PathReading => ({ path, body: null, error });
    if (answer === 'too large') return failed('device_answer_too_large');
    if (answer === null) return failed('device_answer_invalid');
    if (!answer.success)
      return failed(answer.errors.some(({ code }) => NOT_THERE.has(code)) ? 'not_there' : 'device_refused');
    const { data = null } = answer;
    if (Buffer.byteLength(JSON.stringify(data)) > BODY_BYTES_MAX) return failed('device_answer_too_large');
    const json = canonicalBody(this.redactor.redact(data, path).value);
    if (Buffer.byteLength(json) > BODY_BYTES_MAX) return failed('device_answer_too_large');
    return { path, body: { digest: ObservedBodies.digestOf(json), json }, error: null };
  }

  private endOf(due: DuePass, watch: Watch, read: BackgroundRead, readAt: Date, error: string | null): PassEnd {
    const intervalSeconds = intervalAfter(due, watch.everySeconds, read, readAt);
    const { bytes, spentBytes } = read;
    const isFree = error !== null && spentBytes === 0;
    const waitS = isFree ? Math.min(intervalSeconds, FAILED_AGAIN_S) : intervalSeconds * (1 - Math.random() * SPREAD);
    const { watchId, deviceId } = due;
    const pass = { watchId, deviceId, watchVersion: watch.version, readAt, refusedPaths: [], error };
    const dueAt = new Date(readAt.getTime() + waitS * 1_000);
    return { ...pass, dueAt, intervalSeconds, bytes, month: monthOf(readAt), spentBytes };
  }
}
