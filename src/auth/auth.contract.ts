import { z } from 'zod';
import { instant } from '../platform/endpoint.js';
import { ROLES } from './permissions.js';

const role = z.enum(ROLES);
const name = z.string().trim().min(1).max(120);

export const setupInput = z
  .strictObject({
    token: z.string().min(1).max(200).describe('As printed at the start'),
    operatorName: name.describe('The name of the first administrator'),
  })
  .meta({ id: 'Setup' });
export type SetupInput = z.output<typeof setupInput>;

export const operatorInput = z.strictObject({ name, role }).meta({ id: 'CreateOperator' });
export type OperatorInput = z.output<typeof operatorInput>;

export const keyInput = z
  .strictObject({
    operatorId: z.uuid().optional().describe('Whose key; absent: your own'),
    name: name.describe('What it is for'),
    expiresAt: z.iso
      .datetime({ offset: true })
      .transform((text) => new Date(text))
      .optional()
      .describe('When it ends, in the future; absent: never'),
  })
  .meta({ id: 'IssueApiKey' });
export type KeyInput = z.output<typeof keyInput>;

export const operatorView = z
  .object({ id: z.uuid(), name: z.string(), role, createdAt: instant })
  .meta({ id: 'Operator' });

export const operatorList = z.object({ items: z.array(operatorView) }).meta({ id: 'OperatorList' });

export const keyView = z
  .object({
    id: z.uuid(),
    operatorId: z.uuid(),
    name: z.string(),
    prefix: z.string().describe('The first letters of the key, to recognise it by'),
    createdAt: instant,
    expiresAt: instant.nullable(),
    revokedAt: instant.nullable(),
    lastUsedAt: instant.nullable().describe('To the minute'),
  })
  .meta({ id: 'ApiKey' });

export const keyList = z.object({ items: z.array(keyView) }).meta({ id: 'ApiKeyList' });

export const issuedKeyView = z
  .object({ ...keyView.shape, key: z.string().describe('The key itself; shown this once') })
  .meta({ id: 'IssuedApiKey' });

export const setupView = z.object({ operator: operatorView, apiKey: issuedKeyView }).meta({ id: 'SetupDone' });

export const selfView = z
  .object({ subject: z.string(), name: z.string(), role, permissions: z.array(z.string()) })
  .meta({ id: 'Self' });
