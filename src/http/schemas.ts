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

/** An instant in bodies: RFC 3339 text with any offset outside, a Date inside. */
export const givenInstant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
