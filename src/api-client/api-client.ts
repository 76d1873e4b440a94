import createClient, { type Client } from 'openapi-fetch';
import { type EventsOptions, followEvents, type GatewayEvent } from './events.js';
import { jsonLines } from './lines.js';
import { type components, type paths, TAKES_IDEMPOTENCY_KEY } from './openapi.js';
import {
  type Answer,
  type BodyOf,
  type CheckedRequest,
  type ItemOf,
  type LineOf,
  type ListPage,
  type ListPaths,
  type OperationAt,
  type PathsWith,
  type RawRequest,
  type RequestArguments,
  type UploadContent,
  type UploadOptions,
  type Verb,
} from './operation-types.js';
import { addressOf, baseUrlOf, fillPath } from './paths.js';
import { RequestTransport, type SendOptions, type TransportOptions } from './transport.js';
import { delay } from './pace.js';
import { sentHeaders } from './sent-headers.js';

export { ApiError, ConnectionError, type FieldError, unexpectedAnswer } from './api-error.js';
export { type components, type paths } from './openapi.js';

/*
 * The client of the gateway's API, for Node and browsers: `@fleetgate/client`. Paths, parameters, bodies and answers have the
 * types of the OpenAPI document (`openapi.ts`).
 *
 *   const api = new ApiClient({ url: 'https://fleet.example', key });
 *
 *   await api.get('/v1/devices/{ref}', { params: { path: { ref: 'name:pump-1' } } })       the body; also post, put, patch, delete
 *   await api.answer('get', path, request)                           { status, headers, body }: for ETag and Location
 *   await api.stream('post', '/v1/audit/export', { body })           the body as a ReadableStream; `bytes` reads all of it
 *   await api.lines('post', '/v1/audit/verify', { body })            the values of NDJSON, as they come in
 *   await api.upload('/v1/artifacts', content, { type, params })     bytes, a Blob, a stream or a form as the body
 *   await api.request('GET', '/v1/devices/…/api/x?y=1')              a Response of any status that is no problem; no types
 *   for await (const page of api.pages('/v1/jobs', request))         the pages of a list; `items` gives its rows
 *   for await (const line of api.fanOut({ selector, request }))      the devices as they answer, then a summary
 *   for await (const event of api.events({ types, signal }))         events, also across lost connections
 *   await api.jobs.wait(jobId, { signal, onChange })                 the job when it has ended
 *
 * A refusal is an `ApiError`; a request without an answer is a `ConnectionError`. Every method takes a `signal`; an abort is
 * thrown as its reason. Operations that take an Idempotency-Key get one, so a lost connection repeats them safely. Requests
 * wait where the RateLimit and Retry-After headers of the gateway ask for it. The client follows no redirect.
 */

export interface ApiClientOptions {
  /** Where the gateway answers, such as `https://fleet.example`; in a page of the gateway, its origin. */
  readonly url: string;
  /** An API key. Absent: the browser's session, or nothing. */
  readonly key?: string;
  /** Headers of every request, such as `x-change-reason`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Longest wait for a complete answer, in milliseconds; of a stream, for its first byte. Default: 60,000. */
  readonly timeoutMs?: number;
  /** How often a request is sent at most; see `transport.ts` for what is repeated. Default: 3. */
  readonly attempts?: number;
  /** Longest time that a request waits for its turn and for Retry-After, in milliseconds. Default: 30,000. */
  readonly maxWaitMs?: number;
  /** The Idempotency-Key of a change that takes one, asked at its call. Default: a new one for each call. */
  readonly keyFor?: (method: string, path: string, request: object) => string;
  /** Sends the requests. Default: the `fetch` of the platform. */
  readonly fetch?: TransportOptions['fetch'];
}

/** Sends a request to the operation with this method at a path, and gives the body of its answer. */
type Send<Method extends Verb> = <Path extends PathsWith<Method>>(
  path: Path,
  ...request: RequestArguments<OperationAt<Path, Method>>
) => Promise<BodyOf<OperationAt<Path, Method>>>;

export class ApiClient {
  /** The address of the gateway, without a slash at its end. */
  readonly url: string;
  private readonly transport: RequestTransport;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly openapi: Client<paths>;
  private readonly keyFor: NonNullable<ApiClientOptions['keyFor']>;

