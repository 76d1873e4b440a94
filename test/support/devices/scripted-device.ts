import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { PATHS } from '../../../src/device-api/contract.js';
import { AppError } from '../../../src/platform/errors.js';
import {
  type CallContext,
  type DeviceAnswer,
  type DeviceCalls,
  type DeviceRequest,
  type DeviceStream,
} from '../../../src/proxy/calls/device-calls.js';
import { sizeOf } from '../forms.js';

/** What happens to one answer on its way. */
export type Mishap =
  /** The request arrives and is carried out, its answer does not come back. */
  | 'lost'
  /** Nothing is sent at all. */
  | 'unreachable';

/** From one answer that is lost to the next one: the nightly form loses each in turn, the long one every third, the short one every fourth. */
export const NEXT_UNLUCKY = sizeOf({ short: 4, long: 3, nightly: 1 });

/**
 * A device with a backup, in place of `DeviceCalls`: for tests that must decide what becomes of each single
 * answer. What real devices do is tested through the real `DeviceCalls`, against the simulator.
 */
export class ScriptedDevice {
  serial = 'S-1';
  /** Every request that arrived, as method and path. */
  readonly seen: string[] = [];
  /** Backups that were made. */
  made = 0;
  /** Times that the gateway ended its sessions. */
  logins = 0;
  /** Answers so far; the next one has this number. */
  answers = 0;
  /** What becomes of the answer with that number. */
  mishap: (answer: number, request: DeviceRequest) => Mishap | null = () => null;
  /** Runs while the device is at work on a request. */
  during: (request: DeviceRequest, signal: AbortSignal | undefined) => Promise<void> = () => Promise.resolve();
  /** Bytes of the backup on the device; null when there is none. */
  content: Buffer | null = null;
  /** Whether a new backup has other bytes than the one before. */
  makesAnew = true;
  /** What it announces instead of the digest of its backup. */
  announces: string | null = null;

  get calls(): DeviceCalls {
    return {
      call: (_deviceId: string, request: DeviceRequest, context: CallContext) => this.call(request, context),
      stream: (_deviceId: string, request: DeviceRequest, context: CallContext) => this.stream(request, context),
      endSessions: () => Promise.resolve(void this.logins++),
    } as unknown as DeviceCalls;
  }

  get digest(): string | null {
    return this.content && (this.announces ?? sha256(this.content));
  }

  private async call(request: DeviceRequest, { signal }: CallContext): Promise<DeviceAnswer> {
    const mishap = this.arrive(request);
    await this.during(request, signal);
    const data = this.answer(request);
    if (mishap === 'lost' || signal?.aborted) {
      throw new AppError(request.method === 'GET' ? 'device_answer_cut' : 'device_outcome_unknown');
    }
    return { status: 200, body: { success: true, data } };
  }

  private async stream(request: DeviceRequest, { signal }: CallContext): Promise<DeviceStream> {
    const mishap = this.arrive(request);
    await this.during(request, signal);
    const { content } = this;
    if (!content) {
      const problem = { success: false, errors: [{ code: 113, error: 'There is no backup' }] };
      return streamOf(404, 'application/json', Readable.from([Buffer.from(JSON.stringify(problem))]));
    }
    return streamOf(200, 'application/octet-stream', Readable.from(mishap === 'lost' ? cut(content) : [content]));
  }

  private arrive(request: DeviceRequest): Mishap | null {
    const mishap = this.mishap(this.answers++, request);
    if (mishap === 'unreachable') throw new AppError('device_unreachable');
    this.seen.push(`${request.method} ${request.path}`);
    return mishap;
  }

  private answer({ path }: DeviceRequest): unknown {
    switch (path) {
      case PATHS.systemStatus:
        return { mnfinfo: { serial: this.serial }, static: { fw_version: 'RUTX_R_00.07.16' } };
      case PATHS.backupStatus:
        return { backup_exists: this.content ? '1' : '0', sha256: this.digest ?? '', md5: '' };
      case PATHS.generateBackup:
        this.made++;
        if (this.makesAnew || !this.content)
          this.content = Buffer.from(`backup ${this.made} of ${this.serial} `.repeat(1000));
        return { sha256: this.digest, md5: '' };
      default:
        throw new AppError('device_refused', { deviceStatus: 404, deviceErrors: [], deviceCodes: [122] });
    }
  }
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function* cut(content: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(content.subarray(0, content.length / 2));
  throw new Error('socket hang up');
}

function streamOf(status: number, type: string, body: Readable): DeviceStream {
  return { status, headers: { 'content-type': type }, body } as unknown as DeviceStream;
}
