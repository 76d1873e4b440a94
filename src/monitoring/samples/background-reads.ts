import { Inject, Injectable } from '@nestjs/common';
import { PATHS } from '../../device-api/contract.js';
import { type Actor } from '../../platform/actor.js';
import { type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { Admission, type CallPermit } from '../../proxy/admission/admission.js';
import { CallExecutor } from '../../proxy/calls/call-executor.js';
import { DeviceCalls } from '../../proxy/calls/device-calls.js';
import { type DeviceRequest, prepareRequest } from '../../proxy/calls/prepared-request.js';
import { Cancellation } from '../../proxy/connections/cancellation.js';
import { Collector } from '../../proxy/connections/collector.js';
import { type PooledSession } from '../../proxy/sessions/session-pool.js';
import { EXCHANGE_BYTES, LOGIN_BYTES } from '../policy-price.js';
import { bulkReadRequest } from './sample-request.js';

/*
 * Reads of many devices that no person waits for, by samples and watches: bulk requests on the shared session and files, admitted in
 * the background.
 */

/** Within so long the load of this process must let a read begin: the next one comes anyway. */
const BEGINS_WITHIN_MS = 30_000;

/** What the reads of one device need, as they go on, and what they cost. */
export class BackgroundRead {
  /** The last one. */
  answer = new Collector();
  /** Without logins, and without files. */
  bytes = 0;
  /** Of files, which are not read again each time. */
  fileBytes = 0;
  /** Sessions whose login it began itself. */
  readonly sessions: PooledSession[] = [];

  constructor(readonly actor: Actor) {}

  get spentBytes(): number {
    return this.bytes + this.fileBytes + this.sessions.length * LOGIN_BYTES;
  }
}

@Injectable()
export class BackgroundReads {
  constructor(
    @Inject(DeviceCalls) private readonly calls: Pick<DeviceCalls, 'endUnusedSession'>,
    @Inject(CallExecutor) private readonly executor: Pick<CallExecutor, 'execute'>,
    @Inject(Admission) private readonly admission: Pick<Admission, 'acquire' | 'release'>,
  ) {}

  /**
   * Reads paths in one bulk request. Callers have judged the rights to each.
   * @throws AppError of the call
   */
  async bulk(deviceId: string, paths: readonly string[], read: BackgroundRead): Promise<void> {
    const json = bulkReadRequest(paths);
    read.answer = new Collector();
    try {
      await this.send(deviceId, { method: 'POST', path: PATHS.bulk, json }, read, read.answer);
    } finally {
      read.bytes += bytesOf(read.answer, JSON.stringify(json));
    }
  }

  /**
   * Downloads a file by a POST, which has an audit entry. Callers have judged the right to it.
   * @returns its text; null: the device refused
   * @throws AppError of the call
   */
  async file(deviceId: string, path: string, maxBytes: number, read: BackgroundRead): Promise<string | null> {
    const answer = new Collector();
    try {
      await this.send(deviceId, { method: 'POST', path, maxBytes }, read, answer);
    } finally {
      read.fileBytes += bytesOf(answer, '');
    }
    return answer.status < 300 ? answer.bytes().toString('utf8') : null;
  }

  private async send(deviceId: string, wanted: DeviceRequest, read: BackgroundRead, answer: Collector): Promise<void> {
    const context = {
      actor: read.actor,
      inBackground: true,
      onLogin: (begun: PooledSession) => read.sessions.push(begun),
    };
    const request = prepareRequest(wanted, context);
    const cancellation = new Cancellation();
    const permit = await this.admitted(cancellation);
    try {
      await this.executor.execute(deviceId, request, context, answer, cancellation);
    } finally {
      this.admission.release(permit);
    }
  }

  /** Ends the sessions that were begun for a read, unless others use them. */
  async endSessions({ sessions }: BackgroundRead): Promise<void> {
    for (const session of sessions) await this.calls.endUnusedSession(session);
  }

  /** @throws AppError `call_given_up` when the process has too much to do */
  private async admitted(cancellation: Cancellation): Promise<CallPermit> {
    const timer = setTimeout(() => cancellation.cancel(), BEGINS_WITHIN_MS);
    try {
      return await this.admission.acquire({ isBulk: true, hasConnection: false }, cancellation);
    } catch (error) {
      throw cancellation.isCancelled ? new AppError('call_given_up') : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

const bytesOf = (answer: Collector, sent: string): number =>
  answer.status === 0 ? 0 : EXCHANGE_BYTES + sent.length + answer.bytes().length;

/** Whether `device` may be read in the background now. @param offline the parameter with the value of `stateOfNoRead` */
export const mayBeReadSql = (offline: string): string => `
  device.state not in ('trust_changed', 'credentials_refused', ${offline})
  and exists (select from device_account where device_id = device.id and purpose = 'main')
  and not exists (select from job where job.device_id = device.id and phase <> 'ended' and started_at is not null)`;

/** Without status checks only a read can find out that a device is back. */
export const stateOfNoRead = ({ STATUS_EVERY_SECONDS }: Pick<GatewayConfig, 'STATUS_EVERY_SECONDS'>): string =>
  STATUS_EVERY_SECONDS > 0 ? 'offline' : '';
