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
