import { hash } from '@node-rs/argon2';
import { DataSource } from 'typeorm';
import { OperatorSessions } from '../../src/auth/people/operator-sessions.service.js';
import { Browser } from './browser.js';
import { TestApi } from './test-api.js';
import { type TestGateway } from './gateway.js';

/** Of everyone whom `addWithPassword` adds. */
export const PASSWORD = 'a lighthouse at noon';

/** The product reads a hash of any parameters. One of its own takes 20 to 80 ms of processor time at each check. */
let cheapHash: Promise<string> | null = null;

/** A key of somebody. */
export interface PersonsKey {
  readonly operatorId: string;
  readonly keyId: string;
  readonly key: string;
  readonly api: TestApi;
}

/** Somebody with a key. */
export interface Person extends PersonsKey {
  readonly name: string;
}

interface RoleOf {
  readonly role: string;
  readonly selector?: string;
}

/** The names that this process has given, and how often: a test that is tried again names its people again. */
const given = new Map<string, number>();

function ownName(name: string): string {
  const times = (given.get(name) ?? 0) + 1;
  given.set(name, times);
  return times === 1 ? name : `${name} ${times}`;
}

/** Adds an operator with these roles and a key, narrowed by `scope`. A name that was given before gets a number. */
export async function addPerson(
  world: TestGateway,
  wantedName: string,
  roles: readonly RoleOf[],
  scope: Record<string, unknown> = { stepUp: true },
): Promise<Person> {
  const name = ownName(wantedName);
  const { id: operatorId } = await world.api.post<{ id: string }>('/v1/operators', { name, role: 'viewer' });
  await world.api.send('PUT', `/v1/operators/${operatorId}/roles`, { roles });
  return { name, ...(await addKey(world, operatorId, scope)) };
}

/** Another key for somebody. */
export async function addKey(
  world: TestGateway,
  operatorId: string,
  scope: Record<string, unknown>,
): Promise<PersonsKey> {
  const wish = { operatorId, name: 'test', scope };
  const { id, key } = await world.api.post<{ id: string; key: string }>('/v1/api-keys', wish);
  return { operatorId, keyId: id, key, api: new TestApi({ url: world.url, key }) };
}

/** Adds an operator who can log in with `PASSWORD`: the row that an accepted invitation leaves, with a cheap hash. */
export async function addWithPassword(
  world: TestGateway,
  wantedName: string,
  role = 'viewer',
): Promise<{ id: string; name: string }> {
  const name = ownName(wantedName);
  const { id } = await world.api.post<{ id: string }>('/v1/operators', { name, role });
  cheapHash ??= hash(PASSWORD, { memoryCost: 8, timeCost: 1 });
  await world.gateway.app
    .get(DataSource)
    .query('insert into operator_password (operator_id, hash, changed_at) values ($1, $2, now())', [
      id,
      await cheapHash,
    ]);
  return { id, name };
}

/** A browser with a session of an operator: begun as a login begins it, without its password check. */
export async function sessionOf(
  world: TestGateway,
  operator: { readonly id: string; readonly name: string },
): Promise<Browser> {
  const { app } = world.gateway;
  const by = { way: 'password', secondFactorAt: null } as const;
  const source = { requestId: null, address: '127.0.0.1', userAgent: 'node' };
  const { token } = await app
    .get(DataSource)
    .transaction((tx) => app.get(OperatorSessions).beginIn(tx, operator, by, source));
  return new Browser(world.url).keep('fleetgate-loopback', token);
}
