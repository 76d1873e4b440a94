import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Rights } from '../../auth/rights/rights.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { SavedSelectorsService } from '../../devices/saved-selectors.service.js';
import { newestRows } from '../../http/newest-first.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { selectorSql } from '../../selectors/selector-sql.js';
import { ObservedBodies } from './observed-bodies.js';
import * as contract from './observed.contract.js';
import { LAST_READ } from './observed-store.js';
import { differencesOf } from './sections.js';

/*
 * What watches have read, for a reader: of each path only the devices on which the reader may call it and see what watches read. A
 * body is shown when one of these devices has or had it, so a digest from elsewhere tells nothing.
 */

/** The rights that a reader needs at a path of a device. */
const NEEDED = ['observed.read', 'device.call_read'] as const;

interface GroupsRow {
  readonly devices: number;
  readonly seen: number;
  readonly all: number;
  readonly groups: readonly (contract.GroupsView['groups'][number] & { readonly oldestReadAt: string })[];
}

/** A condition on table `device`: where the reader may see what was read at a path. */
export const seenAtSql = (path: string, rights: Rights, values: unknown[], now: Date): string =>
  NEEDED.map((action) => rights.sql(action, values, now, path)).join(' and ');

const AT = ['at', (row: contract.ObservedChange) => row.at] as const;

/** @param condition on `change` and `device` */
const changesWhere = (condition: string): string => `
  select * from (
    select change.id, device.id as "deviceId", device.name as "deviceName", change.path, change.since, change.at, change.options,
           change.from_digest as "from", change.to_digest as "to", change.audit_entry_id as "auditEntryId"
      from observed_change change join device on device.id = change.device_id
     where ${condition}) changed
   where true`;

