import { z } from 'zod';
import { selectorText } from '../../devices/devices.contract.js';
import { instant } from '../../http/endpoint.js';
import { givenInstant, textSuchAs } from '../../http/schemas.js';
import { orphaned, unreadable } from '../../recurring/recurring-view.js';
import { templatePath } from '../desired/template-item.js';

/* Schemas of the options of a template that are ignored on some devices for a time. */

const key = z.record(z.string().min(1).max(64), z.string().max(4096));

export const ignoreInput = z
  .strictObject({
    path: templatePath,
    key: key
      .default({})
      .describe('As the template has it, or with the values of a device; none for /global')
      .meta({ examples: [{ hostname: 'ntp.example.org' }] }),
    option: textSuchAs('enabled').min(1).max(64),
    selector: selectorText.meta({ examples: ['site:vilnius'] }),
    until: givenInstant.describe('At most 90 days ahead'),
    reason: z.string().trim().min(1).max(500),
  })
  .meta({ id: 'IgnoreOption' });
export type IgnoreInput = z.output<typeof ignoreInput>;

export const ignoredView = z
  .object({
    id: z.uuid(),
    path: z.string(),
    key,
    option: z.string(),
    selector: z.string().nullable().describe('null: it names devices, and you may see only some devices'),
    until: instant,
    reason: z.string(),
    orphaned: orphaned.describe('Its author was disabled or their key revoked: nothing is ignored'),
    unreadable,
    createdByName: z.string(),
    createdAt: instant,
  })
  .meta({ id: 'IgnoredOption' });

export const ignoredList = z.object({ items: z.array(ignoredView) }).meta({ id: 'IgnoredOptionList' });
