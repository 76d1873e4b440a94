import { pipeline, Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { stringify } from 'csv-stringify';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Principal } from '../../auth/access/access.js';
import { Locks } from '../../auth/access/locks.service.js';
import { CallerScans } from '../../auth/limits/caller-scans.js';
import { LEAVES, type RequiredRight, type Rights } from '../../auth/rights/rights.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { type Device } from '../registry/device.entity.js';
import { type ExportQuery, type TagsInput, type TagsView } from '../devices.contract.js';
import { DevicesService } from '../registry/devices.service.js';
import { expectedSerial } from '../registry/identity-reason.js';
import { markFormula } from './fleet-lines.js';
import { selectExport, type ExportedDevice } from './fleet.queries.js';
import { SavedSelectorsService } from '../saved-selectors.service.js';
import { requireSelection, selectionDigest } from '../../selectors/selection.js';
import { selectorSql } from '../../selectors/selector-sql.js';

const EXPORT_BATCH = 1_000;

/** Columns that an import takes, and those that only an export has. */
const EXPORT_COLUMNS = [
  { key: 'name', header: 'name' },
  { key: 'baseUrl', header: 'base_url' },
  { key: 'username', header: 'username' },
  { key: 'serial', header: 'serial' },
  { key: 'mac', header: 'mac' },
  { key: 'model', header: 'model' },
  { key: 'site', header: 'site' },
  { key: 'tags', header: 'tags' },
  { key: 'pin', header: 'pin' },
  { key: 'sessions', header: 'sessions' },
  { key: 'timeZone', header: 'time_zone' },
  { key: 'firmware', header: 'firmware' },
  { key: 'state', header: 'state' },
  { key: 'seenAt', header: 'seen_at' },
  { key: 'note', header: 'note' }, // from here on, older exports have nothing
  { key: 'fields', header: 'fields' },
  { key: 'spareUrl', header: 'spare_url' },
];

/** A device of a set, with the fields for calls to the set. */
export interface FleetMember extends Readonly<
  Pick<Device, 'id' | 'name' | 'site' | 'baseUrl' | 'spareUrl' | 'state' | 'stateReason'>
> {
  /** By which it is recognised, also while another device has the same one. */
  readonly serial: string | null;
  readonly hasAccount: boolean;
  readonly isAllowed: boolean;
  readonly seesSecrets: boolean;
}

