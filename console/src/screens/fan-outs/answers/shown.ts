import { type AnsweredDevice, type FieldChoice } from './answer-fields.js';
import { type TitleOf } from './field-titles.js';

/** The answers as each part of the table shows them. */
export interface Shown {
  readonly devices: readonly AnsweredDevice[];
  readonly choices: readonly FieldChoice[];
  /** The fields that the question is about. */
  readonly asked: readonly string[];
  readonly titleOf: TitleOf;
}
