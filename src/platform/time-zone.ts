import { IANAZone } from 'luxon';
import { z } from 'zod';

/** The name of a time zone. */
export const timeZone = z
  .string()
  .max(60)
  .refine((name) => IANAZone.isValidZone(name), 'must be an IANA time zone such as Europe/Vilnius')
  .describe('IANA time zone, such as Europe/Vilnius');
