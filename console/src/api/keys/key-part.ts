/** What a name of the reads can have in it. */
export type Part = string | number | boolean | null | undefined | object;
