import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JobsService } from '../../../src/jobs/jobs.service.js';
import { SealedValuesService } from '../../../src/jobs/sealed-values/sealed-values.service.js';
import { type JobRow } from '../../../src/jobs/rows/job.entity.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { addPerson, type Person } from '../../support/people.js';

/* Sealed values: what jobs made is for who sees their device. */

interface Value {
  readonly id: string;
  readonly label: string;
}

let world: TestGateway;
let north: Person;
/** Made by a job for a device of each site. */
const made: Record<'north' | 'south', string> = { north: '', south: '' };

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  for (const site of ['north', 'south'] as const) {
    const { id } = await world.api.post<{ id: string }>('/v1/devices', {
      name: site,
      site,
      baseUrl: `https://${site}.example`,
      credentials: { username: 'admin', password: randomUUID() },
    });
    const job = await world.api.post<{ id: string }>(`/v1/devices/${id}/jobs`, { kind: 'backup' });
    const row: JobRow = await world.gateway.app.get(JobsService, { strict: false }).get(job.id);
    const values = world.gateway.app.get(SealedValuesService, { strict: false });
    made[site] = await values.sealFor(row, 'password', `password of ${site}`, () => randomUUID());
  }
  await world.api.post('/v1/sealed-values', { label: 'given', value: randomUUID(), days: 1 });
  await world.api.send('PUT', '/v1/roles/sealed-of-north', {
    rules: [
      { effect: 'allow', permissions: ['sealed_value.*'] },
      { effect: 'allow', permissions: ['device.read'], selector: 'site:north' },
    ],
  });
  north = await addPerson(world, 'Nora', [{ role: 'sealed-of-north' }]);
});
afterAll(() => world.close());

const labels = async (person: Pick<Person, 'api'>, query = '') =>
  (await person.api.get<{ items: Value[] }>(`/v1/sealed-values${query}`)).items.map(({ label }) => label).toSorted();

describe('sealed values that jobs made', () => {
  it('are listed for who sees their device', async () => {
    expect(await labels(world)).toEqual(['given', 'password of north', 'password of south']);
    expect(await labels(north)).toEqual(['given', 'password of north']);
    expect(await labels(north, '?device=name:north')).toEqual(['password of north']);
    const hidden = { status: 404, code: 'device_not_found' };
    await expect(labels(north, '?device=name:south')).rejects.toMatchObject(hidden);
    await expect(labels(north, '?device=name:nowhere')).rejects.toMatchObject(hidden);
  });

  it('are opened and removed by who sees their device, and are not there for others', async () => {
    const hidden = { status: 404, code: 'sealed_value_not_found' };
    await expect(north.api.post(`/v1/sealed-values/${made.south}/open`, {})).rejects.toMatchObject(hidden);
    await expect(north.api.send('DELETE', `/v1/sealed-values/${made.south}`)).rejects.toMatchObject(hidden);
    expect(await north.api.post(`/v1/sealed-values/${made.north}/open`, {})).toMatchObject({
      label: 'password of north',
    });
    await north.api.send('DELETE', `/v1/sealed-values/${made.north}`);
    expect(await labels(world)).toEqual(['given', 'password of south']);
  });
});
