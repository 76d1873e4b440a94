import { z } from 'zod';
import { deviceRef } from '../selectors/device-ref.js';
import { instant } from '../http/endpoint.js';
import { pageOf, pageQuery } from '../http/page.js';
import { OUTCOMES, PHASES } from '../artifacts/job-phases.js';
import { specsByKind } from './spec-schemas.js';

const facts = z.record(z.string(), z.unknown());

const kindName = z.string().regex(/^[a-z][a-z_]{0,39}$/, 'the name of a kind of job, such as backup');

export const startInput = z
  .strictObject({
    kind: kindName.describe('The kind of the job').meta({ examples: ['backup'] }),
    spec: facts.default({}).describe('Its parameters; each kind has its own fields'),
  })
  .meta({ id: 'StartJob', ...specsByKind('input') });
export type StartInput = z.output<typeof startInput>;

export const listJobsQuery = z.strictObject({
  ...pageQuery.shape,
  device: deviceRef.optional().describe('Only jobs of this device'),
  kind: kindName.optional(),
  phase: z.enum(PHASES).optional(),
  outcome: z.enum(OUTCOMES).optional(),
});
export type ListJobsQuery = z.output<typeof listJobsQuery>;

const failureView = z
  .object({ code: z.string(), message: z.string(), facts })
  .describe('Why it ended without success; while it waits, the last problem');

export const jobView = z
  .object({
    id: z.uuid(),
    deviceId: z.uuid(),
    kind: z.string(),
    spec: z.unknown(),
    phase: z.enum(PHASES).describe('`queued`: it waits; `dispatched`: it goes to a worker; `running`; `ended`'),
    outcome: z.enum(OUTCOMES).nullable(),
    step: z.string().describe('Its progress'),
    progress: z
      .object({ percent: z.number().int().min(0).max(100), text: z.string() })
      .nullable()
      .describe('How far it is, where its kind tells; the percents of a wait go by the clock'),
    waitReason: z.string().nullable(),
    wakeAt: instant.describe('When its next step is due'),
    deadlineAt: instant,
    attempts: z.number().int().describe('Consecutive problems at this step'),
    lostWorkers: z
      .number()
      .int()
      .describe('Workers lost in a row while they ran this step; the third one quarantines the job'),
    cancelAskedAt: instant.nullable(),
    result: facts.nullable(),
    failure: failureView.nullable(),
    startedBy: z.string(),
    startedByName: z.string(),
    reason: z.string().nullable(),
    createdAt: instant,
    startedAt: instant.nullable(),
    endedAt: instant.nullable(),
  })
  .meta({ id: 'Job', ...specsByKind('output') });

export const jobWithLogView = z
  .object({
    ...jobView.shape,
    log: z.array(z.object({ ordinal: z.number().int(), at: instant, step: z.string(), text: z.string(), facts })),
  })
  .meta({ id: 'JobWithLog', ...specsByKind('output') });

export const jobPage = pageOf(jobView).meta({ id: 'JobPage' });