  /** @throws TypeError for an address that no gateway can have */
  constructor({ url, key, headers, timeoutMs = 60_000, attempts = 3, maxWaitMs = 30_000, ...rest }: ApiClientOptions) {
    this.url = baseUrlOf(url);
    this.keyFor = rest.keyFor ?? newKey;
    this.headers = { ...sentHeaders(headers), ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
    const platformFetch: TransportOptions['fetch'] = (request, init) => fetch(request, init);
    this.transport = new RequestTransport({ timeoutMs, attempts, maxWaitMs, fetch: rest.fetch ?? platformFetch });
    this.openapi = createClient<paths>({
      baseUrl: this.url,
      headers: this.headers,
      pathSerializer: fillPath,
    });
  }

  readonly get: Send<'get'> = (path, ...request) => bodyIn(this.answer('get', path, ...request));
  readonly post: Send<'post'> = (path, ...request) => bodyIn(this.answer('post', path, ...request));
  readonly put: Send<'put'> = (path, ...request) => bodyIn(this.answer('put', path, ...request));
  readonly patch: Send<'patch'> = (path, ...request) => bodyIn(this.answer('patch', path, ...request));
  readonly delete: Send<'delete'> = (path, ...request) => bodyIn(this.answer('delete', path, ...request));

  /** The same with status and headers. @throws ApiError, ConnectionError */
  async answer<Method extends Verb, Path extends PathsWith<Method>>(
    method: Method,
    path: Path,
    ...[request]: RequestArguments<OperationAt<Path, Method>>
  ): Promise<Answer<BodyOf<OperationAt<Path, Method>>>> {
    return this.call<BodyOf<OperationAt<Path, Method>>>(method, path, request);
  }

  /** The body of an answer as it comes in. It is empty where there is none. @throws ApiError, ConnectionError */
  async stream<Method extends Verb, Path extends PathsWith<Method>>(
    method: Method,
    path: Path,
    ...[request]: RequestArguments<OperationAt<Path, Method>>
  ): Promise<ReadableStream<Uint8Array>> {
    return this.open(method, path, request);
  }

  /** The bytes of an answer, such as an artifact. @throws ApiError, ConnectionError */
  async bytes<Path extends PathsWith<'get'>>(
    path: Path,
    ...[request]: RequestArguments<OperationAt<Path, 'get'>>
  ): Promise<Uint8Array> {
    const body = await this.open('get', path, request);
    return new Uint8Array(await new Response(body).arrayBuffer());
  }

  /** The values of an answer of NDJSON, as they come in. @throws ApiError, ConnectionError; RangeError for a line that is too long */
  async *lines<Method extends Verb, Path extends PathsWith<Method>>(
    method: Method,
    path: Path,
    ...[request]: RequestArguments<OperationAt<Path, Method>>
  ): AsyncGenerator<LineOf<Path, Method>> {
    yield* jsonLines<LineOf<Path, Method>>(await this.open(method, path, request));
  }

  /** Sends bytes, a stream or a form with POST. Streams are not repeated. @throws ApiError, ConnectionError */
  async upload<Path extends PathsWith<'post'>>(
    path: Path,
    content: UploadContent,
    { type, headers, ...rest }: UploadOptions<OperationAt<Path, 'post'>> = {},
  ): Promise<BodyOf<OperationAt<Path, 'post'>>> {
    const request = {
      ...rest,
      ...(content instanceof ReadableStream ? { duplex: 'half' } : {}), // what `fetch` requires for a stream
      headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
      body: content,
      bodySerializer: (body: unknown) => body,
    };
    const { body } = await this.call<BodyOf<OperationAt<Path, 'post'>>>('post', path, request);
    return body;
  }

  /**
   * Sends any request to the gateway, for paths that have no types: those of a device, with its own query.
   * @param path with its query; it begins with a slash
   * @returns the answer, whatever its status; its body is not read yet
   * @throws ApiError when the gateway answers with a problem, or with a redirect
   */
  async request(method: string, path: string, request: RawRequest = {}): Promise<Response> {
    const { json, content, headers, signal } = request;
    const body = json === undefined ? content : JSON.stringify(json);
    const init = {
      method,
      headers: {
        ...this.headers,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...sentHeaders(headers),
      },
      ...(body === undefined ? {} : { body: body as NonNullable<RequestInit['body']> }),
      ...(content instanceof ReadableStream ? { duplex: 'half' as const } : {}),
      ...(signal ? { signal } : {}),
    };
    const options = { isStream: true, takesAnyStatus: true };
    const answer = await this.transport.send(new Request(addressOf(this.url, path), init), options);
    return signal && answer.body ? new Response(abortable(answer.body, signal), answer) : answer;
  }

  /** The pages of a list, from the first or from the cursor of the request. @throws ApiError, ConnectionError */
  async *pages<Path extends ListPaths>(
    path: Path,
    ...[request]: RequestArguments<OperationAt<Path, 'get'>>
  ): AsyncGenerator<ListPage<ItemOf<Path>>> {
    const { params, ...rest }: CheckedRequest = request ?? {};
    let query = { ...params?.query };
    for (;;) {
      const { body } = await this.call<ListPage<ItemOf<Path>>>('get', path, { ...rest, params: { ...params, query } });
      yield body;
      if (body.next === null) return;
      query = { ...query, cursor: body.next };
    }
  }

  /** The rows of a list, page by page. @throws ApiError, ConnectionError */
  async *items<Path extends ListPaths>(
    path: Path,
    ...request: RequestArguments<OperationAt<Path, 'get'>>
  ): AsyncGenerator<ItemOf<Path>> {
    for await (const { items } of this.pages(path, ...request)) yield* items;
  }

  /**
   * Calls many devices. Calls that have not begun are not made when the caller stops reading.
   * @returns a line for each device as it answers, then a summary
   * @throws ApiError, ConnectionError
   */
  async *fanOut(
    body: components['schemas']['FanOut'],
    { headers, signal }: Pick<RawRequest, 'headers' | 'signal'> = {},
  ): AsyncGenerator<components['schemas']['FanOutLine']> {
    const request = { body, ...(headers ? { headers } : {}), ...(signal ? { signal } : {}) };
    yield* this.lines('post', '/v1/fan-out', request);
  }

  /** Events, until the signal aborts or the caller stops reading. @throws ApiError when the gateway refuses the stream */
  events(options: EventsOptions = {}): AsyncGenerator<GatewayEvent> {
    const { types, signal } = options;
    const query = types === undefined ? {} : { types: types.join(',') };
    const open = (lastEventId: string | undefined) =>
      this.open('get', '/v1/events', {
        params: { query },
        headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
        ...(signal ? { signal } : {}),
      });
    return followEvents(open, options);
  }

  readonly jobs = {
    /** Waits until a job has ended. @throws ApiError, ConnectionError; the reason of the signal when it aborts */
    wait: (jobId: string, options: WaitOptions = {}): Promise<WatchedJob> => {
      const { signal } = options;
      const request = { params: { path: { jobId } }, ...(signal ? { signal } : {}) };
      return waitForJob(() => this.get('/v1/jobs/{jobId}', request), options);
    },
  };

  private async call<Body>(method: Verb, path: string, request: CheckedRequest | undefined): Promise<Answer<Body>> {
    const answer = await this.send(method, path, request, { isStream: false });
    const text = await answer.text();
    const body = (text === '' ? undefined : isJson(answer) ? JSON.parse(text) : text) as Body;
    return { status: answer.status, headers: answer.headers, body };
  }

  private async open(
    method: Verb,
    path: string,
    request: CheckedRequest | undefined,
  ): Promise<ReadableStream<Uint8Array>> {
    const answer = await this.send(method, path, request, { isStream: true });
    const body = (answer.body ?? new Blob([]).stream()) as ReadableStream<Uint8Array>;
    return request?.signal ? abortable(body, request.signal) : body;
  }

  private async send(
    method: Verb,
    path: string,
    request: CheckedRequest = {},
    options: SendOptions,
  ): Promise<Response> {
    const takesKey = TAKES_IDEMPOTENCY_KEY.has(`${method.toUpperCase()} ${path}`);
    // Types were checked at the public methods; a union of all operations is more than a compiler can compare.
    const send = this.openapi.request as unknown as (
      ...request: [method: Verb, path: string, init: object]
    ) => Promise<{ response: Response }>;
    const { response } = await send(method, path, {
      ...request,
      params: { ...request.params, header: sentHeaders(request.params?.header) },
      headers: {
        ...(takesKey ? { 'idempotency-key': this.keyFor(method, path, request) } : {}),
        ...sentHeaders(request.headers),
      },
      parseAs: 'stream',
      fetch: (sent: Request) => this.transport.send(sent, options),
    });
    return response;
  }
}

const bodyIn = async <Body>(answer: Promise<Answer<Body>>): Promise<Body> => (await answer).body;

/** A body that ends with a signal. Node forgets the signal of a request when it collects the request, and a stream lives longer. */
function abortable(body: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  return body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal });
}

