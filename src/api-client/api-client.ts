import { createInterface } from 'node:readline';
import { type Readable } from 'node:stream';
import axios, { type AxiosInstance, type Method } from 'axios';

/** A problem document of the gateway (RFC 9457) as an error. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly problem: Readonly<Record<string, unknown>>,
  ) {
    super(typeof problem['title'] === 'string' ? `${code}: ${problem['title']}` : code);
    this.name = 'ApiError';
  }
}

export interface ApiAnswer<Body> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

export interface ApiClientOptions {
  /** Where the gateway answers, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly key?: string;
  /** Longest wait for an answer, in milliseconds. */
  readonly timeoutMs?: number;
}

/** The gateway's API from outside: for the command line, the demonstration and the tests. */
export class ApiClient {
  private readonly http: AxiosInstance;

  constructor({ url, key, timeoutMs = 60_000 }: ApiClientOptions) {
    this.http = axios.create({
      baseURL: url,
      timeout: timeoutMs,
      maxRedirects: 0,
      proxy: false, // no ambient proxy may see an API key
      validateStatus: () => true,
      headers: key ? { authorization: `Bearer ${key}` } : {},
    });
  }

  /**
   * Sends one request, with a JSON body where one is given.
   * @returns the answer, its body parsed where it is JSON
   * @throws ApiError when the gateway answers with a problem
   */
  async send<Body = unknown>(
    method: Method,
    path: string,
    json?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiAnswer<Body>> {
    const answer = await this.http.request<Body>({
      method,
      url: path,
      ...(json === undefined ? {} : { data: JSON.stringify(json) }),
      // `false` keeps axios from naming a content type for a body that is not there.
      headers: { 'content-type': json === undefined ? false : 'application/json', ...headers },
    });
    const type = String(answer.headers['content-type'] ?? '');
    if (type.startsWith('application/problem+json')) {
      throw problemError(answer.status, answer.data as Record<string, unknown>);
    }
    return { status: answer.status, headers: answer.headers as Record<string, string>, body: answer.data };
  }

  async get<Body>(path: string): Promise<Body> {
    return (await this.send<Body>('GET', path)).body;
  }

  async post<Body>(path: string, json?: unknown): Promise<Body> {
    return (await this.send<Body>('POST', path, json)).body;
  }

  /** An answer as it comes in. @throws ApiError as `send` */
  async stream(method: Method, path: string, json?: unknown): Promise<Readable> {
    const answer = await this.http.request<Readable>({
      method,
      url: path,
      responseType: 'stream',
      ...(json === undefined ? {} : { data: JSON.stringify(json) }),
      headers: { 'content-type': json === undefined ? false : 'application/json' },
    });
    if (answer.status < 400) return answer.data;
    const chunks: Buffer[] = [];
    for await (const chunk of answer.data) chunks.push(chunk as Buffer);
    throw problemError(answer.status, JSON.parse(Buffer.concat(chunks).toString('utf8')));
  }

  /** The lines of an answer that is NDJSON, parsed, as they come in. @throws ApiError as `send` */
  async *lines<Line>(method: Method, path: string, json?: unknown): AsyncGenerator<Line> {
    const input = await this.stream(method, path, json);
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      if (line !== '') yield JSON.parse(line) as Line;
    }
  }

  /** The bytes of an answer, such as an artifact. @throws ApiError as `send` */
  async bytes(path: string): Promise<Buffer> {
    const answer = await this.http.request<ArrayBuffer>({ method: 'GET', url: path, responseType: 'arraybuffer' });
    const bytes = Buffer.from(answer.data);
    if (answer.status >= 400) throw problemError(answer.status, JSON.parse(bytes.toString('utf8')));
    return bytes;
  }
}

function problemError(status: number, problem: Readonly<Record<string, unknown>>): ApiError {
  return new ApiError(status, String(problem['code']), problem);
}
