import { z } from 'zod';
import { selectorText } from '../../devices/devices.contract.js';
import { instant } from '../../http/endpoint.js';
import { givenInstant } from '../../http/schemas.js';
import { unreadable } from '../../recurring/recurring-view.js';

/* Schemas of the routes of mutes. */

export const muteInput = z
  .strictObject({
    selector: selectorText.meta({ examples: ['site:vilnius'] }),
    ruleId: z.uuid().nullable().default(null).describe('null: all rules'),
    until: givenInstant.describe('At most 30 days ahead'),
    reason: z.string().trim().min(1).max(500),
  })
  .meta({ id: 'CreateMute' });
export type MuteInput = z.output<typeof muteInput>;

export const muteView = z
  .object({
    id: z.uuid(),
    selector: z.string().nullable().describe('null: it names devices, and you may see only some devices'),
    ruleId: z.uuid().nullable(),
    until: instant,
    reason: z.string(),
    orphaned: z.boolean().describe('Its author was disabled or their key revoked: it mutes nothing'),
    unreadable,
    createdByName: z.string(),
    createdAt: instant,
  })
  .meta({ id: 'Mute' });

export const muteList = z.object({ items: z.array(muteView) }).meta({ id: 'MuteList' });
