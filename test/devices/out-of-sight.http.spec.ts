import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiError } from '../../src/api-client/api-client.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson, type Person } from '../support/people.js';

/* A caller who sees some devices only: the others, and what speaks of them, cannot be told from what is not there. */

let world: TestGateway;
let narrow: Person;

beforeAll(async () => {
  world = await startTestGateway();
  for (const [index, tag] of ['alpha', 'beta'].entries()) {
    await world.api.post('/v1/devices', { name: `${tag}-1`, baseUrl: `https://192.0.2.${index + 1}`, tags: [tag] });
  }
  await world.api.send('PUT', '/v1/roles/narrow', {
    rules: [
      { effect: 'allow', permissions: ['lock.manage', 'selector.manage'] },
      { effect: 'allow', permissions: ['device.*', 'job.*', 'artifact.read'], selector: 'tag:alpha' },
    ],
  });
  narrow = await addPerson(world, 'Nina', [{ role: 'narrow' }]);
  await world.api.send('PUT', '/v1/selectors/betas', { selector: 'tag:beta' });
});
afterAll(() => world.close());

/** An answer without what differs from request to request. */
const refusal = async (request: Promise<unknown>) => {
  const error = await request.then(
    () => null,
    (thrown: unknown) => thrown as ApiError,
  );
  const { requestId: _requestId, instance: _instance, ...problem } = error?.problem ?? {};
  return problem;
};

describe('a device out of sight', () => {
  it.each([
    ['lock', (ref: string) => narrow.api.post('/v1/locks', { kind: 'device', target: ref, reason: 'test' })],
    ['list of certificates', (ref: string) => narrow.api.get(`/v1/certificates?device=${ref}`)],
    ['list of jobs', (ref: string) => narrow.api.get(`/v1/jobs?device=${ref}`)],
    ['list of artifacts', (ref: string) => narrow.api.get(`/v1/artifacts?device=${ref}`)],
    ['explanation of rights', (ref: string) => narrow.api.get(`/v1/rights/explain?action=device.read&device=${ref}`)],
    ['session', (ref: string) => narrow.api.get(`/v1/devices/${ref}/session`)],
  ])('cannot be told from one that is not there by a %s', async (_what, ask) => {
    const hidden = await refusal(ask('name:beta-1'));
    expect(hidden).toMatchObject({ code: 'device_not_found' });
    expect(hidden).toEqual(await refusal(ask('name:nowhere')));
  });

  it('is not locked by a caller who may not see it', async () => {
    const { items } = await world.api.get<{ items: unknown[] }>('/v1/locks');
    expect(items).toEqual([]);
  });
});

describe('a saved selector out of sight', () => {
  const betas = () => world.api.get<{ selector: string }>('/v1/selectors/betas');

  it('is not replaced', async () => {
    const save = narrow.api.send('PUT', '/v1/selectors/betas', { selector: 'tag:alpha' });
    await expect(save).rejects.toMatchObject({ code: 'selector_exists' });
    expect(await betas()).toMatchObject({ selector: 'tag:beta' });
  });

  it('is not removed, in the words for one that is not there', async () => {
    const hidden = await refusal(narrow.api.send('DELETE', '/v1/selectors/betas'));
    expect(hidden).toMatchObject({ code: 'selector_not_found' });
    expect(hidden).toEqual(await refusal(narrow.api.send('DELETE', '/v1/selectors/nowhere')));
    expect(await betas()).toMatchObject({ selector: 'tag:beta' });
  });

  it('is not named by another one, in the words for one that is not there', async () => {
    const save = (selector: string) => narrow.api.send('PUT', '/v1/selectors/mine', { selector });
    await expect(save('tag:alpha | @betas')).rejects.toMatchObject({ problem: { position: 12, near: '@betas' } });
    await expect(save('tag:alpha | @nowhere')).rejects.toMatchObject({ problem: { position: 12, near: '@nowhere' } });
    await save('tag:alpha');
    await save('tag:alpha & name:alpha-1');
    await narrow.api.send('DELETE', '/v1/selectors/mine');
  });
});
