import { z } from 'zod';
import { instant } from '../../http/endpoint.js';
import { pageOf, pageQuery } from '../../http/page.js';
import { givenInstant } from '../../http/schemas.js';

const LOCK_KINDS = ['operator', 'key', 'device', 'selector', 'writes'] as const;

const common = {
  reason: z.string().trim().min(1).max(500).describe('The reason, shown to callers that the lock stops'),
  endsAt: givenInstant.nullable().default(null).describe('When it ends by itself; null: only when it is lifted'),
};

export const lockInput = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('operator'), target: z.uuid().describe('The operator'), ...common }),
    z.strictObject({ kind: z.literal('key'), target: z.uuid().describe('The API key'), ...common }),
    z.strictObject({
      kind: z.literal('device'),
      target: z.string().max(140).describe('The device: its id, `name:…`, `serial:…` or `mac:…`'),
      ...common,
    }),
    z.strictObject({
      kind: z.literal('selector'),
      target: z.string().min(1).max(4_096).describe('All devices of a selector, also those that match it later'),
      expectedDigest: z
        .string()
        .regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits')
        .optional()
        .describe('`digest` of a preview: where the selector names other devices by now, nothing is locked'),
      ...common,
    }),
    z.strictObject({ kind: z.literal('writes').describe('All writes, to devices and to the gateway'), ...common }),
  ])
  .meta({ id: 'Lock' });
export type LockInput = z.output<typeof lockInput>;

export const lockView = z
  .object({
    id: z.uuid(),
    kind: z.enum(LOCK_KINDS),
    target: z
      .string()
      .nullable()
      .describe('null for all writes, and for a selector that names devices if you may see only some devices'),
    reason: z.string(),
    createdAt: instant,
    createdBy: z.string(),
    createdByName: z.string(),
    endsAt: instant.nullable(),
    liftedAt: instant.nullable(),
  })
  .meta({ id: 'LockView' });
export type Lock = z.input<typeof lockView>;

export const lockQuery = z.strictObject({
  ...pageQuery.shape,
  all: z.stringbool().default(false).describe('Also those that have ended'),
});
export type LockQuery = z.output<typeof lockQuery>;

export const lockPage = pageOf(lockView).meta({ id: 'LockPage' });
