import { type Rights, type ScopedDevice } from '../auth/rights/rights.js';
import { type Permission } from '../auth/rights/permissions.js';

/* Which events a reader wants and may see. */

/** The position of a reader: after this event. */
export interface EventPosition {
  readonly tx: string;
  readonly id: string;
}

export interface EventLine extends EventPosition {
  readonly at: Date;
  readonly type: string;
  readonly subject: string;
  readonly deviceId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventFilter {
  /** `job.ended`, or `job.*` for all types of a noun; empty: all. */
  readonly types: readonly string[];
  readonly rights: Rights;
  /** The reader, who sees own requests for approval. */
  readonly operatorId: string | null;
}

/** The permission that is needed to see events of a noun. */
export const PERMISSIONS: Readonly<Record<string, Permission>> = {
  device: 'device.read',
  alert: 'device.read',
  observed: 'observed.read',
  job: 'job.read',
  rollout: 'rollout.read',
  schedule: 'rollout.read',
  backup: 'backup.read',
  webhook: 'webhook.manage',
  lock: 'lock.read',
  approval: 'approval.read',
  fanout: 'device.call_read',
  discovery: 'discovery.read',
  artifact: 'artifact.read',
  audit: 'audit.verify',
  system: 'system.read',
};

/**
 * An event as a caller may read it: the reason of a paused rollout has numbers of all its devices, and what changed is named for
 * the paths that the caller may read on the device.
 * @param devices by id, those of the events that `isJudgedByPath` names
 */
export function shownTo(
  { rights }: Pick<EventFilter, 'rights'>,
  devices: ReadonlyMap<string, ScopedDevice>,
): (event: EventLine) => EventLine {
  const seesAll = rights.scope('device.read') === null;
  const readsAll = readsAllPaths(rights);
  return (event) => {
    const { type, data } = event;
    if (!seesAll && type.startsWith('rollout.') && 'why' in data) return { ...event, data: { ...data, why: null } };
    if (readsAll || !isJudgedByPath(event)) return event;
    const device = devices.get(event.deviceId ?? '');
    const changes = (data['changes'] as { path: string }[]).filter(
      ({ path }) => device && OBSERVING.every((action) => rights.allows({ action, device, path })),
    );
    return { ...event, data: { ...data, changes } };
  };
}

/** Whether a part of the event depends on the paths that the reader may read on its device. */
export const isJudgedByPath = ({ type }: Pick<EventLine, 'type'>): boolean => type === 'observed.changed';

const OBSERVING = ['observed.read', 'device.call_read'] as const;

export const readsAllPaths = (rights: Rights): boolean => OBSERVING.every((action) => rights.everywhere(action));

/**
 * Nouns whose events are seen like the rows of their lists, by the devices of the row (`EventLog.condition`). With each,
 * the permissions that narrow its list.
 */
const SEEN_AS_ROWS: Readonly<Record<string, readonly Permission[]>> = {
  lock: ['device.read'],
  approval: ['device.read'],
  fanout: ['device.read', 'device.call_read'],
};

export const isSeenAsRow = (noun: string): boolean => Object.hasOwn(SEEN_AS_ROWS, noun);

/** The permissions that narrow the events of a noun for a reader; empty: all of them are seen. */
export function narrowedBy(noun: string, { rights }: Pick<EventFilter, 'rights'>): readonly Permission[] {
  return (SEEN_AS_ROWS[noun] ?? []).filter((permission) => rights.scope(permission) !== null);
}
