import { z } from 'zod';
import { instant } from './endpoint.js';

/* What the answers of schedules and backup policies share. */

export const rhythmView = z.union([
  z.object({
    cron: z.string().meta({ examples: ['30 2 * * 1-5'] }),
    timeZone: z.string().meta({ examples: ['Europe/Vilnius'] }),
  }),
  z.object({ everySeconds: z.number().int() }),
]);

export const orphaned = z
  .boolean()
  .describe('Its author was disabled or their key revoked: it starts nothing until an operator saves it again');

export const quarantinedAt = instant
  .nullable()
  .describe('When it was stopped because two processes were lost; it runs again when saved with `enabled`');
