import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunningAnswers } from '../../src/auth/access/running-answers.js';
import { AheadClock } from '../proxy/proxy-world.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addKey, addPerson, sessionOf, type Person } from '../support/people.js';

/* Long answers end with the key or the session that they were asked for with, and with the rights that they were begun in. */

const clock = new AheadClock();

let world: TestGateway;
let person: Person;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' }, clock);
  person = await addPerson(world, 'Rosa', [{ role: 'auditor' }]);
});
afterAll(() => world.close());

/** Follows a stream from its first line on. */
async function follow(path: string, headers: Record<string, string>) {
  const answer = await fetch(world.url + path, { headers });
  expect(answer.status).toBe(200);
  const reader = answer.body!.getReader();
  await reader.read();
  const ended = (async () => {
    for (;;) {
      const { done } = await reader.read().catch(() => ({ done: true }));
      if (done) return 'ended';
    }
  })();
  return { ended, stop: () => reader.cancel() };
}
const answers = () => world.gateway.app.get(RunningAnswers);
const withKey = (key: string) => ({ authorization: `Bearer ${key}` });

describe('a stream', () => {
  it.each(['/v1/events', '/v1/audit/stream'])(
    'ends when the key that reads %s is revoked, and no other',
    async (path) => {
      const revoked = await addKey(world, person.operatorId, {});
      const theirs = await follow(path, withKey(revoked.key));
      const others = await follow(path, withKey(person.key));
      await world.api.send('DELETE', `/v1/api-keys/${revoked.keyId}`);
      await expect(theirs.ended).resolves.toBe('ended');
      const first = await Promise.race([others.ended, new Promise((resolve) => setImmediate(resolve, 'goes on'))]);
      expect(first).toBe('goes on');
      await others.stop();
    },
  );

  it('ends when the key has run out', async () => {
    const expiresAt = new Date(clock.nowMs() + 3_600_000).toISOString();
    const wish = { operatorId: person.operatorId, name: 'short', expiresAt };
    const { key } = await world.api.post<{ key: string }>('/v1/api-keys', wish);
    const theirs = await follow('/v1/events', withKey(key));
    let isOver = false;
    void theirs.ended.then(() => (isOver = true));
    await answers().sweep();
    await answers().sweep();
    expect(isOver).toBe(false);
    clock.pass(3_600_000);
    await expect(theirs.ended).resolves.toBe('ended');
  });

  it.each(['/v1/events', '/v1/audit/stream'])(
    'of %s ends when a role of its reader is narrowed, and goes on when another one or a wider one is saved',
    async (path) => {
      const save = (name: string, selector: string | null, permissions = ['device.*', 'job.*', 'audit.*']) =>
        world.api.send('PUT', `/v1/roles/${name}`, { rules: [{ effect: 'allow', permissions, selector }] });
      const name = path.includes('audit') ? 'watchers' : 'lookers';
      await save(name, 'site:north');
      await save('others', null);
      const reader = await addPerson(world, `reader of ${path}`, [{ role: name }]);
      const theirs = await follow(path, withKey(reader.key));
      let isOver = false;
      void theirs.ended.then(() => (isOver = true));
      await save('others', 'site:south');
      await save(name, null); // wider: nothing that was shown is hidden now
      await answers().sweep();
      await answers().sweep();
      expect(isOver).toBe(false);
      await save(name, 'site:north');
      await expect(theirs.ended).resolves.toBe('ended');
      const again = await follow(path, withKey(reader.key)); // in the rights that are left
      await again.stop();
    },
  );

  it('of a reader with a rule that denies goes on while nothing of it changes', async () => {
    await world.api.send('PUT', '/v1/roles/denied', {
      rules: [
        { effect: 'allow', permissions: ['device.*'] },
        { effect: 'deny', permissions: ['device.*'], selector: 'tag:vault' },
      ],
    });
    const reader = await addPerson(world, 'Dora', [{ role: 'denied' }]);
    const theirs = await follow('/v1/events', withKey(reader.key));
    let isOver = false;
    void theirs.ended.then(() => (isOver = true));
    await world.api.send('PUT', '/v1/roles/unrelated', { rules: [{ effect: 'allow', permissions: ['job.read'] }] });
    await answers().sweep();
    await answers().sweep();
    expect(isOver).toBe(false);
    await theirs.stop();
  });

  it('ends with its session, and with all of somebody who is disabled', async () => {
    const leaver = await addPerson(world, 'Lola', [{ role: 'auditor' }]);
    const browser = await sessionOf(world, { id: leaver.operatorId, name: leaver.name });
    const ofSession = await follow('/v1/events', { cookie: `fleetgate-loopback=${browser.token}` });
    await browser.post('/v1/logout');
    await expect(ofSession.ended).resolves.toBe('ended');

    const ofKey = await follow('/v1/events', withKey(leaver.key));
    await world.api.send('PATCH', `/v1/operators/${leaver.operatorId}`, { disabled: true });
    await expect(ofKey.ended).resolves.toBe('ended');
  });
});
