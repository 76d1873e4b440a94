import { type z } from 'zod';
import { type Permission } from '../../auth/rights/permissions.js';
import { type Facts } from '../../platform/errors.js';
import { type Act } from '../../proxy/connections/call-request.js';
import { type ArtifactReference } from '../../artifacts/artifact-use.entity.js';
import { type Failure, type Intent, type LogLine, type StepResult } from '../rows/job-state.js';
import { type NewArtifact, type StepContext, type StoredArtifact } from './step-context.js';

/*
 * A kind of job is data and a few functions without a clock, a socket or a database of their own: they use only their
 * `StepContext`. After each function the engine saves the job, except after `send` and after a poll without news. After a
 * crash it calls the function again with the last saved cursor.
 *
 * A step may be repeated without harm. A write that may not is an effect, in three saves of its intent:
 *   1 a step requests it, with the result of its probe      -> intent `open`
 *   2 the engine marks it and calls `send`, once            -> intent `sent`
 *   3 `conclude` determines the result                      -> `executed`, `not_executed` or `unknown`
 * After a crash between 2 and 3 the engine calls only `conclude`, which probes without an answer. `send` never runs twice
 * for one intent. A crash between 1 and 2 drops the intent and repeats the step, since its probe may be stale.
 */

/** A sealed value that a spec names. */
export interface SealedReference {
  readonly valueId: string;
  /** The option that gets it. A value taken from this option may be put back without the right to open it. */
  readonly destination?: { readonly path: string; readonly option: string };
}

export type KindResult<Cursor> =
  | StepResult<Cursor>
  | {
      readonly next: 'effect';
      readonly effect: string;
      readonly cursor: Cursor;
      /** The result of the probe before, for the probe after to compare. */
      readonly before: Facts;
      readonly logLine?: LogLine;
    }
  | {
      readonly next: 'end_with_artifacts';
      /** The job has succeeded and made these artifacts. */
      readonly artifacts: readonly NewArtifact[];
      readonly result: Facts;
      readonly logLine?: LogLine;
    };

/** What is known about a sent effect. */
export interface Evidence {
  readonly before: Facts;
  /** The device's answer; undefined when it was lost. */
  readonly answer: unknown;
  /** The device's refusal; null when it did not refuse. */
  readonly refusal: Failure | null;
  /** Milliseconds since the answer, or since it was given up; since it was marked as sent when the process ended in between. */
  readonly settlingMs: number;
}

/** What became of an effect; `undecided`: `conclude` reads again after a pause. */
export type EffectVerdict<Cursor> =
  | {
      readonly is: 'executed' | 'not_executed' | 'unknown';
      /** The result of the probe after. */
      readonly after: Facts;
      /** What the job does next. */
      readonly stepResult: StepResult<Cursor>;
    }
  | {
      readonly is: 'undecided';
      readonly afterMs: number;
      /** The cursor to store for the next read; absent: unchanged. */
      readonly cursor?: Cursor;
    };

interface Step {
  /** The name of the step. */
  readonly at: string;
}

/** The cursor at the step of this name. */
export type CursorAt<Cursor extends Step, Name extends Cursor['at']> = Extract<Cursor, { readonly at: Name }>;

/** @template StepCursor the cursor at the step that asks for it */
interface Effect<Cursor, StepCursor = Cursor> {
  /** Sends it. @returns the part of the answer that the intent stores, no secret; without one, that it was accepted */
  send(cursor: StepCursor, context: StepContext): Promise<unknown>;
  /** Determines the result by the answer or, without one, by a read of the device. Never sends it again. */
  conclude(cursor: StepCursor, evidence: Evidence, context: StepContext): Promise<EffectVerdict<Cursor>>;
}

/** An effect, and the step at which it is asked for, sent and concluded. */
type EffectAtStep<Cursor extends Step> = {
  readonly [Name in Cursor['at']]: { readonly at: Name } & Effect<Cursor, CursorAt<Cursor, Name>>;
}[Cursor['at']];

type Steps<Cursor extends Step> = {
  readonly [Name in Cursor['at']]: (
    cursor: CursorAt<Cursor, Name>,
    context: StepContext,
  ) => KindResult<Cursor> | Promise<KindResult<Cursor>>;
};

/** What the gateway knows of a device and of the artifacts of a spec, without a call. */
export interface KnownFacts {
  readonly device: { readonly model: string | null; readonly firmware: string | null };
  readonly now: Date;
  readonly lastBackup: Pick<StoredArtifact, 'createdAt' | 'confirmedAt'> | null;
  readonly artifact: (artifactId: string) => StoredArtifact | null;
}

