import { z } from 'zod';
import { selectorName, selectorText } from '../../devices/devices.contract.js';
import { instant } from '../../http/endpoint.js';
import { pageOf, pageQuery } from '../../http/page.js';
import { orphaned, unreadable } from '../../recurring/recurring-view.js';
import { contradictionsIn } from '../desired/overlap.js';
import { templateItem } from '../desired/template-item.js';

/* Schemas of the routes of templates. */

export const ITEMS_OF_TEMPLATE_MAX = 50;

/** Each publishing stores the items again. */
const CHARACTERS_MAX = 256 * 1024;

const SAMPLES_MAX = 20;

export const templateName = selectorName.meta({ examples: ['base'] });

const items = z
  .array(templateItem)
  .min(1)
  .max(ITEMS_OF_TEMPLATE_MAX)
  .superRefine((all, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if (JSON.stringify(all).length > CHARACTERS_MAX) refuse(`larger than ${CHARACTERS_MAX} characters`);
    else for (const { path, option } of contradictionsIn(all).slice(0, 5)) refuse(contradiction(path, option));
  });

const contradiction = (path: string, option: string | null): string =>
  `two items may name the same section of ${path}, and both decide ${option ?? 'whether it is there'}`;

export const templateInput = z
  .strictObject({
    name: templateName,
    selector: selectorText.meta({ examples: ['tag:pump'] }),
    items,
    dryRun: z.boolean().default(false).describe('Judges it, and stores nothing'),
  })
  .meta({ id: 'SaveTemplate' });
export type SaveTemplate = z.output<typeof templateInput>;
export type TemplateInput = Omit<SaveTemplate, 'dryRun'>;

export const planInput = z
  .strictObject({
    selector: selectorText.default('all').describe('Only these of its devices'),
    samples: z.int().min(0).max(SAMPLES_MAX).default(SAMPLES_MAX).describe('How many devices to show option by option'),
  })
  .meta({ id: 'PlanTemplate' });
export type PlanInput = z.output<typeof planInput>;

export const publishInput = z
  .strictObject({ reason: z.string().trim().min(1).max(1000).describe('Why; the version and the audit have it') })
  .meta({ id: 'PublishTemplate' });
export type PublishInput = z.output<typeof publishInput>;

export const versionNumber = z.coerce.number().int().min(1).max(2_147_483_647);

export const versionsQuery = pageQuery;
export type VersionsQuery = z.output<typeof versionsQuery>;

const whole = z.number().int();
const key = z.record(z.string(), z.string());

export const itemView = z
  .object({
    path: z.string(),
    key,
    mode: z.enum(['has', 'only', 'absent']),
    options: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    sealed: z.array(
      z.object({
        option: z.string(),
        valueId: z.uuid().optional().describe('A copy of the secret that only this template uses'),
        secret: z.string().optional().describe('The label with which it was given'),
        generate: whole.optional().describe('One of so many characters is made for each device'),
      }),
    ),
  })
  .meta({ id: 'TemplateItemView' });

const shownSelectorView = z.string().nullable().describe('null: it names devices, and you may see only some devices');

const listed = z.object({
  id: z.uuid(),
  name: z.string(),
  selector: shownSelectorView,
  publishedNumber: whole.nullable().describe('The version in force; null: none was published'),
  orphaned,
  unreadable: unreadable.describe(
    'The author of what is in force can no longer read its selector: it reaches no device',
  ),
  createdByName: z.string(),
  createdAt: instant,
});

const counted = whole.optional();
export const templateView = listed
  .extend({
    items: z.array(itemView),
    sync: z
      .object({
        in_sync: counted,
        pending: counted,
        drifted: counted,
        both: counted,
        suspended: counted,
        unread: counted,
        left_out: counted,
      })
      .describe('Devices by state, of those on which you may read all paths of the published version'),
  })
  .meta({ id: 'Template' });
export const templateList = z
  .object({ items: z.array(listed.meta({ id: 'ListedTemplate' })) })
  .meta({ id: 'TemplateList' });

const listedVersion = z.object({
  id: z.uuid(),
  number: whole,
  selector: shownSelectorView,
  reason: z.string(),
  createdByName: z.string(),
  publishedAt: instant,
});
export const versionView = listedVersion.extend({ items: z.array(itemView) }).meta({ id: 'TemplateVersion' });
export const versionPage = pageOf(listedVersion.meta({ id: 'ListedTemplateVersion' })).meta({
  id: 'TemplateVersionPage',
});

const option = z.string().nullable().describe('null: the section itself');

export const difference = z
  .object({
    path: z.string(),
    section: z.string().nullable().describe('Its id on the device; null: there is none so far'),
    key,
    option,
    is: z
      .enum(['missing', 'surplus', 'different', 'normalised', 'ignored'])
      .describe(
        '`normalised`: equal in the spelling of the device. `ignored`: let be on this device for a time. Neither is changed',
      ),
    wanted: z.unknown().describe('A secret is a fingerprint'),
    seen: z.unknown(),
    ignored: z
      .object({ by: z.string(), reason: z.string(), until: z.iso.datetime() })
      .optional()
      .describe('Of one that is ignored: by whom, why and until when'),
  })
  .meta({ id: 'TemplateDifference' });

const risk = z.object({ path: z.string(), reason: z.string() });
const deviceName = z.object({ deviceId: z.uuid(), name: z.string() });

const overlap = z.object({
  template: z.string(),
  devices: whole.describe('That both reach, of those that you may see'),
  path: z.string(),
  key,
  option: z.string().nullable().describe('null: whether the section is there'),
});
export type OverlapView = z.input<typeof overlap>;

export const planView = z
  .object({
    template: z.string(),
    devices: whole.describe('Devices of the draft that you may see'),
    inSync: whole,
    changed: whole.describe('Devices on which something would change'),
    newSections: whole.describe('Devices that would get at least one'),
    options: z
      .array(z.object({ path: z.string(), option, is: difference.shape.is, devices: whole }))
      .describe('What would change, on how many devices; most first, at most 100'),
    samples: z.array(deviceName.extend({ changes: whole, differences: z.array(difference), risks: z.array(risk) })),
    risks: z.array(risk.extend({ devices: whole })).describe('What can cut the connection to a device'),
    leftOut: z.array(
      z.object({
        reason: z.string().describe('Such as `unread`, `value_missing`, `key_ambiguous`, `forbidden`'),
        path: z.string().nullable(),
        devices: whole,
        samples: z.array(deviceName),
      }),
    ),
    secrets: z.array(
      z.object({
        path: z.string(),
        key,
        option: z.string(),
        isGenerated: z.boolean().describe('One is made for each device when it is first applied there'),
      }),
    ),
    overlaps: z.array(overlap).describe('With other published templates; publishing is refused'),
  })
  .meta({ id: 'TemplatePlan' });
export type TemplatePlanView = z.input<typeof planView>;
