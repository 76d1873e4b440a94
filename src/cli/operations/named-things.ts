import { type Context } from '../context.js';
import { ID_LISTS } from '../errors.js';
import { CommandFailure, EXIT, UsageError } from '../exit-codes.js';
import { type Row } from '../output/cells.js';
import { deviceAddress, deviceRef, UUID, withQuery } from './request.js';

/* What a person names by its name, where the API takes an id. */

/** The list in which a name is found, where the path of the operation does not say it, by the parameter that takes an id. */
const NAMED: Readonly<Record<string, string>> = {
  operatorId: '/v1/operators',
  operator: '/v1/operators',
  keyId: '/v1/api-keys',
  rolloutId: '/v1/rollouts',
  policyId: '/v1/backups/policies',
  monitoringPolicyId: '/v1/monitoring/policies',
  ruleId: '/v1/monitoring/rules',
  rule: '/v1/monitoring/rules',
  scheduleId: '/v1/schedules',
  webhookId: '/v1/webhooks',
};

/** Parameters that take a device by `name:…`, or the backup of one. */
const REFS: ReadonlySet<string> = new Set(['device', 'a', 'b', 'backup']);

/** As many pages of a list are read for a name. */
const PAGES_MAX = 20;
const PAGE_ROWS = 1_000;

/** Ids that an error names when several things have the same name. */
const SHOWN_MAX = 5;

/**
 * What the API takes for what a person has written: an id, or a device by `name:…`.
 * @param parameter of the operation, such as `operatorId`; the value of another one stays as it is
 * @param path of the operation, if the parameter is a place in it: `/v1/self/api-keys/{keyId}` is about other keys
 * @throws CommandFailure when nothing has the name, UsageError when several things have it; ApiError, ConnectionError
 */
export async function idOf(parameter: string, written: string, context: Context, path = ''): Promise<string> {
  if (UUID.test(written)) return written;
  if (REFS.has(parameter)) return deviceRef(written);
  if (parameter === 'deviceId') return deviceIdOf(written, context);
  const named = Object.hasOwn(NAMED, parameter) ? NAMED[parameter]! : null;
  if (!named) return written;
  const place = path.indexOf(`/{${parameter}}`);
  const found = await rowsNamed(written, place < 0 ? named : path.slice(0, place), context);
  if (found.length === 1) return String(found[0]!['id']);
  if (found.length === 0) {
    const list = ID_LISTS[parameter]!;
    const noun = list.slice(0, list.indexOf(' '));
    throw new CommandFailure(EXIT.notFound, `There is no ${noun} ${written}; \`fleetgate ${list}\` shows all`);
  }
  const ids = found.slice(0, SHOWN_MAX).map(({ id }) => String(id));
  throw new UsageError(`${found.length} have the name ${written}. Give the id: ${ids.join(', ')}`);
}

/** The id of what a lock is set on: an operator, a key or a device by its name; a selector is one. */
export function lockTarget(kind: unknown, target: string, context: Context): Promise<string> {
  return idOf(`${String(kind)}Id`, target, context);
}

/**
 * The ordinal of a wave, which a person names as the plan does (`rest`), or by its number from 1.
 * @param rolloutId of its rollout
 * @throws CommandFailure with the names of the waves; ApiError, ConnectionError
 */
export async function waveOf(rolloutId: string, written: string, context: Context): Promise<string> {
  const answer = await context.send('GET', `/v1/rollouts/${encodeURIComponent(rolloutId)}`);
  const { waves } = (await answer.json()) as { waves: { ordinal: number; name: string }[] };
  // A name that is also the number of another wave means neither.
  const found = waves.filter(({ ordinal, name }) => name === written || String(ordinal + 1) === written);
  const shown = ({ ordinal, name }: { ordinal: number; name: string }) => `${ordinal + 1} (${name})`;
  if (found.length === 1) {
    if (found[0]!.name !== written) context.say(`Wave ${shown(found[0]!)}`);
    return String(found[0]!.ordinal);
  }
  const problem = found.length === 0 ? `No wave is named ${written}` : `${written} means several waves`;
  throw new CommandFailure(EXIT.notFound, `${problem}. The rollout has: ${waves.map(shown).join(', ')}`);
}

async function deviceIdOf(written: string, context: Context): Promise<string> {
  const ref = deviceRef(written);
  if (UUID.test(ref)) return ref;
  const answer = await context.send('GET', deviceAddress(written));
  return ((await answer.json()) as { id: string }).id;
}

/** Rows with this name; a key that was revoked is none. */
async function rowsNamed(name: string, list: string, context: Context): Promise<Row[]> {
  const found: Row[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const isPaged = list === NAMED['rolloutId'];
    const address = isPaged ? withQuery(list, { limit: String(PAGE_ROWS), cursor }) : list;
    const { items, next } = (await (await context.send('GET', address)).json()) as {
      items: Row[];
      next?: string | null;
    };
    found.push(...items.filter((row) => row['name'] === name && (row['revokedAt'] ?? null) === null));
    if (!next) break;
    cursor = next;
  }
  return found;
}
