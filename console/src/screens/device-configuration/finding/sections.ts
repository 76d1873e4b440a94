import { useQuery } from '@tanstack/react-query';
import { KEYS } from '../../../api/keys/query-keys.js';
import { sendCall, wordsOf } from '../../device-api/device-call.js';
import { fieldsOf } from '../../device-api/document.js';

/** What a device has for some services now, by path. */
export function useSections(deviceId: string, paths: readonly string[]) {
  return useQuery({
    queryKey: KEYS.deviceConfiguration.key(deviceId, paths),
    queryFn: ({ signal }) => readAll(deviceId, paths, signal),
    enabled: paths.length > 0,
    refetchOnWindowFocus: false,
  });
}

/** One request for all; what the device refuses is left out. @throws ApiError; Error with the device's own words */
async function readAll(deviceId: string, paths: readonly string[], signal: AbortSignal) {
  const json = { data: paths.map((endpoint) => ({ endpoint, method: 'GET' })) };
  const answer = await sendCall(deviceId, { method: 'POST', path: '/api/bulk', json, isRead: true }, signal);
  if (answer.status >= 300)
    throw new Error(`The device refused it with status ${answer.status}${wordsOf(answer.value)}`);
  const items = [fieldsOf(answer.value)['data'] ?? []].flat().map(fieldsOf);
  return new Map(paths.map((path, at) => [path, items[at]?.['data']]));
}
