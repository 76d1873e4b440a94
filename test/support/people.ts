import { TestApi } from './test-api.js';
import { type TestGateway } from './gateway.js';

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
