import { z } from 'zod';
import { instant } from './endpoint.js';
import { textSuchAs } from './schemas.js';

/* What the answers of schedules and backup policies share. */

export const rhythmView = z.union([
  z.object({
    cron: textSuchAs('30 2 * * 1-5'),
    timeZone: textSuchAs('Europe/Vilnius'),
  }),
  z.object({ everySeconds: z.number().int() }),
]);

export const orphaned = z
  .boolean()
  .describe('Its author was disabled or their key revoked: it starts nothing until an operator saves it again');

export const quarantinedAt = instant
  .nullable()
  .describe('When it was stopped because two processes were lost; it runs again when saved with `enabled`');
