import { createHash } from 'node:crypto';
import { type z } from 'zod';
import { PATHS } from '../../../src/device-api/contract.js';
import { redact } from '../../../src/device-api/redaction.js';
import { type End } from '../../../src/jobs/rows/job-state.js';
import { failureOf, isDeviceRefusal } from '../../../src/jobs/rows/step-error.js';
import { type Evidence, type JobKind, type KindResult } from '../../../src/jobs/kind-api/kind.js';
import {
  type JobTemplates,
  type JobRotation,
  type StepContext,
  type StoredArtifact,
} from '../../../src/jobs/kind-api/step-context.js';
import { AppError } from '../../../src/platform/errors.js';
import { type DeviceRequest } from '../../../src/proxy/calls/device-calls.js';

/*
 * A device on paper, with the part of the engine that a kind needs: its steps one after the other, its effects once, and time
 * that passes when a kind waits. For ends that simulated devices do not come to by themselves; what the engine does with
 * crashes and lost leases is not tested here.
 */

/** `data` of the answer; throws what a caller would meet. */
type Answer = (request: DeviceRequest) => unknown;

/** No kind takes so many steps in its whole time. */
const MAX_TURNS = 5_000;

const VALUE_ID = '0b8a7c1e-4a51-4b8c-9d52-3f1f6f1f2a01';

export class PaperDevice {
  serial = 'S-1';
  version: string | null = 'RUTX_R_00.07.16.3';
  /** Whether it tells since when it runs. */
  tellsUptime = true;
  /** What every call meets; null: an answer. */
  trouble: (() => AppError) | null = null;
  artifact: StoredArtifact | null = null;
  /** Effects that were sent, in order. */
  readonly sent: string[] = [];
  /** Runs when the gateway logs in anew. */
  onLogin: () => void = () => undefined;
  takesPassword = true;
  /** Whether its trust proves it at another address. */
  mayFollow = true;
  templates: JobTemplates = {
    paths: () => Promise.resolve(['/api/ntp/global']),
    changes: () => Promise.resolve({ number: 1, changes: [], left: 0, putBack: [] }),
    note: () => Promise.resolve(),
  };
  /** What a look at another address comes to. */
  relocate: StepContext['relocate'] = () => Promise.reject(new AppError('device_unreachable'));
  rotation: Partial<JobRotation> = { account: () => Promise.resolve(null) };
  /** What fetching a file comes to. */
  save: StepContext['save'] = () => Promise.reject(unknown());

  private nowMs = Date.parse('2026-11-21T12:00:00Z');
  private bootedMs = this.nowMs - 3_600_000;
  private readonly answers = new Map<string, Answer>([
    [
      `GET ${PATHS.systemStatus}`,
      () => ({ mnfinfo: { serial: this.serial, name: 'RUTX50' }, static: { model: 'RUTX50' } }),
    ],
    [
      `GET ${PATHS.usageStatus}`,
      () => (this.tellsUptime ? { uptime_seconds: Math.floor((this.nowMs - this.bootedMs) / 1000) } : {}),
    ],
    [
      `GET ${PATHS.firmwareStatus}`,
      () => {
        if (this.version === null) throw unknown();
        return { version: this.version };
      },
    ],
  ]);

  /** @param request method and path, such as `GET /api/ntp/global` */
  on(request: string, answer: Answer): this {
    this.answers.set(request, answer);
    return this;
  }

  /** It was away and is back, with this version from now on. */
  restart(version = this.version): void {
    this.bootedMs = this.nowMs;
    this.version = version;
  }

  get now(): Date {
    return new Date(this.nowMs);
  }

