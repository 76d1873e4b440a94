import { type ApiClient } from '../../api-client/api-client.js';
import { errorOf } from '../../api-client/api-error.js';
import { type Context } from '../context.js';
import { UsageError } from '../exit-codes.js';
import { idOf } from '../operations/named-things.js';
import { placesOf, type ApiOperation } from '../operations/operation.js';
import { OPERATIONS } from '../operations/operations.js';
import { buildRequest } from '../operations/request.js';
import { markedJson } from './answer-pieces.js';

/*
 * The operations that an assistant may call: those of the API document with GET and an answer in JSON. Streams do not end,
 * and bytes are no text. The API of a device is not among them: what a GET does there is the device's decision.
 */

export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** Rows of a page of the API. Of a longer list the next page is read when the assistant asks for it. */
const PAGE_ROWS = 50;

/** Parameters that an assistant has not: of pages, of other forms of an answer, and of a call to the device. */
const CLOSED_PARAMETERS: ReadonlySet<string> = new Set(['cursor', 'format', 'fresh']);

/** The readable operations by their ids. */
const READABLE: ReadonlyMap<string, ApiOperation> = new Map(
  Object.entries<ApiOperation>(OPERATIONS).filter(
    ([, { method, answer }]) => method === 'GET' && (answer === 'json' || answer === 'page'),
  ),
);

/** How an operation is called: its id, what it reads, its parameters. */
export function searchLines(words: string): string[] {
  const wanted = words.toLowerCase().split(/\W+/).filter(Boolean);
  const scored = [...READABLE].map(([id, operation]) => {
    const text = `${id} ${operation.path} ${operation.summary}`.toLowerCase();
    return { id, operation, hits: wanted.filter((word) => text.includes(word.replace(/s$/, ''))).length };
  });
  const most = Math.max(...scored.map(({ hits }) => hits));
  return scored
    .filter(({ hits }) => hits === most && (hits > 0 || wanted.length === 0))
    .map(({ id, operation }) => {
      const places = placesOf(operation.path).map((name) => `${name}*`);
      const query = Object.entries(operation.query).filter(([name]) => !CLOSED_PARAMETERS.has(name));
      const names = query.map(([name, { required, choices }]) => {
        const values = choices ? `=${choices.join('|')}` : '';
        return `${name}${required ? '*' : ''}${values}`;
      });
      return `${id}(${[...places, ...names].join(', ')}): ${operation.summary}`;
    });
}

/** Reads by the operations of one gateway. There is no way to send anything but a GET. */
export class OperationReader {
  constructor(
    private readonly context: Context,
    private readonly api: ApiClient,
  ) {}

  /**
   * The lines of an answer: a field each, and each row of a list.
   * @throws UsageError for an operation or parameter that there is not; ApiError, ConnectionError
   */
  async *lines(id: string, parameters: Parameters): AsyncGenerator<string> {
    const operation = READABLE.get(id);
    if (!operation) throw new UsageError(`There is no operation ${id} to read: search_operations lists them`);
    const closed = Object.keys(parameters).find((name) => CLOSED_PARAMETERS.has(name));
    if (closed !== undefined) throw new UsageError(`${id} has no parameter ${closed}`);
    let cursor: string | undefined;
    do {
      const answer = await this.answer(id, { ...parameters, ...(cursor === undefined ? {} : { cursor }) });
      yield* linesOf(answer);
      const next = operation.answer === 'page' ? (answer as { next?: string | null }).next : null;
      cursor = next ?? undefined;
    } while (cursor !== undefined);
  }

  /** One answer, of a list the first page. @throws as `lines` */
  async answer(id: string, parameters: Parameters): Promise<unknown> {
    const operation = READABLE.get(id)!;
    const { path } = operation;
    const places = placesOf(path);
    const complete: Parameters = operation.answer === 'page' ? { limit: PAGE_ROWS, ...parameters } : parameters;
    const given = Object.entries(complete).filter(([, value]) => value !== undefined);
    const unknown = given.find(([name]) => !places.includes(name) && !Object.hasOwn(operation.query, name));
    if (unknown) throw new UsageError(`${id} has no parameter ${unknown[0]}`);
    const ids = given.map(async ([name, value]) => {
      const inPath = places.includes(name) ? path : '';
      return [name, await idOf(name, String(value), this.context, inPath)] as const;
    });
    const values = Object.fromEntries(await Promise.all(ids));
    const query = Object.fromEntries(Object.entries(values).filter(([name]) => !places.includes(name)));
    const request = buildRequest(operation, { places: places.map((name) => values[name] ?? ''), query, fields: {} });
    const answer = await this.api.request('GET', request.path, { signal: this.context.interrupted });
    if (!answer.ok) throw await errorOf(answer);
    return answer.json();
  }
}

/** An answer as lines: a field each, and each row of a list. */
export function* linesOf(answer: unknown): Generator<string> {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return yield markedJson(answer);
  for (const [name, value] of Object.entries(answer)) {
    if (name === 'next' || value === null) continue;
    if (name === 'items' && Array.isArray(value)) for (const item of value) yield markedJson(item);
    else yield markedJson({ [name]: value as unknown });
  }
}
