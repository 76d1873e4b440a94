import { type LinkOfProblem } from '../../../src/api-client/problem-links.js';
import { fieldText, unmarked, wordsOf } from '../../../src/api-client/problem-words.js';
import { ChangedSince } from './changed-since.js';
import { ApiError, ConnectionError, requestIdOf } from './client.js';

/* Errors in the words that a screen shows: what happened, what to do, and where to look. */

export interface ProblemText {
  readonly title: string;
  readonly detail: string | null;
  /** Where it is done. */
  readonly link: LinkOfProblem | null;
  readonly code: string | null;
  readonly requestId: string | null;
  /** The refused fields in words, and the names that forms have for them. */
  readonly fields: readonly { pointer: string; name: string; label: string; detail: string }[];
}

const NO_FACTS = { link: null, code: null, requestId: null, fields: [] } as const;

/** Reads any thrown value. */
export function tell(error: unknown): ProblemText {
  if (error instanceof ApiError) {
    const { code, requestId, pointers } = error;
    const fields = pointers.map(({ pointer, detail: text }) => ({
      pointer,
      name: formName(pointer),
      label: fieldText(pointer),
      detail: unmarked(text),
    }));
    const { title, detail, link } = wordsOf(error, 'console');
    return { title, detail, link, code, requestId, fields };
  }
  if (error instanceof ConnectionError) {
    const title = error.reason === 'timeout' ? 'The gateway did not answer in time' : 'The gateway cannot be reached';
    const detail = 'Check your connection, then try again.';
    return { title, detail, ...NO_FACTS, requestId: requestIdOf(error) };
  }
  if (error instanceof ChangedSince) {
    const detail = `${error.changes.join(' ')} What you typed is still here. Send it again to save it over that, or close the form to leave all as it is now.`;
    return { title: error.message, detail, ...NO_FACTS };
  }
  const title = error instanceof Error ? error.message : String(error);
  return { title, detail: null, ...NO_FACTS };
}

/** Whether an error is a refusal with this code of docs/reference/errors.md. */
export const isRefused = (error: unknown, code: string): error is ApiError =>
  error instanceof ApiError && error.code === code;

/** What a field says whose choices could not be read, so that it does not look as if there were none; null: they were. */
export const unreadChoices = (error: unknown): string | null =>
  error ? `The choices cannot be read: ${tell(error).title}.` : null;

/** What the gateway said about one field of a form, such as `/body/name`. */
export function fieldError(error: unknown, field: string): string | null {
  if (!(error instanceof ApiError)) return null;
  const found = error.pointers.find(({ pointer }) => formName(pointer) === field);
  return found ? unmarked(found.detail) : null;
}

/** What the gateway has against the selector of a form. @param field what the form sends it as */
export function selectorError(error: unknown, field = 'selector'): string | null {
  if (!isRefused(error, 'invalid_selector')) return fieldError(error, field);
  const { title, detail } = tell(error);
  return detail ?? title;
}

/** The field of a form that a pointer is about: `tags` for `/body/tags/0`. */
const formName = (pointer: string): string => pointer.split('/').findLast((part) => !/^\d*$/.test(part)) ?? '';
