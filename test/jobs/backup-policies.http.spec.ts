import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { BackupPoliciesService } from '../../src/jobs/backup-policies.service.js';
import { type KindWorld, startKindWorld } from '../support/kind-world.js';

jest.setTimeout(300_000);

interface Coverage {
  readonly counts: Record<string, number>;
  readonly items: readonly { readonly deviceId: string; readonly state: string; readonly lastFailure: string | null }[];
  readonly next: string | null;
}

describe('policies of backups', () => {
  let world: KindWorld;
  beforeAll(async () => {
    world = await startKindWorld({ devices: 3, family: 'RUTX50', profile: 'rutos', seed: 5 }, { REDIS_URL: '' });
  });
  afterAll(() => world.close());

  const coverage = (query = '') => world.gateway.api.get<Coverage>(`/v1/backups/coverage?${query}`);
  const jobs = () =>
    world.db.query<{ id: string; phase: string }[]>(
      `select id, phase from job where kind = 'backup' order by created_at`,
    );
  const untilEnded = async (count: number) => {
    for (;;) {
      const all = await jobs();
      if (all.length >= count && all.every(({ phase }) => phase === 'ended')) return all;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const policy = (name: string, more: object = {}) =>
    world.gateway.api.post<{ id: string; nextRunAt: string }>('/v1/backups/policies', {
      name,
      selector: 'all',
      rhythm: { everySeconds: 86_400 },
      ...more,
    });

  it('covers no device before there is a backup', async () => {
    expect((await coverage()).counts).toEqual({ none: 3, failed: 0, overdue: 0, fresh: 0 });
  });

  it('starts one job for each device when it is due, however many processes sweep', async () => {
    const { id } = await policy('daily');
    await world.db.query('update backup_policy set next_run_at = $2 where id = $1', [id, world.clock.now()]);
    const sweeper = world.gateway.gateway.app.get(BackupPoliciesService);
    await Promise.all([sweeper.sweep(), sweeper.sweep(), sweeper.sweep()]);
    expect(await untilEnded(3)).toHaveLength(3);
    const found = await world.gateway.api.get<{ lastStarted: number; lastError: null; nextRunAt: string }>(
      `/v1/backups/policies/${id}`,
    );
    expect(found).toMatchObject({ lastStarted: 3, lastError: null });
    expect(Date.parse(found.nextRunAt)).toBeGreaterThan(world.clock.now().getTime());
    expect((await coverage()).counts).toEqual({ none: 0, failed: 0, overdue: 0, fresh: 3 });
  });

  it('tells what is overdue, what failed, and page by page', async () => {
    await new Promise((resolve) => setTimeout(resolve, 100)); // four seconds of the gateway
    const overdue = await coverage('maxAgeHours=0.001&state=overdue&limit=2');
    expect(overdue).toMatchObject({ counts: { overdue: 3 }, items: [{ state: 'overdue' }, { state: 'overdue' }] });
    const rest = await coverage(`maxAgeHours=0.001&state=overdue&limit=2&cursor=${overdue.next}`);
    expect(rest.items).toHaveLength(1);
    world.fleet.devices[0]!.replaceSerial();
    await world.ended(await world.start(0, 'backup'));
    const failed = await coverage('state=failed');
    expect(failed.items).toMatchObject([{ deviceId: world.ids[0], lastFailure: 'identity_mismatch' }]);
  });

  it('shows and counts only what its caller may see, and refuses what cannot be meant', async () => {
    const refused = async (call: Promise<unknown>) =>
      call.then(
        () => null,
        (error: { code?: string }) => error.code,
      );
    expect(await refused(policy('daily'))).toBe('backup_policy_exists');
    expect(await refused(policy('other', { selector: 'site:' }))).toBe('invalid_selector');
    expect(await refused(policy('other', { rhythm: { cron: '0 0 31 2 *' } }))).toBe('invalid_input');
    expect(await refused(world.gateway.as('viewer').post('/v1/backups/policies', {}))).toBe('forbidden');
  });
});