/** Operations on a set of devices that call no device. */
@Injectable()
export class FleetService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Locks) private readonly locks: Pick<Locks, 'devicesSql'>,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(CallerScans) private readonly scans: Pick<CallerScans, 'page'>,
    @Inject(SavedSelectorsService) private readonly selectors: SavedSelectorsService,
  ) {}

  /**
   * A stream at the reader's speed.
   * @param gone when the reader has left
   * @throws AppError `invalid_selector`, before anything is sent
   */
  async export({ format, selector }: ExportQuery, reader: Principal, gone: AbortSignal): Promise<Readable> {
    const rows = await this.exported(selector, reader, gone);
    if (format === 'ndjson') return rows.map((row: ExportedDevice) => `${JSON.stringify(withoutKeys(row))}\n`);
    // Quotes preserve spaces around a user name, and a line end in it.
    const csv = stringify({ header: true, columns: EXPORT_COLUMNS, quoted_match: /^\s|\s$|\r/ });
    return pipeline(rows.map(csvRow), csv, () => undefined); // an error in either is one of the answer
  }

  /** The devices of a selector that the reader may see, as a stream of `ExportedDevice`. @throws AppError `invalid_selector` */
  async exported(selector: string, reader: Principal, gone: AbortSignal): Promise<Readable> {
    const { condition, values } = await this.visible(selector, reader.rights);
    return Readable.from(this.rows(condition, values, reader, gone), { highWaterMark: EXPORT_BATCH });
  }

  /**
   * In the order of registration, without devices out of sight.
   * @param needs the rights to the intended actions, all of which must be allowed on a device
   * @param expectedDigest of the devices that the caller has seen, if any
   * @throws AppError `invalid_selector`, `selection_changed`
   */
  async members(
    selector: string,
    rights: Rights,
    needs: readonly RequiredRight[],
    expectedDigest?: string,
  ): Promise<FleetMember[]> {
    return this.membersWhere(await this.visible(selector, rights), rights, needs, expectedDigest);
  }

  /** As `members`, of devices by their ids. */
  async membersOf(ids: readonly string[], rights: Rights, needs: readonly RequiredRight[]): Promise<FleetMember[]> {
    const values: unknown[] = [ids];
    const seen = rights.sql('device.read', values, this.clock.now());
    return this.membersWhere({ condition: `id = any($1::uuid[]) and ${seen}`, values }, rights, needs);
  }

  private async membersWhere(
    { condition, values }: { readonly condition: string; readonly values: unknown[] },
    rights: Rights,
    needs: readonly RequiredRight[],
    expectedDigest?: string,
  ): Promise<FleetMember[]> {
    const allowed = this.allowing(rights, needs, values);
    const secrets = needs.map(({ path }) => ({ action: 'device.read_secrets' as const, path }));
    const seesSecrets = this.allowing(rights, secrets, values);
    const rows = await this.db.query<Pick<FleetMember, 'id' | 'isAllowed' | 'seesSecrets'>[]>(
      `select id, ${allowed} as "isAllowed", ${seesSecrets} as "seesSecrets"
         from device where ${condition} order by created_at, id`,
      values,
    );
    requireSelection(rows, expectedDigest);
    // The caller will need the rest of each device, which is mostly cached.
    const targets = await this.devices.getMany(rows.map(({ id }) => id));
    return rows.flatMap(({ id, isAllowed, seesSecrets }) => {
      const target = targets.get(id);
      if (!target) return []; // removed since the query
      const { device, account, readAccount } = target;
      const hasAccount = account !== null || readAccount !== null;
      const { name, site, baseUrl, spareUrl, state, stateReason } = device;
      const may = { hasAccount, isAllowed, seesSecrets };
      return [{ id, name, site, baseUrl, spareUrl, serial: expectedSerial(device), state, stateReason, ...may }];
    });
  }

  /**
   * Adds and removes tags of all devices of a selector, in one transaction with an entry for each changed device.
   * Locked devices stay as they are.
   * @returns how many of the devices that the actor can see match, how many of them change, how many the actor may not
   *   change, and how many others are locked
   * @throws AppError `invalid_selector`; `selection_changed`; `forbidden` when a change would move a device outside the actor's rights
   */
  async changeTags(input: TagsInput, actor: Principal): Promise<TagsView> {
    const { condition: named, values } = await this.visible(input.selector, actor.rights, [
      input.add,
      input.remove,
      this.clock.now(),
    ]);
    const allowed = this.allowing(actor.rights, [{ action: 'device.manage' }], values);
    const locked = this.locks.devicesSql(values);
    const mayChange = `(${allowed} and not ${locked})`;
    const newTags = `array(select distinct tag from unnest(device.tags || $1::text[]) as tag where tag <> all($2::text[]) order by tag)`;
    const [counts] = await this.db.query<[Omit<TagsView, 'dryRun'>]>(
      `select count(*)::int as matched,
              count(*) filter (where ${mayChange} and device.tags <> ${newTags})::int as changed,
              count(*) filter (where not ${allowed})::int as forbidden,
              count(*) filter (where ${allowed} and ${locked})::int as locked
         from device where $3::timestamptz is not null and ${named}`,
      values,
    );
    if (input.dryRun || counts.changed === 0) return { dryRun: input.dryRun, ...counts };
    const ids = await this.db.transaction(async (tx) => {
      const taken = await this.lockSelection(tx, { named, mayChange, values }, input.expectedDigest);
      const [rows] = await tx.query<[{ id: string; before: string[]; after: string[] }[], number]>(
        `update device set tags = ${newTags}, updated_at = $3, version = version + 1
           from (select id, tags from device where id = any($4::uuid[])) as old
          where device.id = old.id and device.tags <> ${newTags}
          returning device.id, old.tags as before, device.tags as after`,
        [...values.slice(0, 3), taken],
      );
      await this.requireWithin(
        tx,
        rows.map(({ id }) => id),
        actor.rights,
      );
      await this.audit.recordAll(
        tx,
        rows.map(({ id, before, after }) => ({
          actor,
          action: 'device.change' as const,
          subject: `device:${id}`,
          deviceId: id,
          facts: { before: { tags: before }, after: { tags: after } },
        })),
      );
      return rows.map(({ id }) => id);
    });
    for (const deviceId of ids) this.devices.changed(deviceId);
    return { dryRun: false, ...counts, changed: ids.length };
  }

  /**
   * Locks the devices of a selection that the actor may change. A device that another transaction takes out of the
   * selection before its lock counts as a change of the selection, too.
   * @throws AppError `selection_changed`
   */
  private async lockSelection(
    tx: EntityManager,
    { named, mayChange, values }: { named: string; mayChange: string; values: unknown[] },
    expectedDigest: string | undefined,
  ): Promise<string[]> {
    const used = '$1::text[] is not null and $2::text[] is not null and $3::timestamptz is not null';
    const found = await tx.query<{ id: string; isTheirs: boolean }[]>(
      `select id, ${mayChange} as "isTheirs" from device where ${used} and ${named}`,
      values,
    );
    requireSelection(found, expectedDigest);
    const ids = found.filter(({ isTheirs }) => isTheirs).map(({ id }) => id);
    const locked = await tx.query<{ id: string }[]>(
      `select id from device
        where ${used} and ${named} and ${mayChange} and id = any($${values.length + 1}::uuid[]) order by id for update`,
      [...values, ids],
    );
    if (expectedDigest !== undefined && locked.length < ids.length) {
      throw new AppError('selection_changed', { matched: locked.length, digest: selectionDigest(locked) });
    }
    return locked.map(({ id }) => id);
  }

  /** As a condition; null when that is all devices. @throws AppError `invalid_selector` */
  async audited(selector: string | undefined, rights: Rights, values: unknown[]): Promise<string | null> {
    const now = this.clock.now();
    const named =
      selector === undefined ? [] : [selectorSql(await this.selectors.read(selector, rights), values, now, rights)];
    const conditions = [...named, ...[rights.scope('audit.read')?.(values, now) ?? []].flat()];
    return conditions.length === 0 ? null : `(${conditions.join(' and ')})`;
  }

  /** The devices of a selector that the caller can see, as a condition. */
  async visible(selector: string, rights: Rights, values: unknown[] = []) {
    const now = this.clock.now();
    const named = selectorSql(await this.selectors.read(selector, rights), values, now, rights);
    const seen = rights.scope('device.read')?.(values, now);
    return { condition: seen === undefined ? named : `(${named} and ${seen})`, values };
  }

  private allowing(rights: Rights, needs: readonly RequiredRight[], values: unknown[]): string {
    const now = this.clock.now();
    const conditions = needs.flatMap(({ action, path }) => rights.scope(action, path)?.(values, now) ?? []);
    return conditions.length === 0 ? 'true' : `(${conditions.join(' and ')})`;
  }

  /** @throws AppError `forbidden` when the actor could not change one of these devices in its new state */
  private async requireWithin(tx: EntityManager, ids: readonly string[], rights: Rights): Promise<void> {
    const values: unknown[] = [ids];
    const condition = this.allowing(rights, [{ action: 'device.manage' }], values);
    if (condition === 'true') return;
    const outside = await tx.query<unknown[]>(
      `select from device where id = any($1::uuid[]) and not ${condition} limit 1`,
      values,
    );
    if (outside.length > 0) throw new AppError('forbidden', { permission: 'device.manage', reason: LEAVES });
  }

  private async *rows(
    condition: string,
    values: readonly unknown[],
    reader: Principal,
    gone: AbortSignal,
  ): AsyncGenerator<ExportedDevice> {
    let last: ExportedDevice | null = null;
    for (;;) {
      const after = last;
      const read = () => selectExport(this.db.manager, condition, values, after, EXPORT_BATCH);
      const batch: ExportedDevice[] = await this.scans.page(reader, read, gone);
      yield* batch;
      if (batch.length < EXPORT_BATCH) return;
      last = batch.at(-1)!;
    }
  }
}

function csvRow(row: ExportedDevice): Record<string, unknown> {
  const fields = Object.keys(row.fields).length === 0 ? '' : JSON.stringify(row.fields);
  const cells = { ...row, tags: row.tags.join(' '), fields, seenAt: row.seenAt?.toISOString() };
  return Object.fromEntries(
    Object.entries(cells).map(([name, cell]) => [name, typeof cell === 'string' ? markFormula(cell) : cell]),
  );
}

function withoutKeys({ createdAt: _createdAt, ...row }: ExportedDevice): Omit<ExportedDevice, 'createdAt'> {
  return row;
}
