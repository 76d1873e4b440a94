/* What a device's own document says of a call. */

export const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

export type Method = (typeof METHODS)[number];

export interface Operation {
  readonly method: Method;
  /** With its placeholders, such as `/api/modems/status/{id}`. */
  readonly path: string;
  readonly summary: string;
  /** Names of parameters behind the question mark. */
  readonly query: readonly string[];
  /** Options of the body, of one or of several sections; null where it takes none. */
  readonly options: readonly Option[] | null;
  readonly takesFile: boolean;
}

/** What a document says of one option. */
export interface Option {
  readonly name: string;
  /** Of a flag `0` and `1`; null: any text. */
  readonly values: readonly string[] | null;
  readonly isList: boolean;
  readonly type: string | null;
  readonly preset: string | null;
  readonly isRequired: boolean;
}
