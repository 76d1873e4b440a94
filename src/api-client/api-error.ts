/*
 * What a caller of the client catches: `ApiError` when an answer came and says no, `ConnectionError` when none came. An abort
 * by the caller's own signal is thrown as the reason of that signal.
 */

/** Errors have at most this much text. A longer body is no problem document of the gateway. */
const ERROR_BYTES_MAX = 256 * 1024;

/** An address that follows a key or a reason is of no use in an error; this much of it is. */
const TEXT_MAX = 500;

/** One field that the gateway refused. */
export interface FieldError {
  /** A JSON pointer into the body, such as `/name`; `/query/…` and `/header/…` for the other parts of a request. */
  readonly pointer: string;
  readonly detail: string;
}

/** A refusal as an error: a problem document of the gateway (RFC 9457), or an answer that the client does not accept. */
export class ApiError extends Error {
  /** What happened, as one sentence without a full stop. */
  readonly title: string;
  /** What to do. */
  readonly detail: string | null;
  /** The fields of the request that were refused. */
  readonly pointers: readonly FieldError[];
  /** Finds the request in the log of the gateway and in its audit. */
  readonly requestId: string | null;

  /**
   * @param status the HTTP status
   * @param code a code of docs/reference/errors.md. `unexpected_answer`: the answer is not the gateway's own;
   *   `redirect_refused`: it is a redirect
   * @param problem the complete problem document, with the facts of its code
   */
  constructor(
    readonly status: number,
    readonly code: string,
    readonly problem: Readonly<Record<string, unknown>>,
  ) {
    const title = textOf(problem['title']);
    super(title === null ? code : `${code}: ${title}`);
    this.name = 'ApiError';
    this.title = title ?? code;
    this.detail = textOf(problem['detail']);
    this.pointers = fieldErrorsOf(problem['errors']);
    this.requestId = textOf(problem['requestId']);
  }
}

/** No answer came: the gateway is not reachable, the connection broke, or the time limit passed. */
export class ConnectionError extends Error {
  /** The name that the system has for the reason, such as `ECONNREFUSED`; null in browsers, which give none. */
  readonly systemCode: string | null;

  constructor(
    readonly reason: 'network' | 'timeout',
    message: string,
    cause: unknown,
  ) {
    super(message, { cause });
    this.name = 'ConnectionError';
    this.systemCode = systemCodeOf(cause);
  }
}

/**
 * Whether another attempt can succeed: the gateway restarts, is busy, or the connection broke. The rest are faults of the
 * caller, or of the data.
 */
export function isPassing(error: unknown): error is Error {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500;
  return error instanceof Error && !(error instanceof SyntaxError || error instanceof RangeError);
}

/** Whether an answer is a problem document of the gateway. */
export function isProblem(answer: Response): boolean {
  return (answer.headers.get('content-type') ?? '').startsWith('application/problem+json');
}

/** Whether an answer leads elsewhere. Browsers hide the status of a redirect that is not followed. */
export function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304);
}

/** Makes the error of an answer, from at most `ERROR_BYTES_MAX` of its body. */
export async function errorOf(answer: Response): Promise<ApiError> {
  if (isRedirect(answer)) {
    void answer.body?.cancel();
    const title = 'The answer is a redirect, and the client follows none, because it sends a key';
    const detail = `Use the address to which it leads: ${(answer.headers.get('location') ?? 'unknown').slice(0, TEXT_MAX)}`;
    return new ApiError(answer.status, 'redirect_refused', { title, detail });
  }
  const text = await readStart(answer);
  const problem = isProblem(answer) ? recordOf(text) : null;
  const code = textOf(problem?.['code']);
  if (problem && code !== null) return new ApiError(answer.status, code, problem);
  return unexpectedAnswer(answer.status, text);
}

/** What to do about an answer of a proxy, by its status. */
const PROXY_ADVICE: Readonly<Record<number, string>> = {
  413: 'It takes no body of this size. Raise its limit (nginx: client_max_body_size), or send a smaller file.',
  502: 'It cannot reach the gateway. Start the gateway, or correct its address in the proxy.',
  503: 'It cannot reach the gateway. Start the gateway, or correct its address in the proxy.',
  504: 'It waited too short a time. Look whether the request was carried out, and raise the time limit of the proxy.',
};

/** The error of an answer that the gateway did not write, such as the page of a proxy. @param text of its body */
export function unexpectedAnswer(status: number, text: string): ApiError {
  return new ApiError(status, 'unexpected_answer', {
    title: `A server on the way answered with status ${status}, in place of the gateway`,
    detail: PROXY_ADVICE[status] ?? 'It is a proxy, the device or another server. Check the address of the gateway.',
    body: text.slice(0, TEXT_MAX),
  });
}

async function readStart({ body }: Response): Promise<string> {
  if (!body) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (text.length < ERROR_BYTES_MAX) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
  }
  void reader.cancel();
  return text;
}

function recordOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function fieldErrorsOf(value: unknown): readonly FieldError[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (one: Partial<FieldError> | null): one is FieldError =>
      typeof one?.pointer === 'string' && typeof one.detail === 'string',
  );
}

/** Runtimes wrap the error of the system once or twice. */
function systemCodeOf(error: unknown): string | null {
  let at = error;
  for (let depth = 0; depth < 4 && at instanceof Error; depth++) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    at = at instanceof AggregateError ? at.errors[0] : at.cause;
  }
  return null;
}
