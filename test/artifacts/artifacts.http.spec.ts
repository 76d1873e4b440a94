import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { readdir, utimes } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { ArtifactsSweeper } from '../../src/artifacts/artifacts.sweeper.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson } from '../support/people.js';

interface View {
  readonly id: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly name: string;
  readonly models: string[];
  readonly signedBy: string | null;
  readonly openUses: number;
  readonly uses: { readonly jobId: string; readonly phase: string }[];
}
type Problem = { readonly code: string } & Record<string, unknown>;

const QUOTA = 12 * 1024 * 1024;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ed25519');
const rawKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
const derKey = other.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

describe('artifacts that operators give', () => {
  let world: TestGateway;
  let db: DataSource;

  beforeAll(async () => {
    world = await startTestGateway({
      ARTIFACT_QUOTA_BYTES: String(QUOTA),
      ARTIFACT_PUBLIC_KEYS: `release=${rawKey} backup-key=${derKey}`,
      ROLE: 'api',
    });
    db = world.gateway.app.get(DataSource);
  });
  afterAll(() => world.close());

  const send = async (query: string, body: Buffer | FormData, role: keyof TestGateway['keys'] = 'operator') => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${world.url}/v1/artifacts${query}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.keys[role]}`,
        ...(isForm ? {} : { 'content-type': 'application/octet-stream' }),
      },
      body: isForm ? body : new Uint8Array(body),
    });
    return { status: response.status, body: (await response.json()) as View & Problem };
  };
  const remove = (address: string) => world.api.send('DELETE', address);
  const incoming = () => readdir(path.join(world.dataDir, 'artifacts', 'incoming'));
  const usage = () => world.api.get<{ usedBytes: number; reservedBytes: number }>('/v1/artifacts/usage');
  const fileOf = (digest: string) => path.join(world.dataDir, 'artifacts', digest.slice(0, 2), digest);

  it('are taken as a raw body, with what they are in the query', async () => {
    const bytes = Buffer.alloc(300_000, 'firmware');
    const query = `?kind=firmware&name=image.bin&sha256=${sha256(bytes)}&models=RUTX*,RUT9*&version=7.17&minimumVersion=7.14`;
    const { status, body } = await send(query, bytes);
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { kind: 'firmware', name: 'image.bin', sha256: sha256(bytes), bytes: 300_000, models: ['RUTX*', 'RUT9*'] },
    });
    expect(body).toMatchObject({ version: '7.17', minimumVersion: '7.14', signedBy: null, openUses: 0 });
    const content = await fetch(`${world.url}/v1/artifacts/${body.id}/content`, {
      headers: { authorization: `Bearer ${world.keys.operator}` },
    });
    expect(sha256(Buffer.from(await content.arrayBuffer()))).toBe(sha256(bytes));
  });

  it('are taken as a form whose fields come before the file', async () => {
    const form = new FormData();
    form.set('kind', 'configuration');
    form.set('file', new Blob(['key = value']), 'router.conf');
    const { status, body } = await send('', form);
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { kind: 'configuration', name: 'router.conf', bytes: 11 },
    });
  });

  it('are listed by kind and digest, and each with the jobs that use it', async () => {
    const { body: image } = await send('?kind=firmware', Buffer.from('an image to be used'));
    const { id: deviceId } = await world.api.post<{ id: string }>('/v1/devices', {
      name: 'router',
      baseUrl: 'https://192.0.2.7',
      credentials: { username: 'admin', password: 'secret-of-the-router' },
    });
    const spec = { artifactId: image.id, sha256: image.sha256 };
    const job = await world.api.post<{ id: string }>(`/v1/devices/${deviceId}/jobs`, { kind: 'firmware', spec });
    const { items } = await world.api.get<{ items: View[] }>(`/v1/artifacts?kind=firmware&sha256=${image.sha256}`);
    expect(items).toMatchObject([{ id: image.id, openUses: 1 }]);
    const found = await world.api.get<View>(`/v1/artifacts/${image.id}`);
    expect(found.uses).toMatchObject([{ jobId: job.id, deviceId, kind: 'firmware', phase: 'queued', outcome: null }]);

    await expect(remove(`/v1/artifacts/${image.id}`)).rejects.toMatchObject({ code: 'artifact_in_use' });
    await world.api.post(`/v1/jobs/${job.id}/cancel`);
    await remove(`/v1/artifacts/${image.id}`);
    await expect(world.api.get(`/v1/artifacts/${image.id}`)).rejects.toMatchObject({ code: 'artifact_not_found' });
  });

  it('of a removed device are listed by its id, for those who may see the artifacts of all devices', async () => {
    const { id: deviceId } = await world.api.post<{ id: string }>('/v1/devices', {
      name: 'taken-down',
      baseUrl: 'https://192.0.2.9',
      tags: ['attic'],
    });
    const { body: file } = await send('?kind=file&name=left.txt', Buffer.from('left behind'));
    await db.query('update artifact set device_id = $1 where id = $2', [deviceId, file.id]);
    const narrowed = await addPerson(world, 'narrowed', [{ role: 'operator', selector: 'tag:attic' }]);
    const listFor = (api = world.api) => api.get<{ items: View[] }>(`/v1/artifacts?device=${deviceId}`);
    expect((await listFor(narrowed.api)).items).toMatchObject([{ id: file.id }]);

    await remove(`/v1/devices/${deviceId}`);
    expect((await listFor()).items).toMatchObject([{ id: file.id, deviceId }]);
    await expect(listFor(narrowed.api)).rejects.toMatchObject({ code: 'device_not_found' });
    await expect(world.api.get(`/v1/artifacts?device=${randomUUID()}`)).rejects.toMatchObject({
      code: 'device_not_found',
    });
  });

  it('stay as long as a rollout that has not ended needs them, or a schedule that is enabled', async () => {
    const { body: image } = await send('?kind=firmware', Buffer.from('an image to be rolled out'));
    await world.api.post('/v1/devices', {
      name: 'to-be-upgraded',
      baseUrl: 'https://192.0.2.8',
      credentials: { username: 'admin', password: 'secret-of-the-router' },
    });
    const rollout = {
      name: 'upgrade',
      kind: 'firmware',
      spec: { artifactId: image.id, backup: 'skip' },
      selector: 'name:to-be-upgraded',
    };
    const { id } = await world.api.post<{ id: string }>('/v1/rollouts', rollout);
    const schedule = { name: 'each night', rhythm: { everySeconds: 86_400 }, rollout };
    const { id: scheduleId } = await world.api.post<{ id: string }>('/v1/schedules', schedule);
    await expect(remove(`/v1/artifacts/${image.id}`)).rejects.toMatchObject({
      code: 'artifact_in_use',
      problem: { jobs: [], rollouts: [id], schedules: [scheduleId] },
    });

    await world.api.send('DELETE', `/v1/schedules/${scheduleId}`);
    await world.api.post(`/v1/rollouts/${id}/abort`);
    await db.query(`update rollout set state = 'aborted', ended_at = now() where id = $1`, [id]); // as a worker does it
    await remove(`/v1/artifacts/${image.id}`);
    await expect(world.api.get(`/v1/artifacts/${image.id}`)).rejects.toMatchObject({ code: 'artifact_not_found' });
  });

  it.each([
    ['another digest than claimed', `?kind=file&sha256=${'0'.repeat(64)}`, 422, 'artifact_digest_mismatch'],
    ['a signature that is none', '?kind=file&signature=a*b', 400, 'invalid_input'],
    ['an unknown kind', '?kind=poem', 400, 'invalid_input'],
    ['a name with a path', '?kind=file&name=..%2Fetc%2Fpasswd', 400, 'invalid_input'],
    ['a field that nobody knows', '?kind=file&color=blue', 400, 'invalid_input'],
  ])('are refused with %s, and leave nothing behind', async (_what, query, status, code) => {
    const before = await usage();
    expect(await send(query, Buffer.from('refused bytes'))).toMatchObject({ status, body: { code } });
    expect(await incoming()).toEqual([]);
    expect(await usage()).toEqual(before);
  });

  it('are refused without bytes, in another content type, and from those who may not', async () => {
    expect(await send('?kind=file', Buffer.alloc(0))).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
    expect(await send('?kind=file', Buffer.from('x'), 'viewer')).toMatchObject({ status: 403 });
    const response = await fetch(`${world.url}/v1/artifacts?kind=file`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.keys.operator}`, 'content-type': 'text/csv' },
      body: 'a,b',
    });
    expect(response.status).toBe(415);
    const form = new FormData();
    form.set('file', new Blob(['bytes']), 'x');
    form.set('kind', 'file');
    expect(await send('', form)).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
  });

  it('say by which key they were signed, and are refused when it is none of ours', async () => {
    const bytes = Buffer.from('a signed image');
    const signed = (key: typeof privateKey) =>
      encodeURIComponent(sign(null, Buffer.from(sha256(bytes), 'hex'), key).toString('base64'));
    expect(await send(`?kind=firmware&signature=${signed(privateKey)}`, bytes)).toMatchObject({
      status: 201,
      body: { signedBy: 'release' },
    });
    expect((await send(`?kind=firmware&signature=${signed(other.privateKey)}`, bytes)).body.signedBy).toBe(
      'backup-key',
    );
    const stranger = generateKeyPairSync('ed25519').privateKey;
    expect(await send(`?kind=firmware&signature=${signed(stranger)}`, bytes)).toMatchObject({
      status: 422,
      body: { code: 'artifact_signature_refused' },
    });
  });

  it('take no more room than the quota, and give back what they reserved', async () => {
    const before = await usage();
    const large = Buffer.alloc(11 * 1024 * 1024, 'large');
    expect(await send('?kind=file', Buffer.alloc(QUOTA + 1))).toMatchObject({
      status: 507,
      body: { code: 'artifact_quota_exceeded', quotaBytes: QUOTA },
    });
    const kept = await send('?kind=file', large);
    expect(kept.status).toBe(201);
    expect(await send('?kind=file', Buffer.alloc(2 * 1024 * 1024, 'more'))).toMatchObject({ status: 507 });
    expect(await incoming()).toEqual([]);
    expect(await usage()).toMatchObject({ usedBytes: before.usedBytes + large.length, reservedBytes: 0 });
    await remove(`/v1/artifacts/${kept.body.id}`);
    expect(await usage()).toMatchObject(before);
  });

  it('reserve room while they are under way, and leave nothing when their sender goes', async () => {
    const { hostname, port } = new URL(world.url);
    const request = http.request({
      hostname,
      port,
      method: 'POST',
      path: '/v1/artifacts?kind=file',
      headers: { authorization: `Bearer ${world.keys.operator}`, 'content-type': 'application/octet-stream' },
    });
    request.on('error', () => undefined);
    request.write(Buffer.alloc(100_000));
    while ((await usage()).reservedBytes === 0) await pause(10);
    request.destroy();
    while ((await usage()).reservedBytes > 0) await pause(10);
    expect(await incoming()).toEqual([]);
  });

  it('leave both ends of their life in the audit', async () => {
    const { body } = await send('?kind=file&name=notes.txt', Buffer.from('notes'));
    await remove(`/v1/artifacts/${body.id}`);
    const trail = await db.query<{ action: string; facts: { sha256: string } }[]>(
      'select action, facts from audit_entry where subject = $1 order by opened_at',
      [`artifact:${body.id}`],
    );
    expect(trail.map(({ action }) => action)).toEqual(['artifact.add', 'artifact.delete']);
    expect(trail[0]!.facts).toMatchObject({ kind: 'file', name: 'notes.txt', sha256: body.sha256, bytes: 5 });
  });

  it('lose their bytes a day after nobody names them any more, and not before', async () => {
    const sweeper = world.gateway.app.get(ArtifactsSweeper);
    const one = await send('?kind=file&name=one', Buffer.from('shared bytes'));
    const two = await send('?kind=file&name=two', Buffer.from('shared bytes'));
    const file = fileOf(one.body.sha256);
    const age = () => utimes(file, new Date(), new Date(Date.now() - 25 * 3_600_000));
    await age();
    await remove(`/v1/artifacts/${one.body.id}`);
    expect(await sweeper.sweep()).toEqual({ removed: 0 });
    await remove(`/v1/artifacts/${two.body.id}`);
    await utimes(file, new Date(), new Date());
    expect(await sweeper.sweep()).toEqual({ removed: 0 });
    await age();
    expect(await sweeper.sweep()).toEqual({ removed: 1 });
    await expect(remove(`/v1/artifacts/${randomUUID()}`)).rejects.toMatchObject({
      code: 'artifact_not_found',
    });
  });
});
