import { backup } from './backup.js';
import { type JobKind } from './kind.js';

export type JobKinds = ReadonlyMap<string, JobKind>;

/** Every kind of job. A start fails when a job that has not ended is of a kind that is not here. */
export const JOB_KINDS: JobKinds = new Map([backup].map((kind) => [kind.name, kind]));
