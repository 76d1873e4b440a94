import { z } from 'zod';
import { instant } from '../http/endpoint.js';
import { textSuchAs } from '../http/schemas.js';
import { FIELD_KEY, FIELD_TYPES, FIELDS_MAX } from './registry/device-fields.js';

/* Custom fields: their definitions, and values of devices. */

export const fieldKey = z
  .string()
  .regex(FIELD_KEY, 'a lower-case letter, then lower-case letters, digits and _')
  .meta({ examples: ['rack'] });

const text = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'no control characters');

/** The definitions decide about the type of each value. */
export const fieldChanges = z
  .record(fieldKey, z.union([text, z.number(), z.boolean(), z.null()]))
  .refine((changes) => Object.keys(changes).length <= FIELDS_MAX, `at most ${FIELDS_MAX} fields`)
  .describe('Values of custom fields (GET /v1/fields); null removes one, and absent ones stay')
  .meta({ examples: [{ rack: 'B7' }] });

export const fieldValues = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .describe('Values of custom fields')
  .meta({ examples: [{ rack: 'B7' }] });

export const defineFieldInput = z
  .strictObject({
    type: z.enum(FIELD_TYPES),
    choices: z.array(text).min(1).max(100).optional().describe('The allowed values of type `choice`'),
    description: z.string().trim().max(500).default('').describe('What it is for'),
  })
  .refine(({ type, choices }) => (type === 'choice') === (choices !== undefined), {
    path: ['choices'],
    message: 'type `choice` needs choices, and no other type has some',
  })
  .meta({ id: 'DefineField', examples: [{ type: 'choice', choices: ['north', 'south'], description: 'Region' }] });
export type DefineFieldInput = z.output<typeof defineFieldInput>;

export const fieldView = z
  .object({
    key: textSuchAs('rack'),
    type: z.enum(FIELD_TYPES),
    choices: z.array(z.string()),
    description: z.string(),
    updatedAt: instant,
  })
  .meta({ id: 'DeviceField' });

export const fieldList = z.object({ items: z.array(fieldView) }).meta({ id: 'DeviceFieldList' });
