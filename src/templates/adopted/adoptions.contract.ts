import { z } from 'zod';
import { selectorText } from '../../devices/devices.contract.js';
import { textSuchAs } from '../../http/schemas.js';
import { deviceRef } from '../../selectors/device-ref.js';
import { templatePath } from '../desired/template-item.js';
import { itemView, templateName } from '../saved/templates.contract.js';

/* Schemas of the adoption of a template. */

/** Each is compared with all others, section by section. */
export const ADOPTED_DEVICES_MAX = 50;
const PATHS_MAX = 20;
export const LEFT_OUT_MAX = 1_000;

export const adoptionInput = z
  .strictObject({
    name: templateName,
    selector: selectorText.describe('The devices that the template is for').meta({ examples: ['tag:pump'] }),
    from: selectorText
      .describe(`The devices whose configuration is adopted, 1 to ${ADOPTED_DEVICES_MAX}`)
      .meta({ examples: ['site:north'] }),
    paths: z
      .array(templatePath)
      .min(1)
      .max(PATHS_MAX)
      .transform((paths) => [...new Set(paths)]),
    dryRun: z.boolean().default(false).describe('Only report what it would do'),
  })
  .meta({ id: 'AdoptTemplate' });
export type AdoptionInput = z.output<typeof adoptionInput>;

const whole = z.number().int();
const key = z.record(z.string(), z.string());

export const acceptInput = z
  .strictObject({
    device: deviceRef.meta({ examples: ['name:pump-1'] }),
    path: templatePath,
    key: key.default({}).describe('As the item of the draft has it'),
    option: textSuchAs('hostname').min(1).max(64),
  })
  .meta({ id: 'AcceptDifference' });
export type AcceptDifference = z.output<typeof acceptInput>;

export const acceptView = z
  .object({
    field: z
      .string()
      .nullable()
      .describe('The custom field of the device that has the value now; null: the draft has it'),
    value: z.union([z.string(), z.array(z.string())]).describe('What the device has'),
  })
  .meta({ id: 'AcceptedDifference' });

export const adoptionView = z
  .object({
    template: z.string().nullable().describe('The name of the stored draft; null with `dryRun`'),
    devices: whole.describe('Whose configuration was compared'),
    items: z.array(itemView).describe('What is equal on all of them; what differs names a custom field'),
    fields: z
      .array(
        z.object({
          field: z.string(),
          isNew: z.boolean().describe('There is no such custom field yet'),
          path: z.string(),
          key,
          option: z.string(),
          values: z.array(z.object({ deviceId: z.uuid(), device: z.string(), value: z.string() })),
        }),
      )
      .describe('Options that differ, with the value of each device'),
    leftOut: z
      .array(
        z.object({
          path: z.string(),
          key,
          option: z.string().nullable().describe('null: the section, or without a key the whole path'),
          reason: z
            .enum([
              'not_on_all',
              'no_key',
              'secret',
              'made_by_device',
              'moves',
              'not_text',
              'list_differs',
              'no_field_value',
              'too_many_fields',
              'too_many_items',
              'too_many_options',
              'refused',
            ])
            .describe(
              '`not_on_all`: not every device has it. `no_key`: nothing tells the sections apart. `made_by_device`: a key, an address of ' +
                'the hardware or a time. `moves`: it changed again and again by itself. `no_field_value`: it differs, and a custom field ' +
                'cannot have one of the values. `refused`: a guarded change may not set it',
            ),
        }),
      )
      .describe('What the template does not say; at most 1,000'),
  })
  .meta({ id: 'TemplateAdoption' });