  /** Runs a job of this kind to its end. @returns `outcome code`, and the end itself */
  async run(kind: JobKind, spec: unknown): Promise<{ readonly ends: string; readonly end: End }> {
    let cursor: unknown = kind.start(kind.spec.parse(spec));
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      const step = await kind.step(cursor, this.context);
      const outcome = step.next === 'effect' ? await this.carryOut(kind, step) : step;
      if (outcome.next === 'end')
        return { ends: [outcome.outcome, outcome.failure?.code].join(' ').trim(), end: outcome };
      if (outcome.next === 'end_with_artifacts')
        return { ends: 'succeeded', end: { next: 'end', outcome: 'succeeded' } };
      if (outcome.next === 'wait') this.nowMs += outcome.afterMs;
      cursor = outcome.cursor;
    }
    throw new Error(`A job of the kind ${kind.name} came to no end`);
  }

  /** An effect from its intent to its verdict, as `job-runner.ts` does it: sent once, then looked at. */
  private async carryOut(kind: JobKind, { effect: name, before, cursor: first }: Effect) {
    const effect = kind.effect(name);
    const sentMs = this.nowMs;
    let cursor = first;
    let evidence: Omit<Evidence, 'settlingMs'> = { before, answer: undefined, refusal: null };
    this.sent.push(name);
    try {
      evidence = { ...evidence, answer: await effect.send(cursor, this.context) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (isDeviceRefusal(error)) evidence = { ...evidence, refusal: failureOf(error) };
    }
    for (;;) {
      const verdict = await effect.conclude(cursor, { ...evidence, settlingMs: this.nowMs - sentMs }, this.context);
      if (verdict.is !== 'undecided') return verdict.stepResult;
      this.nowMs += verdict.afterMs;
      cursor = verdict.cursor ?? cursor;
    }
  }

  private async ask(request: DeviceRequest): Promise<unknown> {
    if (this.trouble) throw this.trouble();
    const answer = this.answers.get(`${request.method} ${request.path}`);
    if (!answer) throw unknown();
    return answer(request);
  }

  private async read<Data>(request: DeviceRequest, schema: z.ZodType<Data>): Promise<Data> {
    const data = schema.safeParse(await this.ask(request));
    if (!data.success) throw new AppError('device_answer_invalid', { path: request.path });
    return data.data;
  }

  private get context(): StepContext {
    const nothing = () => Promise.resolve();
    return {
      device: { id: 'device-1', name: 'pump', serial: null, model: null, firmware: null },
      now: this.now,
      call: (request, schema) => this.read(request, schema),
      callForEnvelope: async (request) => ({
        status: 200,
        headers: {},
        body: { success: true, data: await this.ask(request) },
        ms: 1,
      }),
      redacted: (value, path) => redact(value, path, print).value as typeof value,
      save: (...given) => this.save(...given),
      lastBackup: () => Promise.resolve(null),
      storeObservations: nothing,
      artifact: () => Promise.resolve(this.artifact),
      upload: ({ method, path }, schema) => this.read({ method, path }, schema),
      endSessions: () => Promise.resolve(this.onLogin()),
      readFile: async (request) => Buffer.from(String(await this.ask(request))),
      store: (bytes) => Promise.resolve({ sha256: print(bytes.toString('latin1')), bytes: bytes.length }),
      content: () => Promise.reject(new AppError('artifact_not_found')),
      secrets: {
        generate: () => Promise.resolve(VALUE_ID),
        seal: () => Promise.resolve(VALUE_ID),
        passphraseOf: () => Promise.resolve(null),
        open: () => Promise.resolve('a secret'),
      },
      templates: () => this.templates,
      ownAccounts: () => Promise.resolve(['admin']),
      provePassword: () => Promise.resolve(this.takesPassword),
      rotation: this.rotation as JobRotation,
      address: () => Promise.resolve({ baseUrl: 'https://192.0.2.1', spareUrl: null, mayFollow: this.mayFollow }),
      relocate: (...given) => this.relocate(...given),
      noteCertificates: nothing,
      forgetCertificates: nothing,
    };
  }
}

type Effect = Extract<KindResult<unknown>, { next: 'effect' }>;

const print = (text: string) => createHash('sha256').update(text).digest('hex');

/** What a device says of a path that it does not have (observed-devices.md 4). */
export const unknown = () => refused(404, 122);

/** A refusal with this code. */
export function refused(deviceStatus: number, code: number): AppError {
  return new AppError('device_refused', { deviceStatus, deviceErrors: [], deviceCodes: [code] });
}
