import { jsonLines, serverSentEvents } from '../../api-client/lines.js';
import { type Context } from '../context.js';
import { EXIT, exitCodeOf } from '../exit-codes.js';
import { isRow, type Row } from '../output/cells.js';
import { rowsIn } from '../output/rows.js';
import { type ApiOperation } from './operation.js';
import { withQuery, type ApiRequest } from './request.js';
import { watchRows } from './watched-rows.js';

/* From the answer of an operation to the output of its command. */

/** Rows of the first page, so that a person sees them at once, and of the others. */
const FIRST_PAGE_ROWS = 100;
const PAGE_ROWS = 1_000;

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
  /** What the answer leaves to do, for people. */
  readonly note?: ((answer: Row) => string | null) | undefined;
}

/** Sends the request of an operation and writes its answer. */
export async function writeAnswer(
  operation: ApiOperation,
  { method, path, ...request }: ApiRequest,
  options: AnswerOptions,
  context: Context,
): Promise<void> {
  const { columns, limit, anonymous, watchSeconds } = options;
  if (watchSeconds !== null) {
    const read = () => allRows(operation, path, Math.min(limit, context.screenLines ?? limit), context);
    return watchRows(read, columns, watchSeconds * 1_000, context);
  }
  if (operation.answer === 'page') {
    const count = await context.rows(pageRows(context, path, limit), columns);
    if (count === 0) context.say('Nothing was found');
    return;
  }
  const answer = await context.send(method, path, { ...request, anonymous, takesErrors: true });
  // An error that is no problem document, such as that of a gateway that is not ready, is shown like an answer.
  if (answer.status >= 400) context.endWith(exitCodeOf(answer.status));
  if (operation.answer === 'bytes') await context.bytes(answer.body!);
  else if (operation.answer === 'ndjson' || isStreamed(answer))
    await context.rows(jsonLines<Row>(answer.body!), columns, true);
  else if (operation.answer === 'events') await context.rows(eventRows(answer.body!), columns, true);
  else await writeValue(await answer.text(), options, context);
}

/** Whether a request asked for lines in the place of one answer. */
const isStreamed = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('application/x-ndjson') ?? false;

async function writeValue(text: string, { columns, succeeds, note }: AnswerOptions, context: Context): Promise<void> {
  if (text === '') return context.say('Done');
  const value = JSON.parse(text) as unknown;
  if (succeeds !== undefined && isRow(value) && value[succeeds] === false) context.endWith(EXIT.error);
  const rows = rowsIn(value);
  if (rows) await context.rows(rows, columns);
  else await context.object(isRow(value) ? value : { value });
  const left = isRow(value) ? note?.(value) : null;
  if (left) context.say(left);
}

/** The rows of a list, in memory. */
async function allRows(operation: ApiOperation, path: string, limit: number, context: Context): Promise<Row[]> {
  const isPaged = operation.answer === 'page';
  const rows = isPaged ? pageRows(context, path, limit) : rowsIn(await (await context.send('GET', path)).json())!;
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

interface Page {
  readonly items: readonly Row[];
  readonly next: string | null;
}

/** The rows of all pages, up to a limit. The next page is asked for while the rows of one are written. */
async function* pageRows(context: Context, path: string, limit: number): AsyncGenerator<Row> {
  const page = async (size: number, cursor?: string): Promise<Page> => {
    const answer = await context.send('GET', withQuery(path, { limit: String(size), cursor }));
    return (await answer.json()) as Page;
  };
  let left = limit;
  let coming: Promise<Page> | null = page(Math.min(left, FIRST_PAGE_ROWS));
  while (coming) {
    const { items, next }: Page = await coming;
    left -= items.length;
    coming = next === null || left <= 0 ? null : page(Math.min(left, PAGE_ROWS), next);
    coming?.catch(() => undefined); // thrown when it is awaited
    yield* left < 0 ? items.slice(0, left) : items;
  }
}

async function* eventRows(body: ReadableStream<Uint8Array>): AsyncGenerator<Row> {
  for await (const { data } of serverSentEvents(body)) if (data !== '') yield JSON.parse(data) as Row;
}