@Injectable()
export class ObservedViews {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ObservedBodies) private readonly bodies: ObservedBodies,
    @Inject(SavedSelectorsService) private readonly selectors: Pick<SavedSelectorsService, 'read'>,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** A condition on table `device`: where the reader may see a path. @throws AppError `invalid_selector` */
  async sight(rights: Rights, path: string, selector: string, values: unknown[]): Promise<string> {
    const now = this.clock.now();
    const tree = await this.selectors.read(selector, rights);
    const chosen = [selectorSql(tree, values, now, rights), rights.sql('device.read', values, now)];
    return [...chosen, seenAtSql(path, rights, values, now)].join(' and ');
  }

  /** @throws AppError `invalid_selector` */
  async groups({ path, selector }: contract.GroupsQuery, rights: Rights): Promise<contract.GroupsView> {
    const values: unknown[] = [path];
    const seen = await this.sight(rights, path, selector, values);
    const [{ devices, all, ...row }] = await this.db.query<[GroupsRow]>(
      `with seen as materialized (select device.id, device.name from device where ${seen}
       ), current as materialized (
         select seen.id, seen.name, observed.error, case when observed.error is null then observed.digest end as digest,
                ${LAST_READ} as read_at
           from observed join seen on seen.id = observed.device_id where observed.path = $1
       ), grouped as materialized (
         select digest, error, count(*)::int as devices, min(read_at) as read_at,
                (array_agg(jsonb_build_object('id', id, 'name', name) order by name, id))[1] as sample
           from current group by digest, error
       ), largest as (select * from grouped order by devices desc, digest, error limit ${contract.GROUPS_MAX})
       select (select count(*)::int from seen) as seen, (select count(*)::int from current) as devices,
              (select count(*)::int from grouped) as all,
              (select coalesce(jsonb_agg(jsonb_build_object('digest', largest.digest, 'error', error, 'devices', devices,
                        'bytes', body.bytes, 'oldestReadAt', read_at, 'sample', sample) order by devices desc, largest.digest, error), '[]')
                 from largest left join observed_body body on body.digest = largest.digest) as groups`,
      values,
    );
    const groups = row.groups.map((group) => ({ ...group, oldestReadAt: new Date(group.oldestReadAt) }));
    return { path, devices, unread: row.seen - devices, groups, moreGroups: all - groups.length };
  }

  /** @throws AppError `observed_body_not_found`, also when no device in sight has or had one of the bodies */
  async comparison({ path, one, other }: contract.ComparisonQuery, rights: Rights) {
    const bodies = await this.bodiesInSight(path, [one, other], rights);
    return { path, one, other, differences: differencesOf(bodies.get(one), bodies.get(other)) };
  }

  /** What a device has at the paths that the reader may see. @param path only there, with the body */
  async ofDevice(device: Readonly<Device>, path: string | undefined, rights: Rights) {
    const rows = await this.db.query<
      { path: string; digest: string | null; error: string | null; readAt: Date; changedAt: Date | null }[]
    >(
      `select path, digest, error, ${LAST_READ} as "readAt", changed_at as "changedAt" from observed
        where device_id = $1 and ($2::text is null or path = $2) order by path`,
      [device.id, path ?? null],
    );
    const shown = rows.filter((row) => isShown(rights, device, row.path));
    if (path === undefined) return { items: shown };
    const bodies = await this.bodies.read(shown.flatMap(({ digest }) => digest ?? []));
    return { items: shown.map((row) => ({ ...row, body: row.digest === null ? undefined : bodies.get(row.digest) })) };
  }

  /** Newest first. @throws AppError `invalid_cursor` */
  async changesOf(device: Readonly<Device>, { path, ...page }: contract.ChangesQuery, rights: Rights) {
    const known = await this.db.query<{ path: string }[]>(
      'select distinct path from observed_change where device_id = $1 and ($2::text is null or path = $2)',
      [device.id, path ?? null],
    );
    const shown = known.filter((row) => isShown(rights, device, row.path)).map((row) => row.path);
    const sql = changesWhere('change.device_id = $1 and change.path = any ($2::text[])');
    return newestRows(this.db.manager, `observed/${device.id}`, page, { sql, values: [device.id, shown], time: AT });
  }

  /** Of all devices in sight, newest first. @throws AppError `invalid_selector`, `invalid_cursor` */
  async changes({ path, selector, since, ...page }: contract.FleetChangesQuery, rights: Rights) {
    const now = this.clock.now();
    const values: unknown[] = [since ?? null];
    const tree = await this.selectors.read(selector, rights);
    const chosen = [selectorSql(tree, values, now, rights), rights.sql('device.read', values, now)].join(' and ');
    const paths = path === undefined ? await this.paths() : [path];
    const seen = paths.map((one) => `(change.path = $${values.push(one)} and ${seenAtSql(one, rights, values, now)})`);
    const sql = changesWhere(
      `($1::timestamptz is null or change.at >= $1) and ${chosen} and (${seen.join(' or ') || 'false'})`,
    );
    return newestRows(this.db.manager, 'observed/changes', page, { sql, values, time: AT });
  }

  /** All paths that were read of a device, each found by one step in the index. */
  private async paths(): Promise<readonly string[]> {
    const rows = await this.db.query<{ path: string }[]>(
      `with recursive known (path) as (
         select min(path) from observed
         union all select (select min(path) from observed where path > known.path) from known where known.path is not null
       ) select path from known where path is not null`,
    );
    return rows.map(({ path }) => path);
  }

  private async bodiesInSight(path: string, digests: readonly string[], rights: Rights) {
    const values: unknown[] = [path, digests];
    const seen = await this.sight(rights, path, 'all', values);
    const rows = await this.db.query<{ digest: string }[]>(
      `select digest from unnest($2::text[]) as asked (digest)
        where exists (select from observed join device on device.id = observed.device_id
                       where observed.path = $1 and observed.digest = asked.digest and ${seen})
           or exists (select from observed_change change join device on device.id = change.device_id
                       where change.path = $1 and asked.digest in (change.from_digest, change.to_digest) and ${seen})`,
      values,
    );
    if (rows.length < new Set(digests).size) throw new AppError('observed_body_not_found');
    return this.bodies.read(digests);
  }
}

const isShown = (rights: Rights, device: Readonly<Device>, path: string): boolean =>
  NEEDED.every((action) => rights.allows({ action, device, path }));
