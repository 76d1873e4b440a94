import { IANAZone } from 'luxon';
import { z } from 'zod';

export const timeZone = z
  .string()
  .max(60)
  .refine((name) => IANAZone.isValidZone(name), 'must be an IANA time zone such as Europe/Vilnius')
  .describe('IANA time zone, such as Europe/Vilnius');

/** Names are case-insensitive, and caches by name (luxon's, too) would grow with each spelling. */
export const oneSpelling = (name: string): string => name.toLowerCase();
