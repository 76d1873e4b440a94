import { z } from 'zod';
import { instant } from '../../http/endpoint.js';
import { givenInstant, nameSuchAs, textSuchAs } from '../../http/schemas.js';
import { keyScope } from './key-scope.js';

/** A key with more networks could as well be used from anywhere. */
const NETWORKS_MAX = 100;

const OVERLAP_HOURS_MAX = 30 * 24;

export const ownKeyInput = z
  .strictObject({
    name: nameSuchAs('nightly report').describe('What it is for'),
    expiresAt: givenInstant.optional().describe('When it ends, in the future; absent: never'),
    scope: keyScope.optional().describe('Narrows it below its operator; absent: nothing'),
    allowedAddresses: z
      .array(z.union([z.cidrv4(), z.cidrv6()]))
      .max(NETWORKS_MAX)
      .default([])
      .describe('Networks from which it may be used; empty: any'),
    callsPerMinute: z
      .number()
      .int()
      .min(1)
      .max(100_000_000)
      .optional()
      .describe('Its own limit; absent: the limit of the configuration'),
  })
  .meta({ id: 'IssueOwnApiKey' });
export type OwnKeyInput = z.output<typeof ownKeyInput>;

export const keyInput = z
  .strictObject({
    operatorId: z.uuid().optional().describe('Whose key; absent: your own'),
    ...ownKeyInput.shape,
  })
  .meta({ id: 'IssueApiKey' });
export type KeyInput = z.output<typeof keyInput>;

export const rotateInput = z
  .strictObject({
    overlapHours: z
      .number()
      .min(0)
      .max(OVERLAP_HOURS_MAX)
      .default(24)
      .describe('For how long the old key still works, at most until its own end'),
  })
  .meta({ id: 'RotateApiKey' });
export type RotateInput = z.output<typeof rotateInput>;

const keyView = z
  .object({
    id: z.uuid(),
    operatorId: z.uuid(),
    name: textSuchAs('nightly report'),
    prefix: textSuchAs('fg_8JqL').describe('The first letters of the key, to recognise it'),
    createdAt: instant,
    expiresAt: instant.nullable(),
    revokedAt: instant.nullable(),
    scope: keyScope.nullable(),
    allowedAddresses: z.array(z.string()),
    callsPerMinute: z.number().int().nullable(),
    replacesId: z.uuid().nullable().describe('The key that it replaces'),
    lastUsedAt: instant.nullable().describe('To the minute'),
    lastUsedAddress: z.string().nullable(),
  })
  .meta({ id: 'ApiKey' });

export const keyList = z.object({ items: z.array(keyView) }).meta({ id: 'ApiKeyList' });

export const issuedKeyView = z
  .object({ ...keyView.shape, key: z.string().describe('The key itself; shown only now') })
  .meta({ id: 'IssuedApiKey' });
