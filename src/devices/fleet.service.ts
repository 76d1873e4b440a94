import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { stringify } from 'csv-stringify';
import { DataSource } from 'typeorm';
import { Audit } from '../audit/audit.js';
import { type Actor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { type Device } from './device.entity.js';
import { type ExportQuery, type TagsInput } from './devices.contract.js';
import { DevicesService } from './devices.service.js';
import { selectExport, type ExportedDevice } from './fleet.queries.js';
import { SavedSelectorsService } from './saved-selectors.service.js';
import { selectorSql } from './selector-sql.js';

/** Rows that one statement of an export reads. */
const EXPORT_BATCH = 1_000;

/** What an import takes comes first, in its order; what only an export knows comes after. */
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
  { key: 'firmware', header: 'firmware' },
  { key: 'state', header: 'state' },
  { key: 'seenAt', header: 'seen_at' },
];

/** A device of a set, as far as whoever calls the set must know it. */
export interface FleetMember {
  readonly id: string;
  readonly name: string;
  readonly site: string;
  readonly state: Device['state'];
  readonly hasAccount: boolean;
}

/** What is done with a set of devices at once, without calling one. */
@Injectable()
export class FleetService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(SavedSelectorsService) private readonly selectors: SavedSelectorsService,
  ) {}

  /**
   * The devices of a selector as a stream, read batch by batch as the reader takes them.
   * @throws AppError `invalid_selector`, before anything is sent
   */
  async export({ format, selector }: ExportQuery): Promise<Readable> {
    const values: unknown[] = [];
    const condition = selectorSql(await this.selectors.read(selector), values, this.clock.now());
    const rows = Readable.from(this.rows(condition, values), { highWaterMark: EXPORT_BATCH });
    if (format === 'ndjson') return rows.map((row: ExportedDevice) => `${JSON.stringify(withoutKeys(row))}\n`);
    // A cell that begins like a formula is marked as text: the file may be opened in a spreadsheet.
    const csv = stringify({ header: true, columns: EXPORT_COLUMNS, escape_formulas: true });
    rows.once('error', (error) => csv.destroy(error));
    return rows
      .map((row: ExportedDevice) => ({ ...row, tags: row.tags.join(' '), seenAt: row.seenAt?.toISOString() }))
      .pipe(csv);
  }

  /**
   * The devices of a selector, in the order of registration.
   * @throws AppError `invalid_selector`
   */
  async members(selector: string): Promise<FleetMember[]> {
    const values: unknown[] = [];
    const condition = selectorSql(await this.selectors.read(selector), values, this.clock.now());
    return this.db.query(
      `select id, name, site, state, exists (select from device_account where device_id = device.id) as "hasAccount"
         from device where ${condition} order by created_at, id`,
      values,
    );
  }

  /**
   * Adds and removes tags of all devices of a selector, in one transaction with an entry for each device that changed.
   * @returns how many devices the selector names, and how many changed or would change
   * @throws AppError `invalid_selector`
   */
  async changeTags(input: TagsInput, actor: Actor): Promise<{ dryRun: boolean; matched: number; changed: number }> {
    const values: unknown[] = [input.add, input.remove, this.clock.now()];
    const condition = selectorSql(await this.selectors.read(input.selector), values, this.clock.now());
    const newTags = `array(select distinct tag from unnest(device.tags || $1::text[]) as tag where tag <> all($2::text[]) order by tag)`;
    const [{ matched, changed }] = await this.db.query<[{ matched: number; changed: number }]>(
      `select count(*)::int as matched, count(*) filter (where device.tags <> ${newTags})::int as changed
         from device where $3::timestamptz is not null and ${condition}`,
      values,
    );
    if (input.dryRun || changed === 0) return { dryRun: input.dryRun, matched, changed };
    const ids = await this.db.transaction(async (tx) => {
      const [rows] = await tx.query<[{ id: string; before: string[]; after: string[] }[], number]>(
        `update device set tags = ${newTags}, updated_at = $3, version = version + 1
           from (select id, tags from device where ${condition} order by id for update) as old
          where device.id = old.id and device.tags <> ${newTags}
          returning device.id, old.tags as before, device.tags as after`,
        values,
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
    return { dryRun: false, matched, changed: ids.length };
  }

  private async *rows(condition: string, values: readonly unknown[]): AsyncGenerator<ExportedDevice> {
    let last: ExportedDevice | null = null;
    for (;;) {
      const batch: ExportedDevice[] = await selectExport(this.db.manager, condition, values, last, EXPORT_BATCH);
      yield* batch;
      if (batch.length < EXPORT_BATCH) return;
      last = batch.at(-1)!;
    }
  }
}

function withoutKeys({ createdAt: _createdAt, ...row }: ExportedDevice): Omit<ExportedDevice, 'createdAt'> {
  return row;
}
