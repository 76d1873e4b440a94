import { ApiClient, type components } from '../../../src/api-client/api-client.js';

/* The client of the page: the browser's session at the gateway that served it. */

export { ApiError, ConnectionError } from '../../../src/api-client/api-client.js';

/** A schema of the OpenAPI document, such as `Schema<'Device'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** The request id of the last answer to a change, for the toast about it. */
let lastChangeId: string | null = null;

export const lastRequestId = (): string | null => lastChangeId;

/** For a change that was sent without this client. */
export const rememberRequestId = (id: string | null): void => void (lastChangeId = id);

export const api = new ApiClient({
  url: location.origin,
  fetch: async (request, init) => {
    const answer = await fetch(request, init);
    if (request.method !== 'GET') lastChangeId = answer.headers.get('x-request-id');
    return answer;
  },
});
