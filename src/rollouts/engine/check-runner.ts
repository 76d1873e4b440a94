import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { isDeepStrictEqual } from 'node:util';
import { Locks } from '../../auth/access/locks.service.js';
import { type Author, Authors } from '../../auth/keys/authors.service.js';
import { PATHS } from '../../device-api/contract.js';
import { isSameVersion } from '../../device-api/firmware-version.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { systemActor } from '../../platform/actor.js';
import { AppError, type ErrorCode } from '../../platform/errors.js';
import { toAppError } from '../../http/problem.js';
import { DeviceCalls } from '../../proxy/calls/device-calls.js';
import { checkPath, singleCall } from '../../proxy/connections/call-request.js';
import { SecretReads } from '../../proxy/calls/secret-reads.js';
import { CheckSecrets } from '../state/check-secrets.js';
import { type CallCheck, type HealthCheck } from '../state/rollout-policy.js';
import { authoredRowOf } from './rollout-rights.js';
import { type Rollout } from '../state/rollout.entity.js';

/*
 * Runs one health check on one device, while the author of the rollout may see the device and no lock stops them. For the
 * checks `reachable` and `firmware` the gateway reads the status of the device in its own name. For the check `call` it reads a path in the name of the author, with the author's present
 * rights; if the author may read the secrets at the path, that read has an audit entry. Otherwise the gateway compares
 * the answer after its redaction.
 */

const ACTOR = systemActor('rollouts');

/** Errors that say nothing about the device: the gateway could not check it, and checks it later. */
const GATEWAY_ERRORS: ReadonlySet<ErrorCode> = new Set([
  'author_gone',
  'call_given_up',
  'database_unavailable',
  'device_queue_full',
  'internal_error',
  'locked',
  'shutting_down',
]);

export class CheckNotRun extends Error {
  constructor(
    readonly code: ErrorCode,
    cause: unknown,
  ) {
    super(`A health check could not run (${code})`, { cause });
    this.name = 'CheckNotRun';
  }
}

@Injectable()
export class CheckRunner {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(DeviceCalls) private readonly calls: DeviceCalls,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(Authors) private readonly authors: Authors,
    @Inject(Locks) private readonly locks: Pick<Locks, 'refuseActor'>,
    @Inject(SecretReads) private readonly secretReads: SecretReads,
    @Inject(CheckSecrets) private readonly secrets: CheckSecrets,
  ) {}

  /**
   * What is wrong with a device, as a reason; null when the check passes, or the device was removed.
   * @throws CheckNotRun when the gateway could not check
   */
  async run(rollout: Rollout, deviceId: string, check: HealthCheck, signal: AbortSignal): Promise<string | null> {
    try {
      const author = await this.authorOf(rollout);
      const { device } = await this.devices.get(deviceId);
      author?.rights.require({ action: 'device.read', device });
      if (check.check === 'call') return await this.compare(rollout, author, deviceId, check, signal);
      const request = { method: 'GET', path: PATHS.systemStatus } as const;
      const { body } = await this.calls.call(deviceId, request, { actor: ACTOR, signal, inBackground: true });
      if (check.check === 'reachable') return null;
      return runs(body, check.is) ? null : 'health_firmware';
    } catch (error) {
      const { code } = toAppError(error);
      if (GATEWAY_ERRORS.has(code)) throw new CheckNotRun(code, error);
      return code === 'device_not_found' ? null : `health_${code}`;
    }
  }

  /** The author as of now; null: the rollout is the gateway's own. @throws AppError `author_gone`, `locked` */
  private async authorOf(rollout: Rollout): Promise<Author | null> {
    if (rollout.operatorId === null) return null;
    const author = await this.authors.find(await authoredRowOf(this.db.manager, rollout));
    if (!author) throw new AppError('author_gone');
    this.locks.refuseActor(author);
    return author;
  }

  private async compare(
    rollout: Rollout,
    author: Author | null,
    deviceId: string,
    check: CallCheck,
    signal: AbortSignal,
  ): Promise<string | null> {
    if (!author) throw new AppError('author_gone');
    const { createdBy: actorId, createdByName: name, requestId } = rollout;
    const reason = rollout.reason ?? `rollout ${rollout.name}`;
    const actor = { actorId, name, requestId, address: null, reason, ...author };
    const { device } = await this.devices.get(deviceId);
    const { acts } = singleCall('GET', checkPath(check.path));
    for (const { path } of acts) author.rights.require({ action: 'device.call_read', device, path });
    const isClear = await this.secretReads.mayRead(actor, device, acts);
    const close = isClear ? (await this.secretReads.open(actor, [deviceId], acts)).get(deviceId) : undefined;
    try {
      const { body } = await this.calls.call(
        deviceId,
        { method: 'GET', path: check.path },
        { actor, signal, inBackground: true },
      );
      close?.();
      if (isClear && matches(dataOf(body), check.match)) return null;
      // Equal secrets have equal fingerprints, and a check that a caller read and sent back has fingerprints.
      const hidden = dataOf(this.secretReads.redactor.redacted(body, acts[0]!.path));
      const wanted = isClear ? this.secrets.matchOf(check) : check.match;
      return matches(hidden, wanted) ? null : 'health_answer';
    } catch (error) {
      close?.(error);
      throw error;
    }
  }
}

const dataOf = (body: unknown): unknown => (body as { data: unknown }).data;

/** Whether the status of a device names a version, in full or as numbers. */
function runs(body: unknown, version: string): boolean {
  const reported = (dataOf(body) as { static?: { fw_version?: unknown } } | null)?.static?.fw_version;
  return typeof reported === 'string' && isSameVersion(reported, version);
}

/**
 * Whether an answer contains what is wanted: every field that `wanted` names, with that value. Other fields do not
 * matter; a list must have, for each wanted item, one that matches. Pure.
 */
function matches(answer: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(answer) && wanted.every((item) => answer.some((found) => matches(found, item)));
  }
  if (typeof wanted !== 'object' || wanted === null) return isDeepStrictEqual(answer, wanted);
  if (typeof answer !== 'object' || answer === null) return false;
  return Object.entries(wanted).every(
    ([name, inner]) => Object.hasOwn(answer, name) && matches((answer as Record<string, unknown>)[name], inner),
  );
}
