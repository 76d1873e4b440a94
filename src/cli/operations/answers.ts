import { jsonLines, serverSentEvents } from '../../api-client/lines.js';
import { type Context } from '../context.js';
import { EXIT, exitCodeOf } from '../exit-codes.js';
import { isRow, type Row } from '../output/cells.js';
import { rowsIn } from '../output/rows.js';
import { namedColumns, namedRows } from './named-rows.js';
import { type ApiOperation } from './operation.js';
import { withQuery, type ApiRequest } from './request.js';
import { watchRows } from './watched-rows.js';

/* From the answer of an operation to the output of its command. */

/** Rows of the first page, so that a person sees them at once, and of the others. */
const FIRST_PAGE_ROWS = 100;
const PAGE_ROWS = 1_000;

/** What an answer leaves to do, for people; null: nothing. */
export type Note = (answer: Row, context: Context) => string | null | Promise<string | null>;

/** All rows of a list in one object. */
export interface ListDocument {
  /** @param gatewayUrl without a slash at its end */
  readonly of: (rows: readonly Row[], gatewayUrl: string) => Row;
}

export interface AnswerOptions {
  /** Of a table; none shows all scalar fields. */
  readonly columns: readonly string[];
  readonly limit: number;
  /** The operation needs no key. */
  readonly anonymous: boolean;
  /** A list is read again after so many seconds, until Ctrl-C; null reads it once. */
  readonly watchSeconds: number | null;
  /** A field of the answer; the command ends with 1 where it is false. */
  readonly succeeds?: string | undefined;
  /** What a table shows of the answer, or of each row of a list. */
  readonly shown?: ((answer: Row) => Row) | undefined;
  /** What the answer leaves to do, or what its first page counts, for people. */
  readonly note?: Note | undefined;
  /** In the place of rows; the format is JSON. */
  readonly document?: ListDocument | undefined;
}

/** Sends the request of an operation and writes its answer. */
export async function writeAnswer(
  operation: ApiOperation,
  { method, path, ...request }: ApiRequest,
  options: AnswerOptions,
  context: Context,
): Promise<void> {
  const { limit, anonymous, watchSeconds, document } = options;
  if (document) {
    const { url } = await context.gateway();
    return context.object(document.of(await allRows(operation, path, options, context), url.replace(/\/$/, '')));
  }
  if (watchSeconds !== null) {
    const read = () => allRows(operation, path, options, context);
    return watchRows(read, columnsOf(options, context), watchSeconds * 1_000, context);
  }
  if (operation.answer === 'page') {
    const note = (page: Row) => sayNote(options, page, context);
    const count = await writeList(pageRows(context, path, limit, note), path, options, context);
    if (count === 0) context.say('Nothing was found');
    return;
  }
  const answer = await context.send(method, path, { ...request, anonymous, takesErrors: true });
  // An error that is no problem document, such as that of a gateway that is not ready, is shown like an answer.
  if (answer.status >= 400) context.endWith(exitCodeOf(answer.status));
  if (operation.answer === 'bytes') await context.bytes(answer.body!);
  else if (operation.answer === 'ndjson' || isStreamed(answer))
    await context.rows(jsonLines<Row>(answer.body!), options.columns, true);
  else if (operation.answer === 'events') await context.rows(eventRows(answer.body!), options.columns, true);
  else await writeValue(await answer.text(), path, options, context);
}

/** Whether a request asked for lines in the place of one answer. */
const isStreamed = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('application/x-ndjson') ?? false;

async function writeValue(text: string, path: string, options: AnswerOptions, context: Context): Promise<void> {
  if (text === '') return context.say('Done');
  const value = JSON.parse(text) as unknown;
  const { succeeds, shown } = options;
  if (succeeds !== undefined && isRow(value) && value[succeeds] === false) context.endWith(EXIT.error);
  const rows = rowsIn(value);
  if (rows) {
    const count = await writeList(rows, path, options, context);
    if (count === 0) context.say('Nothing was found');
  } else if (isRow(value)) await context.object(shown && context.isForPeople ? shown(value) : value);
  else await context.object({ value });
  if (isRow(value)) await sayNote(options, value, context);
}

async function sayNote({ note }: AnswerOptions, answer: Row, context: Context): Promise<void> {
  const left = await note?.(answer, context);
  for (const line of left?.split('\n') ?? []) context.say(line);
}

/** A table for people has names and words; other formats, and chosen fields, have what the gateway said. */
const columnsOf = ({ columns }: AnswerOptions, context: Context): readonly string[] =>
  context.isForPeople ? namedColumns(columns) : columns;

const writeList = (rows: AsyncIterable<Row>, path: string, options: AnswerOptions, context: Context) =>
  context.rows(rowsForOutput(rows, path, options, context), columnsOf(options, context));

async function* rowsForOutput(
  rows: AsyncIterable<Row>,
  path: string,
  { columns, shown }: AnswerOptions,
  context: Context,
): AsyncGenerator<Row> {
  if (!context.isForPeople) return yield* rows;
  for await (const row of namedRows(rows, columns, path, context)) yield shown ? shown(row) : row;
}

/** The rows of a list, in memory; for a terminal those of one screen. */
async function allRows(operation: ApiOperation, path: string, options: AnswerOptions, context: Context) {
  const limit = Math.min(options.limit, context.screenLines ?? options.limit);
  const isPaged = operation.answer === 'page';
  const rows = isPaged ? pageRows(context, path, limit) : rowsIn(await (await context.send('GET', path)).json())!;
  const all: Row[] = [];
  for await (const row of rowsForOutput(rows, path, options, context)) all.push(row);
  return all;
}

interface Page extends Row {
  readonly items: readonly Row[];
  readonly next: string | null;
}

/** The rows of all pages, up to a limit. The next page is asked for while the rows of one are written. */
async function* pageRows(
  context: Context,
  path: string,
  limit: number,
  onFirst?: (page: Row) => Promise<void>,
): AsyncGenerator<Row> {
  const page = async (size: number, cursor?: string): Promise<Page> => {
    const answer = await context.send('GET', withQuery(path, { limit: String(size), cursor }));
    return (await answer.json()) as Page;
  };
  let left = limit;
  let coming: Promise<Page> | null = page(Math.min(left, FIRST_PAGE_ROWS));
  const first = await coming;
  while (coming) {
    const { items, next }: Page = await coming;
    left -= items.length;
    coming = next === null || left <= 0 ? null : page(Math.min(left, PAGE_ROWS), next);
    coming?.catch(() => undefined); // thrown when it is awaited
    yield* left < 0 ? items.slice(0, left) : items;
  }
  await onFirst?.(first);
}

async function* eventRows(body: ReadableStream<Uint8Array>): AsyncGenerator<Row> {
  for await (const { data } of serverSentEvents(body)) if (data !== '') yield JSON.parse(data) as Row;
}
