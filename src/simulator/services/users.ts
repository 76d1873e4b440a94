/* Users and groups. What changes here counts from the next request on. */
import { group, PATHS, user } from '../../device-api/contract.js';
import type { SimulatedDevice } from '../device/device.js';
import { ok, Refused, type SimulatedAnswer, type SimulatedRequest } from '../device/exchange.js';
import { itemsToChange, itemsToRemove, objectIn } from '../http/request-data.js';
import type { Route } from '../http/route.js';

const created = (device: SimulatedDevice, data: unknown): SimulatedAnswer => ({
  ...ok(data),
  status: device.behaviour.createdStatus,
});

function addUser(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const added = device.accounts.addUser(objectIn(request));
  device.did(request.entry, 'create', `users/${added.id}`);
  return created(device, added);
}

function changeUsers(
  device: SimulatedDevice,
  request: SimulatedRequest,
  changes: { id: string; data: unknown }[],
): unknown[] {
  return changes.map(({ id, data }) => {
    const { user: changed, passwordChanged } = device.accounts.changeUser(
      id,
      data as Record<string, unknown>,
      request.session!.username,
    );
    device.did(request.entry, 'update', `users/${id}`);
    // A password change ends all sessions (observed behaviour 2).
    if (passwordChanged) device.sessions.endAll();
    return changed;
  });
}

function removeUsers(device: SimulatedDevice, request: SimulatedRequest, ids: string[]): void {
  for (const id of ids) {
    device.accounts.removeUser(id);
    device.did(request.entry, 'delete', `users/${id}`);
  }
}

function addGroup(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const added = device.accounts.addGroup(objectIn(request));
  device.did(request.entry, 'create', `users/groups/${added.id}`);
  return created(device, added);
}

function changeGroups(
  device: SimulatedDevice,
  request: SimulatedRequest,
  changes: { id: string; data: unknown }[],
): unknown[] {
  return changes.map(({ id, data }) => {
    const changed = device.accounts.changeGroup(id, data as Record<string, unknown>);
    device.did(request.entry, 'update', `users/groups/${id}`);
    return changed;
  });
}

/** `PUT /users/groups/config` takes one group as an object (specification, Endpoints) or several as a list. */
function changeGroupOrGroups(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const { data } = (request.body ?? {}) as { data?: unknown };
  if (Array.isArray(data) || request.body === undefined)
    return ok(changeGroups(device, request, itemsToChange(request)));
  const one = objectIn(request);
  if (typeof one['id'] !== 'string') throw new Refused(110, { source: 'id' });
  return ok(changeGroups(device, request, [{ id: one['id'], data: one }])[0]);
}

function removeGroups(device: SimulatedDevice, request: SimulatedRequest, ids: string[]): void {
  for (const id of ids) {
    device.accounts.removeGroup(id);
    device.did(request.entry, 'delete', `users/groups/${id}`);
  }
}

const USER = `${PATHS.users}/{id}`;
const GROUP = `${PATHS.groups}/{id}`;

export const USER_ROUTES: readonly Route[] = [
  { method: 'GET', path: PATHS.users, summary: 'All users', handle: (device) => ok(device.accounts.users()) },
  {
    method: 'GET',
    path: USER,
    summary: 'One user',
    answer: user,
    codes: [113],
    handle: (device, { params }) => ok(device.accounts.user(params['id']!)),
  },
  {
    method: 'POST',
    path: PATHS.users,
    summary: 'Adds a user',
    answer: user,
    codes: [103, 106, 107, 109, 110, 114],
    effect: 'create',
    handle: addUser,
  },
  {
    method: 'PUT',
    path: PATHS.users,
    summary: 'Changes several users',
    codes: [103, 107, 113, 114],
    effect: 'update',
    handle: (device, request) => ok(changeUsers(device, request, itemsToChange(request))),
  },
  {
    method: 'PUT',
    path: USER,
    summary: 'Changes password or group of one user',
    answer: user,
    codes: [103, 107, 113, 114],
    effect: 'update',
    handle: (device, request) =>
      ok(changeUsers(device, request, [{ id: request.params['id']!, data: objectIn(request) }])[0]),
  },
  {
    method: 'DELETE',
    path: PATHS.users,
    summary: 'Removes several users',
    codes: [105, 112, 113],
    effect: 'delete',
    handle: (device, request) => {
      const ids = itemsToRemove(request);
      removeUsers(device, request, ids);
      return ok(ids.map((id) => ({ id })));
    },
  },
  {
    method: 'DELETE',
    path: USER,
    summary: 'Removes one user',
    codes: [105, 113],
    effect: 'delete',
    handle: (device, request) => {
      removeUsers(device, request, [request.params['id']!]);
      return ok({ id: request.params['id'] });
    },
  },
  { method: 'GET', path: PATHS.groups, summary: 'All groups', handle: (device) => ok(device.accounts.listGroups()) },
  {
    method: 'GET',
    path: GROUP,
    summary: 'One group',
    answer: group,
    codes: [113],
    handle: (device, { params }) => ok(device.accounts.group(params['id']!)),
  },
  {
    method: 'POST',
    path: PATHS.groups,
    summary: 'Adds a group',
    answer: group,
    codes: [103, 106, 107, 109, 110, 114],
    effect: 'create',
    handle: addGroup,
  },
  {
    method: 'PUT',
    path: PATHS.groups,
    summary: 'Changes what a group may do',
    codes: [103, 107, 110, 113, 114],
    effect: 'update',
    handle: changeGroupOrGroups,
  },
  {
    method: 'PUT',
    path: GROUP,
    summary: 'Changes what one group may do',
    answer: group,
    codes: [103, 107, 113, 114],
    effect: 'update',
    handle: (device, request) =>
      ok(changeGroups(device, request, [{ id: request.params['id']!, data: objectIn(request) }])[0]),
  },
  {
    method: 'DELETE',
    path: PATHS.groups,
    summary: 'Removes several groups',
    codes: [105, 111, 112, 113],
    effect: 'delete',
    handle: (device, request) => {
      const ids = itemsToRemove(request);
      removeGroups(device, request, ids);
      return ok(ids.map((id) => ({ id })));
    },
  },
  {
    method: 'DELETE',
    path: GROUP,
    summary: 'Removes one group',
    codes: [105, 111, 113],
    effect: 'delete',
    handle: (device, request) => {
      removeGroups(device, request, [request.params['id']!]);
      return ok({ id: request.params['id'] });
    },
  },
];
