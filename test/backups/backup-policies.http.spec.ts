import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArtifactStore } from '../../src/artifacts/artifacts.js';
import { BackupContentsSweeper } from '../../src/backups/backup-contents.sweeper.js';
import { BackupPoliciesService } from '../../src/backups/backup-policies.service.js';
import { BackupRetentionSweeper } from '../../src/backups/backup-retention.sweeper.js';
import { itInFull } from '../support/forms.js';
import { type KindWorld, startKindWorld } from '../support/jobs/kind-world.js';
import { addKey, addPerson } from '../support/people.js';
import { until } from '../support/until.js';

/** 32 bytes, as a device has them. */
const PRIVATE_KEY = 'YFMrKHvnPNkZ1OGBTaGmPvM7Cq2q5kGNr3ZfQ5mFbVE=';

interface Contents {
  readonly files: readonly { readonly name: string; readonly lines: readonly string[] | null }[];
}

interface Diff {
  readonly same: boolean;
  readonly files: readonly object[];
}

interface Backup {
  readonly id: string;
  readonly createdAt: Date;
  readonly confirmedAt: Date | null;
  readonly opens: boolean | null;
}

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
  const untilEnded = (count: number) =>
    until(async () => {
      const all = await jobs();
      return all.length >= count && all.every(({ phase }) => phase === 'ended') && all;
    });
  /** Until all backups were opened, by this or by the gateway's own sweeper. */
  const openBackups = () =>
    until(async () => {
      await world.gateway.gateway.app.get(BackupContentsSweeper).sweep();
      const [{ left }] = await world.db.query<[{ left: number }]>(
        `select count(*)::int as left from artifact
          where kind = 'backup' and not exists (select from backup_content where artifact_id = artifact.id)`,
      );
      return left === 0;
    });
  const sweepPolicies = async () => {
    await world.db.query('update backup_policy set next_run_at = $1', [world.clock.now()]);
    await world.gateway.gateway.app.get(BackupPoliciesService).sweep();
  };
  /** Newest first. */
  const backupsOf = (index: number) =>
    world.db.query<Backup[]>(
      `select artifact.id, created_at as "createdAt", confirmed_at as "confirmedAt", artifact_id is not null and content.failure is null as opens
         from artifact left join backup_content content on content.artifact_id = artifact.id
        where device_id = $1 and kind = 'backup' order by created_at desc`,
      [world.ids[index]],
    );
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

  it('of somebody who was disabled, or of a revoked key, starts nothing, and is shown as an orphan', async () => {
    const person = await addPerson(world.gateway, 'Otto', [{ role: 'operator' }]);
    const key = await addKey(world.gateway, person.operatorId, { stepUp: true });
    const daily = { selector: 'all', rhythm: { everySeconds: 86_400 } };
    const path = '/v1/backups/policies';
    const ofKey = await key.api.post<{ id: string }>(path, { name: 'of a key', ...daily });
    const ofSomebody = await person.api.post<{ id: string }>(path, { name: 'of somebody', ...daily });
    const read = (id: string) => world.gateway.api.get<{ lastError: string | null }>(`${path}/${id}`);
    expect(await read(ofKey.id)).toMatchObject({ orphaned: false });
    await world.gateway.api.send('DELETE', `/v1/api-keys/${key.keyId}`);
    expect([await read(ofKey.id), await read(ofSomebody.id)]).toMatchObject([{ orphaned: true }, { orphaned: false }]);
    await world.gateway.api.send('PATCH', `/v1/operators/${person.operatorId}`, { disabled: true });
    const before = (await jobs()).length;
    await world.db.query(`update backup_policy set next_run_at = $1 where name like 'of %'`, [world.clock.now()]);
    await world.gateway.gateway.app.get(BackupPoliciesService).sweep();
    for (const { id } of [ofKey, ofSomebody]) {
      // The gateway sweeps of its own accord, too; what it has at this moment the sweep above leaves alone.
      await until(async () => (await read(id)).lastError !== null);
      expect(await read(id)).toMatchObject({ orphaned: true, lastStarted: 0, lastError: 'author_gone' });
    }
    expect(await jobs()).toHaveLength(before);
    // Whoever saves it anew is its author.
    await world.gateway.api.send('PUT', `${path}/${ofKey.id}`, { name: 'of a key', ...daily, enabled: false });
    expect(await read(ofKey.id)).toMatchObject({ orphaned: false });
    for (const { id } of [ofKey, ofSomebody]) await world.gateway.api.send('DELETE', `${path}/${id}`);
  });

  it('confirms a backup whose content is that of the last one instead of keeping another', async () => {
    await openBackups();
    const [first] = await backupsOf(1);
    await sweepPolicies();
    await untilEnded(6);
    await openBackups();
    const after = await backupsOf(1);
    expect(after).toMatchObject([{ id: first!.id, opens: true }]);
    expect(after[0]!.confirmedAt!.getTime()).toBeGreaterThan(first!.createdAt.getTime());
    const [job] = await world.db.query<{ result: object }[]>(
      `select result from job where device_id = $1 and kind = 'backup' order by created_at desc limit 1`,
      [world.ids[1]],
    );
    expect(job!.result).toMatchObject({ artifactId: first!.id, unchanged: true });
  });

  it('keeps a backup with other content, shows the difference without secrets, and removes what is too many', async () => {
    const path = `/v1/devices/${world.ids[1]}/api/wireguard/config`;
    await world.gateway.api.post(path, { data: { id: 'site', private_key: PRIVATE_KEY, listen_port: '51820' } });
    await sweepPolicies();
    await untilEnded(9);
    await openBackups();
    const [newest, oldest] = await backupsOf(1);
    const diff = await world.gateway.api.get<Diff>(`/v1/backups/diff?a=${oldest!.id}&b=${world.ids[1]}`);
    expect(diff).toMatchObject({ same: false, cut: false, a: { id: oldest!.id }, b: { id: newest!.id } });
    const text = JSON.stringify(diff);
    expect(text).toContain('51820');
    expect(text).not.toContain(PRIVATE_KEY);
    expect(text).toMatch(/private_key.*hmac:[0-9a-f]{16}/);
    const contents = await world.gateway.api.get<Contents>(`/v1/backups/contents?backup=${newest!.id}`);
    expect(await world.gateway.api.get<Contents>(`/v1/backups/contents?backup=${world.ids[1]}`)).toEqual(contents);
    const unknown = world.gateway.api.get(`/v1/backups/contents?backup=${crypto.randomUUID()}`);
    await expect(unknown).rejects.toMatchObject({ status: 404, code: 'artifact_not_found' });
    expect(contents).toMatchObject({ id: newest!.id, deviceId: world.ids[1], cut: false });
    const settings = JSON.stringify(contents.files.map(({ lines }) => lines));
    expect(settings).toContain('51820');
    expect(settings).not.toContain(PRIVATE_KEY);
    await world.db.query('update backup_policy set keep_count = 1');
    await world.gateway.gateway.app.get(BackupRetentionSweeper).sweep();
    expect((await backupsOf(1)).map(({ id }) => id)).toEqual([newest!.id]);
  });

  it('has backups encrypted by the device, and opens them with a passphrase of its own', async () => {
    const given = { label: 'for backups', value: 'Open-sesame-1' };
    const { id: sealedValue } = await world.gateway.api.post<{ id: string }>('/v1/sealed-values', given);
    await world.db.query('delete from backup_policy');
    const made = await policy('encrypted', { sealedValue });
    await world.gateway.api.send('DELETE', `/v1/sealed-values/${sealedValue}`);
    await sweepPolicies();
    await untilEnded(12);
    const ends = await world.db.query<object[]>(
      `select outcome, failure->>'code' as code, failure->'facts' as facts from job where device_id = $1 and spec <> '{}'`,
      [world.ids[1]],
    );
    expect(ends).toEqual([{ outcome: 'succeeded', code: null, facts: null }]);
    const [newest] = await backupsOf(1);
    const [{ sha256 }] = (await world.db.query('select sha256 from artifact where id = $1', [newest!.id])) as [
      { sha256: string },
    ];
    const stored = await buffer(await world.gateway.gateway.app.get(ArtifactStore).read(sha256));
    expect(stored.subarray(0, 8).toString()).toBe('Salted__');
    await openBackups();
    const [opened] = await backupsOf(1);
    expect(opened).toMatchObject({ opens: true });
    const rows = await world.db.query<{ text: string }[]>('select job::text as text from job');
    expect(rows.map(({ text }) => text).join()).not.toContain('Open-sesame-1');
    expect(made).toMatchObject({ encrypted: true });
    // A restore gets the passphrase of the policy, though its spec cannot name it.
    const restored = await world.ended(await world.start(1, 'restore', { artifactId: newest!.id }));
    expect(restored).toMatchObject({ outcome: 'succeeded', failure: null });
  });

  it('tells of a backup that cannot be opened', async () => {
    const broken = await world.keep(Buffer.from('no archive at all'), { kind: 'backup', deviceId: world.ids[2]! });
    await openBackups();
    expect((await coverage('state=failed')).items).toMatchObject([{ deviceId: world.ids[2], opens: false }]);
    const diff = world.gateway.api.get(`/v1/backups/diff?a=${broken.id}&b=${world.ids[1]}`);
    await expect(diff).rejects.toMatchObject({ code: 'backup_unreadable' });
    await world.db.query('delete from artifact where id = $1', [broken.id]);
  });

  it('tells what is overdue, what failed, and page by page', async () => {
    await until(async () => (await coverage('maxAgeHours=0.001&state=overdue')).counts['overdue'] === 3);
    const overdue = await coverage('maxAgeHours=0.001&state=overdue&limit=2');
    expect(overdue).toMatchObject({ counts: { overdue: 3 }, items: [{ state: 'overdue' }, { state: 'overdue' }] });
    const rest = await coverage(`maxAgeHours=0.001&state=overdue&limit=2&cursor=${overdue.next}`);
    expect(rest.items).toHaveLength(1);
    world.fleet.devices[0]!.replaceSerial();
    await world.ended(await world.start(0, 'backup'));
    const failed = await coverage('state=failed');
    expect(failed.items).toMatchObject([{ deviceId: world.ids[0], lastFailure: 'identity_mismatch' }]);
  });

  itInFull(
    'starts none on a device whose last backup job was quarantined, until a person starts one there',
    async () => {
      const last = `select id from job where device_id = $1 and kind = 'backup' order by created_at desc limit 1`;
      const [before] = await world.db.query<{ id: string }[]>(last, [world.ids[2]]);
      await world.db.query(
        `update job set outcome = 'not_executed', failure = '{"code":"quarantined","message":"","facts":{}}' where id = $1`,
        [before!.id],
      );
      const count = (await jobs()).length;
      await sweepPolicies();
      await untilEnded(count + 2);
      expect(await world.db.query(last, [world.ids[2]])).toEqual([before]);
      const byHand = await world.start(2, 'backup');
      await world.ended(byHand);
      await sweepPolicies();
      await untilEnded(count + 6);
      expect(await world.db.query(last, [world.ids[2]])).not.toEqual([{ id: byHand }]);
    },
  );

  it('opens no backup that three processes were lost with', async () => {
    const id = randomUUID();
    await world.db.query(
      `insert into work_mark (kind, row_id, owner, held_until, lost_workers)
       values ('backup_content', $1, gen_random_uuid(), clock_timestamp() - interval '1 second', 2)`,
      [id],
    );
    await world.keep(Buffer.from('an archive that takes processes down'), { id, kind: 'backup' });
    await Promise.all([openBackups(), openBackups()]); // as by two processes that find it guilty at once
    expect(await world.db.query('select failure from backup_content where artifact_id = $1', [id])).toEqual([
      { failure: 'three processes were lost while they opened it' },
    ]);
  });

  it('shows and counts only what its caller may see, and refuses what cannot be meant', async () => {
    const refused = async (call: Promise<unknown>) =>
      call.then(
        () => null,
        (error: { code?: string }) => error.code,
      );
    expect(await refused(policy('encrypted'))).toBe('backup_policy_exists');
    expect(await refused(policy('other', { selector: 'site:' }))).toBe('invalid_selector');
    expect(await refused(policy('other', { rhythm: { cron: '0 0 31 2 *' } }))).toBe('invalid_input');
    expect(await refused(world.gateway.as('viewer').post('/v1/backups/policies', {}))).toBe('forbidden');
  });
});
