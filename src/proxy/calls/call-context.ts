import { type Readable } from 'node:stream';
import { type AnswerHeaders, type Flow, type Limits } from '../../device-api/exchange.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { type DeviceWithAccounts } from '../../devices/registry/device.queries.js';
import { type Actor } from '../../platform/actor.js';
import { type CallPriority } from '../admission/admission.js';
import { type CallRequest } from '../connections/call-request.js';
import { type PooledSession } from '../sessions/session-pool.js';

/* What a call gets from its caller, and what it tells its caller. */

/** An authorized request with its path checked, headers, body and limits: ready to be sent to a device. */
export interface PreparedRequest {
  readonly call: CallRequest;
  /** Alternating names and values, without `authorization`. */
  readonly headers: readonly string[];
  readonly body: Buffer | Readable | null;
  readonly limits: Limits;
  /** As in `CallContext`. */
  readonly inBackground?: boolean;
  /** As in `CallContext`. */
  readonly beforeWrite?: (() => void) | undefined;
  /** Called before the last part of a streamed body is sent; when it rejects, that part is not sent. */
  readonly mayEnd?: (() => Promise<void>) | undefined;
}

export interface CallContext {
  readonly actor: Actor;
  /** The job that makes it, with its priority. `requireContinue` rejects when its author may not: called after the wait. */
  readonly job?: { readonly id: string; readonly requireContinue?: () => Promise<void> } & CallPriority;
  /** The fan-out that it belongs to. */
  readonly operationId?: string;
  readonly signal?: AbortSignal;
  /** Called just before a write is sent; when it throws, nothing is sent. A job checks its lease here. */
  readonly beforeWrite?: () => void;
  /** Called just before each request, a retry too; when it throws, nothing is sent. Work without a caller judges its author here. */
  readonly beforeSend?: (device: Readonly<Device>) => void;
  /** Told of a session whose login this call began itself. */
  readonly onLogin?: (session: PooledSession) => void;
  /** The device, when its caller has found it and looked for its locks; a later lock ends the answer (`RunningAnswers`). */
  readonly unlocked?: DeviceWithAccounts;
  /** Whether it gives an account of the gateway another password, which only the rotation of passwords may. */
  readonly rotatesPassword?: boolean;
  /**
   * Whether no operator, person or program, asked for it directly: it is of a fan-out, a sweep, a health check; jobs
   * always are background. Logins of interactive calls come first.
   */
  readonly inBackground?: boolean;
}

/** What the gateway says beside an answer: its times, of which `deviceMs` ends with the head, and what the device asks for. */
export interface AnswerNotes {
  readonly queueMs: number;
  readonly loginMs: number;
  readonly deviceMs: number;
  /** What a person must do before the device does anything else (`password-demand.ts`); null: nothing. */
  readonly demand: string | null;
}

/** Receives the final answer of a call, whose promise settles when it is complete. Throwing ends the call. */
export interface CallSink {
  head(status: number, headers: AnswerHeaders, flow: Flow, notes: AnswerNotes): void;
  data(chunk: Buffer): void;
}
