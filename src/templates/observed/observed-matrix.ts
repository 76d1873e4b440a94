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
    const { items, next } = cutPage(list, devices, limit, ({ name, id }) => [name, id]);
    return { items: await this.rowsOf(items, asked.options), next };
  }

  /** All devices, as lines. With `options` a column for each; without them a line for each option. @param gone the reader has left */
  stream(asked: contract.MatrixQuery, reader: Principal, gone: AbortSignal): Readable {
    const rows = Readable.from(this.rows(asked, reader, gone), { highWaterMark: BATCH });
    if (asked.format === 'ndjson') return rows.map((row: contract.MatrixRow) => `${JSON.stringify(row)}\n`);
    const { options } = asked;
    const columns = ['device', 'device_id', 'site', 'section', ...(options ?? ['option', 'value'])];
    const csv = stringify({ header: true, columns, record_delimiter: '\r\n', quoted_match: /^\s|\s$|\r/ });
    const lines = rows.flatMap((row: contract.MatrixRow) => csvRows(row, options));
    return pipeline(lines, csv, () => undefined); // an error in either is one of the answer
  }

  private async *rows(asked: Asked, reader: Principal, gone: AbortSignal): AsyncGenerator<contract.MatrixRow> {
    let after: [string, string] | null = null;
    for (;;) {
      const read: () => Promise<DeviceRow[]> = () => this.devices(asked, reader.rights, after, BATCH);
      const devices: DeviceRow[] = await this.scans.page(reader, read, gone);
      yield* await this.rowsOf(devices, asked.options);
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

  private async rowsOf(
    devices: readonly DeviceRow[],
    options: readonly string[] | null,
  ): Promise<contract.MatrixRow[]> {
    const bodies = await this.bodies.read(devices.map(({ digest }) => digest));
    const sections = new Map([...bodies].map(([digest, body]) => [digest, sectionsOf(body)]));
    return devices.flatMap(({ id, name, site, digest, readAt, changedAt }) =>
      (sections.get(digest) ?? []).map((section) => ({
        deviceId: id,
        device: name,
        site,
        section: section.key,
        options: chosen(section.options, options),
        readAt,
        changedAt,
      })),
    );
  }
}

function chosen(
  all: Readonly<Record<string, unknown>>,
  names: readonly string[] | null,
): contract.MatrixRow['options'] {
  const entries = Object.entries(all).filter(([name]) => names === null || names.includes(name));
  return Object.fromEntries(entries);
}

function csvRows(row: contract.MatrixRow, options: readonly string[] | null): Record<string, unknown>[] {
  const { device, site, section } = row;
  const head = { device, device_id: row.deviceId, site, section };
  const values = Object.entries(row.options).map(([option, value]) => ({ option, value: cellOf(value) }));
  if (options === null) return values.map((value) => ({ ...head, ...value }));
  return [{ ...Object.fromEntries(values.map(({ option, value }) => [option, value])), ...head }];
}

const cellOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
