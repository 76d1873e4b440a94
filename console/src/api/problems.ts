import { ApiError, ConnectionError } from './client.js';

/* Errors in the words that a screen shows: what happened, what to do, and where to look. */

export interface Told {
  readonly title: string;
  readonly detail: string | null;
  readonly code: string | null;
  readonly requestId: string | null;
  readonly fields: readonly { pointer: string; detail: string }[];
}

/** Reads any thrown value. */
export function tell(error: unknown): Told {
  if (error instanceof ApiError) {
    const { code, requestId, pointers } = error;
    const { title, detail } = lockWords(error) ?? error;
    return { title, detail, code, requestId, fields: pointers };
  }
  if (error instanceof ConnectionError) {
    const title = error.reason === 'timeout' ? 'The gateway did not answer in time' : 'The gateway cannot be reached';
    return { title, detail: 'Check your connection, then try again.', code: null, requestId: null, fields: [] };
  }
  const title = error instanceof Error ? error.message : String(error);
  return { title, detail: null, code: null, requestId: null, fields: [] };
}

/** Who locked what, until when, and the reason that the person gave for those whom it stops. */
function lockWords({ code, problem }: ApiError): { title: string; detail: string } | null {
  if (code !== 'locked') return null;
  const { by, reason, until, locked } = problem;
  const what = locked === 'writes' ? 'All writes are frozen' : 'A lock prevents this';
  const end = typeof until === 'string' ? `until ${new Date(until).toLocaleString('en-GB')}` : 'until it is lifted';
  return { title: `${what} by ${String(by)}`, detail: `Reason: ${String(reason)}. It lasts ${end}.` };
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
  return error.pointers.find(({ pointer }) => pointer.endsWith(`/${field}`))?.detail ?? null;
}
