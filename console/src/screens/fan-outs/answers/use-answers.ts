import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { type AnsweredDevice, type Known, type Values, valuesOf, withKnown } from './answer-fields.js';

/** Each different answer is a request of its own, so only those of so many devices are read. */
export const ANSWERS_MAX = 200;
const AT_ONCE = 6;

const NONE: Values = new Map();

/** The answers of the first devices of a fan-out that has ended, with their fields. */
export function useAnswers(fanOutId: string, selector: string | null, isEnded = true) {
  return useQuery({
    queryKey: KEYS.fanOut.answers(fanOutId),
    queryFn: ({ signal }) => readAnswers(fanOutId, selector, signal),
    enabled: isEnded,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
}

async function readAnswers(
  fanOutId: string,
  selector: string | null,
  signal: AbortSignal,
): Promise<readonly AnsweredDevice[]> {
  const params = { path: { fanOutId }, query: { limit: ANSWERS_MAX, outcome: 'succeeded' as const } };
  const known = readKnown(selector, signal);
  const { items } = await api.get('/v1/fan-outs/{fanOutId}/devices', { params, signal });
  const digests = [...new Set(items.map(({ digest }) => digest).filter((one) => one !== null))];
  const answers = new Map<string, Values>();
  for (let at = 0; at < digests.length; at += AT_ONCE) {
    const some = digests.slice(at, at + AT_ONCE);
    const bodies = await Promise.all(some.map((digest) => readValues(fanOutId, digest, signal)));
    some.forEach((digest, index) => answers.set(digest, bodies[index] ?? NONE));
  }
  const registered = await known;
  return items.map(({ deviceId, name, outcome, digest, status, ms }) => ({
    isAway: registered.get(deviceId)?.isAway ?? false,
    deviceId,
    name,
    outcome,
    digest,
    status,
    ms,
    values: withKnown(registered.get(deviceId)?.facts, digest === null ? NONE : (answers.get(digest) ?? NONE)),
  }));
}

interface Registered {
  readonly facts: Known;
  readonly isAway: boolean;
}

/** The state, the firmware and the model that the gateway knows of the devices: an answer is read beside them. Without them the answers are enough. */
async function readKnown(selector: string | null, signal: AbortSignal): Promise<ReadonlyMap<string, Registered>> {
  if (selector === null) return new Map();
  try {
    const params = { query: { selector, limit: ANSWERS_MAX } };
    const { items } = await api.get('/v1/devices', { params, signal });
    return new Map(
      items.map(({ id, state, firmware, model }) => [
        id,
        { facts: { firmware: firmware ?? null, model: model ?? null }, isAway: state === 'offline' },
      ]),
    );
  } catch {
    return new Map();
  }
}

async function readValues(fanOutId: string, digest: string, signal: AbortSignal): Promise<Values> {
  const params = { path: { fanOutId, digest } };
  const answer = await api.get('/v1/fan-outs/{fanOutId}/answers/{digest}', { params, signal });
  return answer.stored ? valuesOf(answer.body) : NONE;
}
