import { IANAZone } from 'luxon';
import { z } from 'zod';

/** The name of a time zone. */
export const timeZone = z
  .string()
  .max(60)
  .refine((name) => IANAZone.isValidZone(name), 'must be an IANA time zone such as Europe/Vilnius')
  .describe('IANA time zone, such as Europe/Vilnius');

/**
 * A time zone's name in lower case: names are case-insensitive, and caches by name (luxon's, too) would grow with each
 * spelling. Aliases stay, since ICU turns new names into old ones.
 */
export const oneSpelling = (name: string): string => name.toLowerCase();
