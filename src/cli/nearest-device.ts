import { ApiError, type ApiClient } from '../api-client/api-client.js';
import { nearestOf } from '../api-client/problem-words.js';
import { withQuery } from './operations/request.js';

/* The device that a person may have meant, where the gateway knows none of that name. */

/** Where an address names a device: in its path, or as the filter `device`. */
const NAMED = /(?:^\/v1\/devices\/|[?&]device=)name(?::|%3A)([\w.-]{3,100})(?![^/?&])/i;

/** Names that are compared at most. */
const NAMES_MAX = 1_000;

/** The error with the name of a device that the caller may see, as the fact `nearest`; as it is where none is near. */
export async function withNearestDevice(error: unknown, path: string, api: ApiClient): Promise<unknown> {
  const name = NAMED.exec(path)?.[1];
  if (!(error instanceof ApiError) || error.code !== 'device_not_found' || name === undefined) return error;
  // A letter is seldom wrong at both ends.
  const selector = `name:${name.slice(0, 2)}* | name:*${name.slice(-2)}`;
  try {
    const query = { selector, fields: 'name', limit: String(NAMES_MAX) };
    const answer = await api.request('GET', withQuery('/v1/devices', query));
    const { items } = (await answer.json()) as { readonly items: readonly { readonly name: string }[] };
    const nearest = nearestOf(name, items.map((one) => one.name)); // prettier-ignore
    return nearest === null ? error : new ApiError(error.status, error.code, { ...error.problem, nearest });
  } catch {
    return error; // it is the one to report
  }
}