/** The declaration of a kind. `Cursor` is its state between steps; its `at` names the step for people. */
interface KindDefinition<Spec, Cursor extends Step> {
  readonly name: string;
  /** From the start of the job to its end, waits included. */
  readonly deadlineMs: number;
  readonly spec: z.ZodType<Spec>;
  readonly cursor: z.ZodType<Cursor>;
  start(spec: Spec): Cursor;
  /** Whether its effect restarts the device: a device that is away for that is no news. */
  readonly restarts?: boolean;
  /** The permission to start it, besides `job.start`. */
  readonly permission?: Permission;
  /** Whether starting it requires a recent second factor; for some kinds it depends on the spec. */
  readonly stepUp?: boolean | ((spec: Spec) => boolean);
  /** The calls that its author chooses: authorized like direct calls. Absent: it makes only its own. */
  calls?(spec: Spec): readonly Pick<Act, 'path' | 'writes'>[];
  /** The artifacts that a job with this spec uses: they must neither change nor be deleted until it ends. */
  artifactsOf?(spec: Spec): readonly ArtifactReference[];
  sealedValuesOf?(spec: Spec): readonly SealedReference[];
  /**
   * Why a job that started now would end before it changes anything, as far as is known: by the functions with which its steps
   * refuse. What only the device knows is left to them.
   */
  foresee?(spec: Spec, known: KnownFacts): readonly Failure[];
  readonly steps: Steps<Cursor>;
  readonly effects: Readonly<Record<string, EffectAtStep<Cursor>>>;
  /** Whether the job is past its point of no return. */
  isIrrevocable(cursor: Cursor, intent: Intent | null): boolean;
  /** Its progress, in percent and in words; absent: only its steps tell. */
  progress?(cursor: Cursor, moment: ProgressInput): Progress;
}

export interface ProgressInput {
  readonly intent: Intent | null;
  readonly now: Date;
}

export interface Progress {
  /** 0 to 99: 100 is the end. */
  readonly percent: number;
  readonly text: string;
}

/** A kind as the engine sees it: cursors are untyped rows, parsed by the kind's schema. */
export interface JobKind {
  readonly name: string;
  readonly deadlineMs: number;
  readonly spec: z.ZodType;
  /** @param spec what `spec` parsed */
  start(spec: unknown): { readonly at: string };
  readonly restarts: boolean;
  readonly permission: Permission;
  /** @param spec what `spec` parsed */
  stepUp(spec: unknown): boolean;
  calls(spec: unknown): readonly Pick<Act, 'path' | 'writes'>[];
  artifactsOf(spec: unknown): readonly ArtifactReference[];
  sealedValuesOf(spec: unknown): readonly SealedReference[];
  /** Null for a kind that foresees nothing. */
  readonly foresee: ((spec: unknown, known: KnownFacts) => readonly Failure[]) | null;
  /** Whether a cursor is one of this kind; the other methods throw for an invalid one. */
  canParse(cursor: unknown): boolean;
  at(cursor: unknown): string;
  step(cursor: unknown, context: StepContext): Promise<KindResult<unknown>>;
  effect(name: string): Effect<unknown>;
  isIrrevocable(cursor: unknown, intent: Intent | null): boolean;
  progress(cursor: unknown, moment: ProgressInput): Progress | null;
}

/** Wraps a typed definition for the engine. */
export function defineKind<Spec, Cursor extends Step>(kind: KindDefinition<Spec, Cursor>): JobKind {
  const read = (cursor: unknown) => kind.cursor.parse(cursor);
  return {
    name: kind.name,
    deadlineMs: kind.deadlineMs,
    spec: kind.spec,
    start: (spec) => kind.start(spec as Spec),
    restarts: kind.restarts ?? false,
    permission: kind.permission ?? 'job.start',
    stepUp: (spec) => (typeof kind.stepUp === 'function' ? kind.stepUp(spec as Spec) : (kind.stepUp ?? false)),
    calls: (spec) => kind.calls?.(spec as Spec) ?? [],
    artifactsOf: (spec) => kind.artifactsOf?.(spec as Spec) ?? [],
    sealedValuesOf: (spec) => kind.sealedValuesOf?.(spec as Spec) ?? [],
    foresee: kind.foresee ? (spec, known) => kind.foresee!(spec as Spec, known) : null,
    canParse: (cursor) => kind.cursor.safeParse(cursor).success,
    at: (cursor) => read(cursor).at,
    step: async (cursor, context) => {
      const parsed = read(cursor);
      return kind.steps[parsed.at as Cursor['at']](parsed as CursorAt<Cursor, Cursor['at']>, context);
    },
    effect(name) {
      const effect = kind.effects[name];
      if (!effect) throw new Error(`The kind ${kind.name} has no effect ${name}`);
      const readAt = (cursor: unknown) => {
        const parsed = read(cursor);
        if (parsed.at !== effect.at) throw new Error(`The effect ${name} of the kind ${kind.name} ran at ${parsed.at}`);
        return parsed as CursorAt<Cursor, Cursor['at']>;
      };
      return {
        send: async (cursor, context) => (await effect.send(readAt(cursor), context)) ?? { accepted: true },
        conclude: async (cursor, evidence, context) => effect.conclude(readAt(cursor), evidence, context),
      };
    },
    isIrrevocable: (cursor, intent) => kind.isIrrevocable(read(cursor), intent),
    progress: (cursor, moment) => kind.progress?.(read(cursor), moment) ?? null,
  };
}
