import { ApiClient, type components, type ConnectionError, newKey } from '../../../src/api-client/api-client.js';
import { noticeDate } from './clock.js';
import { gatewayUrl } from './own-path.js';

/* The client of the page: the browser's session at the gateway that served it. */

export { ApiError, ConnectionError, unexpectedAnswer } from '../../../src/api-client/api-client.js';

/** A schema of the OpenAPI document, such as `Schema<'Device'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** The request id of the last answer to a change, for the toast about it. */
let lastChangeId: string | null = null;

export const lastRequestId = (): string | null => lastChangeId;

/** For a change that was sent without this client. */
export const rememberRequestId = (id: string | null): void => void (lastChangeId = id);

/** The keys of one opened form: what is sent again unchanged has the same key, so the gateway does it once. */
export class FormKeys {
  private readonly keys = new Map<string, string>();

  /** @param content all of a request */
  of(content: string): string {
    const key = this.keys.get(content) ?? newKey();
    this.keys.set(content, key);
    return key;
  }

  /** What was sent is done: the same content is another change now. */
  clear(): void {
    this.keys.clear();
  }
}

const idsOfFailures = new WeakMap<Error, string>();

/** The id of the request that got no answer: the gateway's log has it where the request arrived. */
export const requestIdOf = ({ cause }: ConnectionError): string | null =>
  (cause instanceof Error && idsOfFailures.get(cause)) || null;

let current: FormKeys | null = null;

/** Runs an action; the changes that it sends before it waits for anything have the keys of its form. */
export function withKeys<Result>(keys: FormKeys, run: () => Result): Result {
  const before = current;
  current = keys;
  try {
    return run();
  } finally {
    current = before;
  }
}

export const api = new ApiClient({
  url: gatewayUrl(),
  keyFor: (method, path, request) => current?.of(JSON.stringify([method, path, request])) ?? newKey(),
  fetch: async (request, init) => {
    // Of this page, so that a request without an answer has one, too.
    const requestId = newKey();
    request.headers.set('x-request-id', requestId);
    const answer = await fetch(request, init).catch((error: unknown) => {
      if (error instanceof Error) idsOfFailures.set(error, requestId);
      throw error;
    });
    noticeDate(answer.headers.get('date'));
    if (request.method !== 'GET') lastChangeId = answer.headers.get('x-request-id');
    return answer;
  },
});
