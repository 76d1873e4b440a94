import { ApiClient } from '../../src/api-client/api-client.js';
import { type TestGateway } from './gateway.js';

/** Somebody with a key. */
export interface Person {
  readonly operatorId: string;
  readonly keyId: string;
  readonly key: string;
  readonly api: ApiClient;
}

interface RoleOf {
  readonly role: string;
  readonly selector?: string;
}

/** Adds an operator with these roles and a key, narrowed by `scope`. */
export async function addPerson(
  world: TestGateway,
  name: string,
  roles: readonly RoleOf[],
  scope: Record<string, unknown> = { stepUp: true },
): Promise<Person> {
  const { id: operatorId } = await world.api.post<{ id: string }>('/v1/operators', { name, role: 'viewer' });
  await world.api.send('PUT', `/v1/operators/${operatorId}/roles`, { roles });
  return addKey(world, operatorId, scope);
}

/** Another key for somebody. */
export async function addKey(world: TestGateway, operatorId: string, scope: Record<string, unknown>): Promise<Person> {
  const wish = { operatorId, name: 'test', scope };
  const { id, key } = await world.api.post<{ id: string; key: string }>('/v1/api-keys', wish);
  return { operatorId, keyId: id, key, api: new ApiClient({ url: world.url, key }) };
}
