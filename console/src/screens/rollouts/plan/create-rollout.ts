import { api, type Schema } from '../../../api/client.js';

/**
 * Creates a rollout, and starts it.
 * @param isStarted whether it starts with the plan of this digest; otherwise it stays a draft
 */
export async function createRollout(
  body: Schema<'CreateRollout'>,
  isStarted: (planDigest: string | null) => boolean,
): Promise<Schema<'Rollout'>> {
  const made = (await api.post('/v1/rollouts', { body })) as Schema<'Rollout'>;
  if (!isStarted(made.planDigest)) return made;
  return api.post('/v1/rollouts/{rolloutId}/start', { params: { path: { rolloutId: made.id } } });
}
