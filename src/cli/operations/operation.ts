/* What the command line knows about the operations of the API. `npm run generate` makes `operations.ts` from the OpenAPI document. */

export interface Field {
  readonly type: 'string' | 'instant' | 'number' | 'boolean' | 'list' | 'other';
  /** What the document says about it. */
  readonly about: string;
  readonly choices?: readonly string[];
  readonly required?: boolean;
}

/** How an answer comes: as lines (`ndjson`), as server-sent events, in pages, as bytes, as one value, or not at all. */
type AnswerForm = 'ndjson' | 'events' | 'page' | 'bytes' | 'json' | 'none';

export interface ApiOperation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Such as `/v1/devices/{ref}`. */
  readonly path: string;
  readonly summary: string;
  readonly query: Readonly<Record<string, Field>>;
  readonly headers: readonly string[];
  /** Fields of a JSON body; those of an object inside have a dotted name, such as `credentials.username`. */
  readonly body: Readonly<Record<string, Field>> | null;
  readonly answer: AnswerForm;
}

/** The names in the braces of a path, in their order. */
export function placesOf(path: string): string[] {
  return path
    .split('{')
    .slice(1)
    .map((part) => part.slice(0, part.indexOf('}')));
}

/** Whether the value of a field is a secret, by its name: it may not be an argument, which other users of the machine can read. */
export const isSecretName = (name: string): boolean =>
  /(?:password|passphrase|secret|token|recoveryCode|privateKey|plaintext|psk)$/i.test(name);
