import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { type TestApi } from '../support/test-api.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson, type Person } from '../support/people.js';
import { type RolloutAnswer } from '../support/jobs/rollout-world.js';

/* A caller who sees some devices only, and the rollouts and schedules of an administrator. No process runs jobs. */

const SENTENCE = 'Wave 1 ended and none of its 2 devices succeeded: 2 failed (device_busy).';
const SECRET = 'a-secret-that-a-check-compares';
const PATH = '/api/wireguard/config';

let world: TestGateway;
let db: pg.Pool;
/** Reads everything about the gateway, and sees devices with the tag alpha only. */
let narrow: Person;
let id: string;

interface ShownRollout extends RolloutAnswer {
  readonly selector: string | null;
  readonly policy: { readonly checks: readonly { readonly match?: object }[] };
}

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 1 });
  for (const [index, tag] of ['alpha', 'beta', 'beta'].entries()) {
    const credentials = { username: 'admin', password: 'a quiet password' };
    const device = { name: `router-${index}`, baseUrl: `https://192.0.2.${index + 1}`, tags: [tag], credentials };
    await world.api.post('/v1/devices', device);
  }
  await world.api.send('PUT', '/v1/roles/alpha-alone', {
    rules: [
      { effect: 'allow', permissions: ['rollout.*', 'webhook.manage'] },
      { effect: 'allow', permissions: ['device.*', 'job.*'], selector: 'tag:alpha' },
    ],
  });
  narrow = await addPerson(world, 'Nils', [{ role: 'alpha-alone' }]);
  ({ id } = await make(world.api, 'name:router-* | tag:beta'));
  await fail(id);
});
afterAll(async () => {
  await db.end();
  await world.close();
});

const make = (api: TestApi, selector: string, policy: object = {}) =>
  api.post<ShownRollout>('/v1/rollouts', {
    name: 'test',
    kind: 'reboot',
    selector,
    policy: { held: 'wait', waves: [{ take: 'rest' }], ...policy },
  });
/** The rollout has failed on all of its devices. */
const fail = async (rolloutId: string) => {
  await db.query(
    `update rollout_target set state = 'failed', reason = 'device_busy', began_at = now() - interval '1 hour' * substr(device_name, 8)::int,
            ended_at = now() where rollout_id = $1`,
    [rolloutId],
  );
  await db.query(
    `update rollout set state = 'paused', pause_cause = 'wave_failed', pause_sentence = $2,
            acknowledged_finished = 3, acknowledged_failed = 3 where id = $1`,
    [rolloutId, SENTENCE],
  );
};
const look = (api: TestApi, rolloutId = id) => api.get<ShownRollout>(`/v1/rollouts/${rolloutId}`);

/** The first event of a stream that does not end. */
async function firstOf(url: string, key: string, wanted: string, headers: object = {}): Promise<unknown> {
  const leave = new AbortController();
  const answer = await fetch(world.url + url, {
    headers: { authorization: `Bearer ${key}`, ...headers },
    signal: leave.signal,
  });
  let text = '';
  try {
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const data = text.split('\n\n').find((event) => event.includes(`event: ${wanted}\n`) && event.includes('data: '));
      if (data && text.includes(`${data}\n\n`)) return JSON.parse(data.slice(data.indexOf('data: ') + 6));
    }
    throw new Error('The stream ended');
  } finally {
    leave.abort();
  }
}

