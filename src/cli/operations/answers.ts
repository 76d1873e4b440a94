import { type ApiClient } from '../../api-client/api-client.js';
import { jsonLines, serverSentEvents } from '../../api-client/lines.js';
import { type Context } from '../context.js';
import { isRow, type Row } from '../output/cells.js';
import { rowsIn } from '../output/rows.js';
import { type ApiOperation } from './operation.js';
import { type ApiRequest } from './request.js';

/* From the answer of an operation to the output of its command. */

/** Rows of a page when all are wanted. */
const PAGE_ROWS = 1_000;

export interface AnswerOptions {
  /** Of a table; none shows all scalar fields. */
  readonly columns: readonly string[];
  readonly limit: number;
}

/** Sends the request of an operation and writes its answer. */
export async function writeAnswer(
  api: ApiClient,
  operation: ApiOperation,
  request: ApiRequest,
  options: AnswerOptions,
  context: Context,
): Promise<void> {
  if (operation.answer === 'page') {
    const count = await context.rows(pageRows(api, request, options.limit, context.interrupted), options.columns);
    if (count === 0) context.say('Nothing was found');
    return;
  }
  const answer = await send(api, operation, request, context.interrupted);
  if (operation.answer === 'bytes') return context.bytes(answer.body!);
  if (operation.answer === 'ndjson')
    return void (await context.rows(jsonLines<Row>(answer.body!), options.columns, true));
  if (operation.answer === 'events') return void (await context.rows(eventRows(answer.body!), options.columns, true));
  const text = await answer.text();
  if (text === '') return context.say('Done');
  const value = JSON.parse(text) as unknown;
  const rows = rowsIn(value);
  if (rows) await context.rows(rows, options.columns);
  else await context.object(isRow(value) ? value : { value });
}

/** Sends the request of an operation. A write that the gateway can tell apart gets an Idempotency-Key, so it may be repeated. */
async function send(
  api: ApiClient,
  operation: Pick<ApiOperation, 'headers'>,
  { method, path, headers, json }: ApiRequest,
  signal: AbortSignal,
): Promise<Response> {
  const key = operation.headers.includes('Idempotency-Key') ? { 'idempotency-key': crypto.randomUUID() } : {};
  return api.request(method, path, {
    headers: { ...key, ...headers },
    signal,
    ...(json === undefined ? {} : { json }),
  });
}

/** The rows of all pages, up to a limit. */
async function* pageRows(
  api: ApiClient,
  { path, headers }: Pick<ApiRequest, 'path' | 'headers'>,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<Row> {
  let left = limit;
  let cursor: string | null = null;
  while (left > 0) {
    const query = new URLSearchParams({ limit: String(Math.min(left, PAGE_ROWS)) });
    if (cursor !== null) query.set('cursor', cursor);
    const answer: Response = await api.request('GET', `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`, {
      headers,
      signal,
    });
    const page = (await answer.json()) as { readonly items: readonly Row[]; readonly next: string | null };
    yield* page.items.slice(0, left);
    left -= page.items.length;
    if (page.next === null) return;
    cursor = page.next;
  }
}

async function* eventRows(body: ReadableStream<Uint8Array>): AsyncGenerator<Row> {
  for await (const { data } of serverSentEvents(body)) if (data !== '') yield JSON.parse(data) as Row;
}
