import { type DataSource } from 'typeorm';
import { type ApiClient, type components } from '../api-client/api-client.js';

type State = components['schemas']['Rollout']['state'];

const OPEN: readonly State[] = ['draft', 'awaiting_approval', 'scheduled', 'running', 'paused'];

/**
 * Ends the work of an earlier run of the demo, and its locks, which would keep writes from devices. Its routers are gone, so
 * its rollouts are aborted, and its open jobs could only wait for their deadlines: they end here as unknown. A worker that
 * has one loses it, since the epoch is another.
 */
export async function endEarlierRun(api: ApiClient, db: DataSource): Promise<void> {
  for (const state of OPEN) {
    const { items } = await api.get('/v1/rollouts', { params: { query: { state } } });
    for (const { id } of items)
      await api.post('/v1/rollouts/{rolloutId}/abort', { params: { path: { rolloutId: id } } });
  }
  const { items: locks } = await api.get('/v1/locks');
  for (const { id } of locks) await api.delete('/v1/locks/{lockId}', { params: { path: { lockId: id } } });
  await db.query(`
    update job set phase = 'ended', outcome = 'unknown', ended_at = now(), lease_until = null, owner = null, epoch = epoch + 1,
                   failure = '{"code": "job_interrupted", "message": "The demo ended, and its routers with it", "facts": {}}'
     where phase <> 'ended'
  `);
}
