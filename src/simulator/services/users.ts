/* Users and groups. What changes here counts from the next request on. */
import type { z } from 'zod';
import { group, PATHS, user } from '../../device-api/contract.js';
import type { SimulatedAccounts } from '../device/accounts.js';
import type { SectionChange } from '../device/configuration.js';
import type { SimulatedDevice } from '../device/device.js';
import { ok, DeviceRefusal, type SimulatedAnswer, type SimulatedRequest } from '../device/exchange.js';
import { isRecord, itemsToChange, itemsToRemove, objectIn } from '../http/request-data.js';
import { onDelete, onGet, onPost, onPut, type Route } from '../http/route.js';

/** What differs between users and groups. */
interface Noun {
  readonly path: string;
  /** In the ledger. */
  readonly key: string;
  /** In summaries: one, several, and what a change of several and of one is. */
  readonly words: readonly [one: string, all: string, changeAll: string, changeOne: string];
  readonly view: z.ZodType;
  readonly list: (accounts: SimulatedAccounts) => unknown;
  readonly find: (accounts: SimulatedAccounts, id: string) => unknown;
  readonly add: (accounts: SimulatedAccounts, data: Record<string, unknown>) => { readonly id: string };
  readonly change: (device: SimulatedDevice, request: SimulatedRequest, change: SectionChange) => unknown;
  /** `PUT` of all also takes one object: for groups (specification, Endpoints). */
  readonly takesOne: boolean;
  readonly remove: (accounts: SimulatedAccounts, id: string) => void;
  /** Why one may not be removed. */
  readonly kept: readonly number[];
}

const USERS: Noun = {
  path: PATHS.users,
  key: 'users',
  words: ['user', 'users', 'Changes several users', 'Changes password or group of one user'],
  view: user,
  list: (accounts) => accounts.users(),
  find: (accounts, id) => accounts.user(id),
  add: (accounts, data) => accounts.addUser(data),
  change: ({ accounts, sessions }, request, { id, data }) => {
    const { user: changed, passwordChanged } = accounts.changeUser(id, data, request.session!.username);
    // A password change ends all sessions (observed-devices.md 2).
    if (passwordChanged) sessions.endAll();
    return changed;
  },
  takesOne: false,
  remove: (accounts, id) => accounts.removeUser(id),
  kept: [105],
};

const GROUPS: Noun = {
  path: PATHS.groups,
  key: 'users/groups',
  words: ['group', 'groups', 'Changes what a group may do', 'Changes what one group may do'],
  view: group,
  list: (accounts) => accounts.listGroups(),
  find: (accounts, id) => accounts.group(id),
  add: (accounts, data) => accounts.addGroup(data),
  change: ({ accounts }, _request, { id, data }) => accounts.changeGroup(id, data),
  takesOne: true,
  remove: (accounts, id) => accounts.removeGroup(id),
  kept: [105, 111],
};

// oxlint-disable-next-line max-lines-per-function -- a table, one entry for each route
function routesOf({ path, key, words, view, list, find, add, change, takesOne, remove, kept }: Noun): readonly Route[] {
  const [one, all, changeAll, changeOne] = words;
  const item = `${path}/{id}`;
  const changeItem = (device: SimulatedDevice, request: SimulatedRequest, changes: SectionChange): unknown => {
    const changed = change(device, request, changes);
    device.did(request.entry, 'update', `${key}/${changes.id}`);
    return changed;
  };
  const changeItems = (device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer => {
    const { data } = (request.body ?? {}) as { data?: unknown };
    if (!takesOne || !isRecord(data)) {
      return ok(itemsToChange(request).map((changes) => changeItem(device, request, changes)));
    }
    if (typeof data['id'] !== 'string') throw new DeviceRefusal(110, { source: 'id' });
    return ok(changeItem(device, request, { id: data['id'], data }));
  };
  const removeItem = (device: SimulatedDevice, request: SimulatedRequest, id: string): object => {
    remove(device.accounts, id);
    device.did(request.entry, 'delete', `${key}/${id}`);
    return { id };
  };
  const changed = [103, 107, ...(takesOne ? [110] : []), 113, 114];
  return [
    onGet(path, `All ${all}`, ({ accounts }) => ok(list(accounts))),
    onGet(item, `One ${one}`, ({ accounts }, { params }) => ok(find(accounts, params['id']!)), {
      answer: view,
      codes: [113],
    }),
    onPost(
      path,
      `Adds a ${one}`,
      (device, request) => {
        const added = add(device.accounts, objectIn(request));
        device.did(request.entry, 'create', `${key}/${added.id}`);
        return { ...ok(added), status: device.behaviour.createdStatus };
      },
      { answer: view, codes: [103, 106, 107, 109, 110, 114], effect: 'create' },
    ),
    onPut(path, changeAll, changeItems, { codes: changed, effect: 'update' }),
    onPut(
      item,
      changeOne,
      (device, request) => ok(changeItem(device, request, { id: request.params['id']!, data: objectIn(request) })),
      { answer: view, codes: [103, 107, 113, 114], effect: 'update' },
    ),
    onDelete(
      path,
      `Removes several ${all}`,
      (device, request) => ok(itemsToRemove(request).map((id) => removeItem(device, request, id))),
      { codes: [...kept, 112, 113], effect: 'delete' },
    ),
    onDelete(item, `Removes one ${one}`, (device, request) => ok(removeItem(device, request, request.params['id']!)), {
      codes: [...kept, 113],
      effect: 'delete',
    }),
  ];
}

export const USER_ROUTES: readonly Route[] = [...routesOf(USERS), ...routesOf(GROUPS)];
