/*
 * A form changes an object as it was when the form was opened. Before it sends, it reads the object again. Where another person has
 * changed it, the form says what, and sends nothing; the person may then send again, over that change. Each change has the version
 * of the last reading (If-Match), so no other one can come between.
 */

/** Another person has changed what a form was opened with. */
export class ChangedSince extends Error {
  /** @param changes sentences about what is different now */
  constructor(readonly changes: readonly string[]) {
    super('Another person changed this after you opened it');
  }
}

export interface ReadVersion {
  readonly headers: Headers;
  readonly body: object;
}

/** Sends a change of an object that a person has seen. @throws ChangedSince where it is another one now */
export async function sendUnchanged<Result>(
  before: object,
  labels: Readonly<Record<string, string>>,
  { headers, body }: ReadVersion,
  write: (header: { 'If-Match': string }) => Promise<Result>,
): Promise<Result> {
  const changes = changesBetween(before, body, labels);
  if (changes.length > 0) throw new ChangedSince(changes);
  return write({ 'If-Match': headers.get('etag') ?? '*' });
}

/** What is different in these fields, in sentences. */
export function changesBetween(before: object, now: object, labels: Readonly<Record<string, string>>): string[] {
  const valueOf = (of: object, name: string) => (of as Readonly<Record<string, unknown>>)[name] ?? null;
  return Object.entries(labels)
    .filter(([name]) => JSON.stringify(valueOf(before, name)) !== JSON.stringify(valueOf(now, name)))
    .map(([name, label]) => sentence(label, valueOf(now, name)));
}

/** A longer value is not shown in an error. */
const SHOWN_MAX = 80;

function sentence(label: string, value: unknown): string {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return `${label}: now empty.`;
  if (typeof value === 'boolean') return `${label}: now ${value ? 'on' : 'off'}.`;
  const text = textOf(value);
  return text === null || text.length > SHOWN_MAX ? `${label}: changed.` : `${label}: now “${text}”.`;
}

/** Null: it is no text or number, and would be read by a program only. */
function textOf(value: unknown): string | null {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string') ? value.join(', ') : null;
  if (typeof value === 'number') return value.toLocaleString('en');
  return typeof value === 'string' ? value : null;
}
