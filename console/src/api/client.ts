import { ApiClient, type components, newKey } from '../../../src/api-client/api-client.js';
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
    const answer = await fetch(request, init);
    noticeDate(answer.headers.get('date'));
    if (request.method !== 'GET') lastChangeId = answer.headers.get('x-request-id');
    return answer;
  },
});
