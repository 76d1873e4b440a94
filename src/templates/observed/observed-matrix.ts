import { pipeline, Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { stringify } from 'csv-stringify';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { type Principal } from '../../auth/access/access.js';
import { CallerScans } from '../../auth/limits/caller-scans.js';
import { type Rights } from '../../auth/rights/rights.js';
import { cutPage, decodeCursor } from '../../http/page.js';
import { ObservedBodies } from './observed-bodies.js';
import * as contract from './observed.contract.js';
import { LAST_READ } from './observed-store.js';
import { ObservedViews } from './observed-views.js';
import { sectionsOf } from './sections.js';

/*
 * A row for each section of each device at one path: which account exists where, in which group. A page has a number of devices,
 * since the sections of one are known only when its body is open.
 */

const BATCH = contract.MATRIX_DEVICES_MAX;

/** A page ends after so many rows, with the last complete device. */
const ROWS_MAX = 20_000;

interface DeviceRow {
  readonly id: string;
  readonly name: string;
  readonly site: string;
  readonly digest: string;
  readonly readAt: Date;
  readonly changedAt: Date | null;
}

type Asked = Pick<contract.MatrixQuery, 'path' | 'selector' | 'options'>;

@Injectable()
export class ObservedMatrix {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ObservedViews) private readonly views: Pick<ObservedViews, 'sight'>,
    @Inject(ObservedBodies) private readonly bodies: Pick<ObservedBodies, 'read'>,
    @Inject(CallerScans) private readonly scans: Pick<CallerScans, 'page'>,
  ) {}

  /** In the order of the names of the devices. @throws AppError `invalid_selector`, `invalid_cursor` */
  async page({ cursor, ...asked }: contract.MatrixQuery, rights: Rights) {
    const limit = Math.min(asked.limit, BATCH);
    const list = `observed/${asked.path}`;
    const after = cursor ? decodeCursor(list, cursor, z.tuple([z.string(), z.uuid()])) : null;
    const devices = await this.devices(asked, rights, after, limit + 1);
    const rows: contract.MatrixRow[] = [];
    let shown = 0;
    for await (const more of this.byDevice(devices.slice(0, limit), asked.options)) {
      if (shown > 0 && rows.length + more.length > ROWS_MAX) break;
      rows.push(...more);
      shown++;
    }
    return { items: rows, next: cutPage(list, devices, shown, ({ name, id }) => [name, id]).next };
  }

  /** All devices, as lines. With `options` a column for each; without them a line for each option. @param gone the reader has left */
  stream(asked: contract.MatrixQuery, reader: Principal, gone: AbortSignal): Readable {
    const rows = Readable.from(this.rows(asked, reader, gone), { highWaterMark: BATCH });
    if (asked.format === 'ndjson') return rows.map((row: contract.MatrixRow) => `${JSON.stringify(row)}\n`);
    const { options } = asked;
    // A cell that begins like a formula is marked as text: the file may be opened in a spreadsheet.
    const csv = stringify({ escape_formulas: true, record_delimiter: '\r\n', quoted_match: /^\s|\s$|\r/ });
    csv.write(['device', 'device_id', 'site', 'section', ...(options ?? ['option', 'value'])]);
    const lines = rows.flatMap((row: contract.MatrixRow) => csvRows(row, options));
    return pipeline(lines, csv, () => undefined); // an error in either is one of the answer
  }

  private async *rows(asked: Asked, reader: Principal, gone: AbortSignal): AsyncGenerator<contract.MatrixRow> {
    let after: [string, string] | null = null;
    for (;;) {
      const read: () => Promise<DeviceRow[]> = () => this.devices(asked, reader.rights, after, BATCH);
      const devices: DeviceRow[] = await this.scans.page(reader, read, gone);
      for await (const more of this.byDevice(devices, asked.options)) yield* more;
      if (devices.length < BATCH) return;
      const last: DeviceRow = devices.at(-1)!;
      after = [last.name, last.id];
    }
  }

  private async devices(
    { path, selector }: Asked,
    rights: Rights,
    after: readonly [string, string] | null,
    limit: number,
  ): Promise<DeviceRow[]> {
    const values: unknown[] = [path, after?.[0] ?? null, after?.[1] ?? null, limit];
    const seen = await this.views.sight(rights, path, selector, values);
    return this.db.query<DeviceRow[]>(
      `select page.id, page.name, page.site, observed.digest, ${LAST_READ} as "readAt", observed.changed_at as "changedAt"
         from (select device.id, device.name, device.site from observed join device on device.id = observed.device_id
                where observed.path = $1 and observed.error is null and ${seen}
                  and ($2::text is null or (device.name, device.id) > ($2, $3::uuid))
                order by device.name, device.id limit $4) page
         join observed on observed.device_id = page.id and observed.path = $1
        order by page.name, page.id`,
      values,
    );
  }

  /** The rows of one device after the other: one body may have thousands of sections. */
  private async *byDevice(
    devices: readonly DeviceRow[],
    options: readonly string[] | null,
  ): AsyncGenerator<contract.MatrixRow[]> {
    const bodies = await this.bodies.read(devices.map(({ digest }) => digest));
    for (const { id, name, site, digest, readAt, changedAt } of devices) {
      yield (bodies.has(digest) ? sectionsOf(bodies.get(digest)) : []).map((section) => ({
        deviceId: id,
        device: name,
        site,
        section: section.key,
        options: chosen(section.options, options),
        readAt,
        changedAt,
      }));
    }
  }
}

function chosen(
  all: Readonly<Record<string, unknown>>,
  names: readonly string[] | null,
): contract.MatrixRow['options'] {
  const entries = Object.entries(all).filter(([name]) => names === null || names.includes(name));
  return Object.fromEntries(entries);
}

function csvRows(row: contract.MatrixRow, names: readonly string[] | null): string[][] {
  const { device, deviceId, site, section, options } = row;
  const head = [device, deviceId, site, section];
  if (names === null) return Object.entries(options).map(([name, value]) => [...head, name, cellOf(value)]);
  return [[...head, ...names.map((name) => (Object.hasOwn(options, name) ? cellOf(options[name]) : ''))]];
}

const cellOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
