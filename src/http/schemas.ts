import { z } from 'zod';

/* Forms that many bodies and answers share, each with its example for the OpenAPI document. */

/** A name that people give, such as that of an operator or a schedule. */
export const nameSuchAs = (example: string) =>
  z
    .string()
    .trim()
    .min(1)
    .max(120)
    .meta({ examples: [example] });

export const textSuchAs = (example: string) => z.string().meta({ examples: [example] });

/** RFC 3339 text with any offset, which may lead out of the years that an answer can say. */
export const instantText = z.iso
  .datetime({ offset: true })
  .refine((text) => !isOutOfYears(new Date(text).getUTCFullYear()), 'must be in a year from 0000 to 9999');

/** Not of a text that is no instant. */
const isOutOfYears = (year: number): boolean => year < 0 || year > 9_999;

/** An instant in bodies: a text outside, a Date inside. */
export const givenInstant = instantText.transform((text) => new Date(text));