/** 128 random bits; `randomUUID` is missing in pages that came over http. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A device writes the media type of its answer in its own way: `Application/JSON`. */
function isJson(answer: Response): boolean {
  const [type = ''] = (answer.headers.get('content-type') ?? '').toLowerCase().split(';', 1);
  return /[/+]json$/.test(type.trim());
}

/** A job with its log. */
export type WatchedJob = components['schemas']['JobWithLog'];

export interface WaitOptions {
  /** Ends the waiting, not the job; `AbortSignal.timeout(ms)` is a time limit. */
  readonly signal?: AbortSignal;
  /** Is called with the job when its phase, step, progress or reason to wait is another one than before. */
  readonly onChange?: (job: WatchedJob) => void;
}

/** Between two looks. Backups end in seconds; a firmware upgrade takes minutes and needs no quicker answer. */
const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 3_000;

/**
 * Waits until a job has ended.
 * @param read reads the job
 * @returns the job; `outcome` says how it ended
 * @throws the reason of the signal when it aborts; the job goes on
 */
export async function waitForJob(
  read: () => Promise<WatchedJob>,
  { signal, onChange }: WaitOptions,
): Promise<WatchedJob> {
  let before = '';
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LAST_PAUSE_MS)) {
    const job = await read();
    const now = JSON.stringify([job.phase, job.step, job.progress, job.waitReason]);
    if (now !== before) onChange?.(job);
    before = now;
    if (job.phase === 'ended') return job;
    await delay(pauseMs, signal);
  }
}
