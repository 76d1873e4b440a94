import { z } from 'zod';
import { deviceRef } from '../../devices/registry/device-ref.js';
import { instant } from '../../platform/http/endpoint.js';
import { pageOf, pageQuery } from '../../platform/http/page.js';

/* What goes in and out of the routes of sealed values. */

/** Longer than any password or key file of a device. */
const MAX_CHARACTERS = 16 * 1024;

export const giveValueInput = z
  .strictObject({
    label: z.string().trim().min(1).max(200).describe('A description for people; not a secret'),
    value: z.string().min(1).max(MAX_CHARACTERS).describe('The secret; it is sealed, and no answer shows it'),
    days: z.int().min(1).max(365).default(30).describe('How long it is stored'),
  })
  .meta({ id: 'GiveSealedValue' });
export type GiveValueInput = z.output<typeof giveValueInput>;

export const listValuesQuery = z.strictObject({
  ...pageQuery.shape,
  device: deviceRef.optional().describe('Only values that jobs of this device made'),
  job: z.uuid().optional().describe('Only values that this job made'),
});
export type ListValuesQuery = z.output<typeof listValuesQuery>;

export const sealedValueView = z
  .object({
    id: z.uuid().describe('The id for specs'),
    label: z.string(),
    deviceId: z.uuid().nullable(),
    jobId: z.uuid().nullable(),
    policyId: z.uuid().nullable().describe('The backup policy whose copy of a passphrase it is'),
    createdByName: z.string(),
    createdAt: instant,
    expiresAt: instant,
  })
  .meta({ id: 'SealedValue' });

export const sealedValuePage = pageOf(sealedValueView).meta({ id: 'SealedValuePage' });

export const openedValueView = z.object({ ...sealedValueView.shape, value: z.string() }).meta({ id: 'OpenedValue' });
