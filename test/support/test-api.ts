import { Readable } from 'node:stream';
import { type ReadableStream as NodeStream } from 'node:stream/web';
import { ApiClient } from '../../src/api-client/api-client.js';
import { jsonLines } from '../../src/api-client/lines.js';

/*
 * The client for tests: short calls, and requests that its types do not allow. It sends each request once and waits for
 * nothing, so a test sees what the gateway answered first.
 */

export interface TestAnswer<Body> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

export interface TestApiOptions {
  readonly url: string;
  readonly key?: string;
  readonly timeoutMs?: number;
}

export class TestApi {
  /** The client below, with its types and its further calls. */
  readonly client: ApiClient;

  constructor(options: TestApiOptions) {
    this.client = new ApiClient({ ...options, attempts: 1, maxWaitMs: 0 });
  }

  /**
   * Sends one request, with a JSON body where one is given.
   * @returns the answer, its body parsed where it is JSON
   * @throws ApiError when the gateway answers with a problem
   */
  async send<Body = unknown>(
    method: string,
    path: string,
    json?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestAnswer<Body>> {
    const answer = await this.client.request(method, path, { json, headers });
    const text = await answer.text();
    const isJson = (answer.headers.get('content-type') ?? '').includes('json');
    const body = (isJson && text !== '' ? parsed(text) : text) as Body;
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body };
  }

  async get<Body>(path: string): Promise<Body> {
    return (await this.send<Body>('GET', path)).body;
  }

  async post<Body>(path: string, json?: unknown): Promise<Body> {
    return (await this.send<Body>('POST', path, json)).body;
  }

  /** An answer as it comes in. @throws ApiError as `send` */
  async stream(method: string, path: string, json?: unknown): Promise<Readable> {
    const { body } = await this.client.request(method, path, { json });
    return Readable.fromWeb(body as NodeStream);
  }

  /** The lines of an answer that is NDJSON, parsed, as they come in. @throws ApiError as `send` */
  async *lines<Line>(method: string, path: string, json?: unknown): AsyncGenerator<Line> {
    const { body } = await this.client.request(method, path, { json });
    yield* jsonLines<Line>(body!);
  }

  /** The bytes of an answer, such as an artifact. @throws ApiError as `send` */
  async bytes(path: string): Promise<Buffer> {
    return Buffer.from(await (await this.client.request('GET', path)).arrayBuffer());
  }
}

/** Devices may call a text JSON that is none; a test then sees the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
