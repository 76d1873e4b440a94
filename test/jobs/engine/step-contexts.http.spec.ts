import { createHash, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { PATHS, uploadedFile } from '../../../src/device-api/contract.js';
import { Artifact } from '../../../src/artifacts/artifact.entity.js';
import { ArtifactUse } from '../../../src/artifacts/artifact-use.entity.js';
import { ArtifactStore } from '../../../src/artifacts/artifacts.js';
import { Job } from '../../../src/jobs/rows/job.entity.js';
import { type StepContext } from '../../../src/jobs/kind-api/step-context.js';
import { AppError } from '../../../src/platform/errors.js';
import { Admission } from '../../../src/proxy/admission/admission.js';
import { StepContextFactory } from '../../../src/jobs/engine/step-context-factory.js';
import { AnsweringDevice } from '../../support/devices/answering-device.js';
import { startProxyWorld, type ProxyWorld } from '../../proxy/proxy-world.js';

const GUARDS = { beforeWrite: () => undefined, requireContinue: () => Promise.resolve() };

describe('what a step of a job may use', () => {
  let proxy: ProxyWorld;
  let db: DataSource;
  let jobId: string;
  let context: StepContext;
  let answering = 0;
  const received = () => proxy.fleet.ledger.entries({ device: 0, path: PATHS.uploadRootCa }).length;

  beforeAll(async () => {
    proxy = await startProxyWorld({ devices: 1 });
    db = proxy.world.gateway.app.get(DataSource);
  });
  afterAll(() => proxy.close());
  beforeEach(async () => {
    // A row that nobody dispatches: it waits for a day that does not come.
    const { items } = await proxy.world.api.get<{ items: { id: string }[] }>('/v1/jobs');
    for (const { id } of items) await db.manager.delete(Job, id);
    jobId = randomUUID();
    await db.query(
      `insert into job (id, device_id, kind, phase, cursor, wake_at, deadline_at, started_by, started_by_name, created_at)
       values ($1, $2, 'backup', 'queued', '{"at":"identify"}', now() + interval '1 day', now() + interval '2 days',
               'key:ada', 'Ada', now())`,
      [jobId, proxy.ids[0]],
    );
    const job = await db.manager.findOneByOrFail(Job, { id: jobId });
    context = await proxy.world.gateway.app
      .get(StepContextFactory)
      .contextFor(job, new AbortController().signal, GUARDS, false);
  });

  const store = async (bytes: Buffer) => {
    const draft = await proxy.world.gateway.app.get(ArtifactStore).write(Readable.from([bytes]), 1_000_000);
    await draft.keep();
    const id = randomUUID();
    const { sha256 } = draft;
    const row = {
      id,
      sha256,
      bytes: bytes.length,
      kind: 'certificate',
      name: 'ca.pem',
      createdAt: new Date(),
    } as const;
    await db.manager.insert(Artifact, row);
    return { id, sha256 };
  };
  const upload = (artifactId: string) => {
    const request = { method: 'POST', path: PATHS.uploadRootCa, artifactId, fileName: 'our "ca".pem' } as const;
    return context.upload(request, uploadedFile);
  };

  it('is told what a stored artifact is, or that there is none', async () => {
    const { id, sha256 } = await store(Buffer.from('one'));
    expect(await context.artifact(id)).toMatchObject({ id, sha256, bytes: 3, kind: 'certificate', name: 'ca.pem' });
    expect(await context.artifact(randomUUID())).toBeNull();
  });

  it('sends a stored artifact to the device, byte for byte', async () => {
    const bytes = Buffer.alloc(300_000, 'certificate ');
    const { id } = await store(bytes);
    await upload(id);
    const [entry] = proxy.fleet.ledger.entries({ device: 0, path: PATHS.uploadRootCa });
    expect(JSON.stringify(entry)).toContain(createHash('sha256').update(bytes).digest('hex'));
  });

  it('sends nothing of bytes that were damaged in the store', async () => {
    const { id, sha256 } = await store(Buffer.from('good bytes'));
    await writeFile(path.join(proxy.world.dataDir, 'artifacts', sha256.slice(0, 2), sha256), 'gooD bytes');
    const before = received();
    await expect(upload(id)).rejects.toMatchObject({ code: 'artifact_damaged' });
    expect(received()).toBe(before);
  });

  it('sends nothing of an artifact that is not what the job was started with', async () => {
    const { id } = await store(Buffer.from('the approved one'));
    const { sha256 } = await store(Buffer.from('another one'));
    await db.manager.insert(ArtifactUse, { artifactId: id, jobId, sha256 });
    const before = received();
    await expect(upload(id)).rejects.toMatchObject({ code: 'artifact_changed' });
    await expect(context.artifact(id)).rejects.toMatchObject({ code: 'artifact_changed' });
    expect(received()).toBe(before);
  });

  it('sends no call whose author lost the right while it waited for admission', async () => {
    const { app } = proxy.world.gateway;
    const job = await db.manager.findOneByOrFail(Job, { id: jobId });
    let mayContinue = true;
    const requireContinue = () =>
      mayContinue ? Promise.resolve() : Promise.reject(new AppError('starter_may_not', { startedBy: 'Ada' }));
    const guards = { ...GUARDS, requireContinue };
    const step = await app.get(StepContextFactory).contextFor(job, new AbortController().signal, guards, false);
    const read = () => step.call({ method: 'GET', path: PATHS.systemStatus }, z.unknown());
    const reads = () => proxy.fleet.ledger.entries({ device: 0, path: PATHS.systemStatus }).length;
    await read();
    const before = reads();

    const admission = app.get(Admission);
    const acquire = admission.acquire.bind(admission);
    const waiting = vi.spyOn(admission, 'acquire').mockImplementationOnce(async (...call) => {
      const permit = await acquire(...call);
      mayContinue = false;
      return permit;
    });
    await expect(read()).rejects.toMatchObject({ code: 'starter_may_not' });
    expect(waiting).toHaveBeenCalledOnce();
    expect(reads()).toBe(before);
    mayContinue = true;
    await read(); // the permit was given back
    expect(reads()).toBe(before + 1);
    waiting.mockRestore();
  });

  it.each([
    ['application/json', true],
    ['Application/JSON', true],
    ['APPLICATION/JSON; charset=utf-8', true],
    ['application/json;charset=utf-8', true],
    ['text/json', true],
    ['application/problem+json', true],
    ['application/octet-stream', false],
    ['text/plain', false],
    ['application/jsonx', false],
    ['application/x-tar; of=application/json', false],
  ])('takes a file with the media type %j for a refusal: %s', async (type, isRefusal) => {
    const device = new AnsweringDevice();
    const body = '{"success":false,"errors":[{"code":103,"error":"no"}]}';
    device.raw = Buffer.from(
      `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
    const deviceId = await device.register(proxy.world.api, `answers-${++answering}`);
    const job = await db.manager.findOneByOrFail(Job, { id: jobId });
    const step = await proxy.world.gateway.app
      .get(StepContextFactory)
      .contextFor(Object.assign(job, { deviceId }), new AbortController().signal, GUARDS, false);
    const file = step.readFile({ method: 'GET', path: '/api/some/file' }, 1_000);
    if (isRefusal) await expect(file).rejects.toMatchObject({ code: 'device_refused', facts: { deviceCodes: [103] } });
    else expect((await file).toString()).toBe(body);
    device.close();
  });

  it('can have the next call log in anew', async () => {
    const logins = () => proxy.fleet.ledger.entries({ device: 0, path: PATHS.login }).length;
    await store(Buffer.from('x')).then(({ id }) => upload(id));
    const before = logins();
    await context.endSessions();
    await store(Buffer.from('y')).then(({ id }) => upload(id));
    expect(logins()).toBe(before + 1);
  });
});