describe('a caller who sees one of three devices of a rollout', () => {
  it('reads counts of that device alone, and all others read them all', async () => {
    expect(await look(world.api)).toMatchObject({ total: 3, counts: { failed: 3 }, pause: { sentence: SENTENCE } });
    const seen = { total: 1, counts: { failed: 1 }, selector: null };
    expect(await look(narrow.api)).toMatchObject({ ...seen, waves: [{ counts: { failed: 1 } }] });
    const { items } = await narrow.api.get<{ items: ShownRollout[] }>('/v1/rollouts');
    expect(items).toMatchObject([seen]);
  });

  it('reads why it is paused without numbers of other devices', async () => {
    const { pause } = await look(narrow.api);
    expect(pause).toEqual({
      cause: 'wave_failed',
      sentence: 'Too few devices of a wave succeeded.',
    });
  });

  it('reads a report of that device alone', async () => {
    const report = await narrow.api.get<object>(`/v1/rollouts/${id}/report`);
    expect(report).toMatchObject({
      total: 1,
      selector: null,
      causes: [{ state: 'failed', reason: 'device_busy', count: 1, devices: ['router-0'] }],
      needsPerson: [{ name: 'router-0' }],
      times: { perDevice: { max: 0 } },
    });
    const page = (await narrow.api.bytes(`/v1/rollouts/${id}/report?format=html`)).toString('utf8');
    expect(page).not.toMatch(/router-[12*]|2 failed|3 failed|[23] more/);
    expect(page).toContain('0 of 1 devices succeeded');
  });

  it('follows it live with the same numbers, and none of the gateway’s own', async () => {
    const seen = await firstOf(`/v1/rollouts/${id}/live`, narrow.key, 'rollout');
    expect(seen).toMatchObject({ total: 1, counts: { failed: 1 }, selector: null });
    expect(JSON.stringify(seen)).not.toMatch(/acknowledged|followedAt|2 devices/);
  });

  it('reads events of it without the sentence of the pause', async () => {
    const event = (key: string) =>
      firstOf('/v1/events?types=rollout.paused', key, 'rollout.paused', { 'last-event-id': '1.1' });
    expect(await event(world.keys.administrator)).toMatchObject({ data: { state: 'paused', why: SENTENCE } });
    expect(await event(narrow.key)).toMatchObject({ data: { state: 'paused', why: null } });
  });

  it('reads deliveries of a webhook of an administrator without it', async () => {
    const webhook = { name: 'chat', url: 'https://192.0.2.9/hook', types: ['rollout.*'], enabled: false };
    const { id: webhookId } = await world.api.post<{ id: string }>('/v1/webhooks', webhook);
    const { rows } = await db.query<{ id: string }>(
      `insert into webhook_delivery (webhook_id, event_tx, event_id, type, message, due_at, created_at)
       select $1, tx, id, type, jsonb_build_object('data', data), now(), now() from event where type = 'rollout.paused' returning id`,
      [webhookId],
    );
    const read = (api: TestApi) =>
      api.get<{ items: { message: { data: object } }[] }>(`/v1/webhooks/${webhookId}/deliveries`);
    expect((await read(narrow.api)).items).toMatchObject([{ message: { data: { why: null } } }]);
    expect((await read(world.api)).items).toMatchObject([{ message: { data: { why: SENTENCE } } }]);
    const again = await narrow.api.post(`/v1/webhooks/${webhookId}/deliveries/${rows[0]!.id}/replay`, {});
    expect(again).toMatchObject({ message: { data: { why: null } } });
    expect((await read(world.api)).items).toMatchObject([{ message: { data: { why: null } } }]);
  });

  it('reads its own selector, all of them when it sees every device, and the sentence then', async () => {
    const own = await make(narrow.api, 'name:router-*');
    await fail(own.id);
    expect(await look(narrow.api, own.id)).toMatchObject({ total: 1, selector: 'name:router-*' });
    expect((await look(narrow.api, own.id)).pause).toMatchObject({ sentence: SENTENCE });
    const byTag = await make(world.api, 'tag:alpha');
    expect(await look(narrow.api, byTag.id)).toMatchObject({ selector: 'tag:alpha' });
    expect(await look(world.as('viewer'), own.id)).toMatchObject({ selector: 'name:router-*' });
  });

  it('does not let it go on, whatever it is shown', async () => {
    await expect(narrow.api.post(`/v1/rollouts/${id}/retry-failed`, {})).rejects.toMatchObject({ code: 'forbidden' });
    await db.query(`update rollout_target set state = 'waiting', ended_at = null where rollout_id = $1`, [id]);
    await expect(narrow.api.post(`/v1/rollouts/${id}/resume`, {})).rejects.toMatchObject({ code: 'forbidden' });
    await fail(id);
    const author = await addPerson(world, 'Olga', [{ role: 'operator' }]);
    const foreign = await make(author.api, 'tag:alpha');
    await world.api.send('PUT', `/v1/operators/${author.operatorId}/roles`, { roles: [{ role: 'viewer' }] });
    const start = narrow.api.post(`/v1/rollouts/${foreign.id}/start`, {});
    await expect(start).rejects.toMatchObject({ code: 'author_may_not' });
  });
});

describe('a secret that a health check compares', () => {
  const checks = [{ check: 'call', path: PATH, match: { private_key: SECRET } }];

  it('is in no answer and in no entry of the audit', async () => {
    const made = await make(world.api, 'tag:alpha', { checks });
    const back = await world.api.get<object>(`/v1/rollouts/${made.id}`);
    const log = await world.api.get<object>('/v1/audit?action=rollout.create');
    expect(made.policy.checks[0]!.match).toEqual({ private_key: expect.stringMatching(/^hmac:/) });
    expect(JSON.stringify([made, back, log])).not.toContain(SECRET);
    expect(JSON.stringify(log)).toContain('hmac:');
  });

  it('is in no answer about a schedule, and in no entry of its audit', async () => {
    const template = { name: 'test', kind: 'reboot', selector: 'name:router-*', policy: { checks } };
    const input = { name: 'nightly', rhythm: { everySeconds: 86_400 }, rollout: template };
    const made = await world.api.post<{ id: string; rollout: ShownRollout }>('/v1/schedules', input);
    const again = await world.api.send('PUT', `/v1/schedules/${made.id}`, { ...input, rollout: made.rollout });
    const log = await world.api.get<object>('/v1/audit');
    expect(JSON.stringify([made, again, log])).not.toContain(SECRET);
    const { items } = await narrow.api.get<{ items: { rollout: ShownRollout }[] }>('/v1/schedules');
    expect(items).toMatchObject([{ rollout: { selector: null, policy: made.rollout.policy } }]);
  });
});
