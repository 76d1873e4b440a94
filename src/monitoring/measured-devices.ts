import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Principal } from '../auth/access/access.js';
import { type ListQuery } from '../devices/device-list.contract.js';
import { type DeviceList, DeviceLists, type ListedDevice } from '../devices/device-list.service.js';
import { AppError } from '../platform/errors.js';
import { type AlertCount, type MeasuredDevice } from './device-metrics.js';

/** Pages of so many devices, each read in one statement. */
const ASKED: Omit<ListQuery, 'selector'> = {
  limit: 200,
  offset: 0,
  sort: 'createdAt',
  fields: ['sample', 'certificate'],
};

/** The most devices of one scrape: its text, some 35 MB, is in memory until its end. Larger fleets are scraped in parts. */
const DEVICES_MAX = 10_000;

const BACKUPS = `
  select device_id as id, max(created_at) as at from artifact
   where kind = 'backup' and device_id = any($1::uuid[]) group by device_id`;

const ALERTS = `
  select rule.name as rule, rule.severity, count(*)::int as open
    from alert join alert_rule rule on rule.id = alert.rule_id
   where alert.state = 'open' and alert.device_id = any($1::uuid[])
   group by rule.id order by lower(rule.name)`;

export interface Shard {
  /** From 1 to `parts`. */
  readonly part: number;
  readonly parts: number;
}

/** Reads what a scrape says, within the rights of its caller. */
@Injectable()
export class MeasuredDevices {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(DeviceLists) private readonly lists: Pick<DeviceLists, 'list'>,
  ) {}

  /** @param gone the caller has left @throws AppError `invalid_selector`, `invalid_input` for too many devices */
  async *pages(
    selector: string,
    shard: Shard,
    { rights }: Principal,
    gone: AbortSignal,
  ): AsyncGenerator<readonly MeasuredDevice[]> {
    let count = 0;
    let cursor: string | undefined;
    do {
      gone.throwIfAborted();
      const page: DeviceList = await this.lists.list({ ...ASKED, selector, cursor }, rights);
      const items = page.items.filter(({ device }) => isIn(device.id, shard));
      const backups = await this.backupsOf(items.filter(({ device }) => rights.allows({ action: 'job.read', device })));
      count += items.length;
      if (count > DEVICES_MAX) throw tooMany();
      yield items.map((item) => ({ ...item, sampled: item.sampled!, backupAt: backups.get(item.device.id) ?? null }));
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
  }

  /** Open alerts of devices that the caller may see. */
  alertsOf(deviceIds: readonly string[]): Promise<AlertCount[]> {
    return this.db.query<AlertCount[]>(ALERTS, [deviceIds]);
  }

  private async backupsOf(items: readonly ListedDevice[]): Promise<ReadonlyMap<string, Date>> {
    const rows = await this.db.query<{ id: string; at: Date }[]>(BACKUPS, [items.map(({ device }) => device.id)]);
    return new Map(rows.map(({ id, at }) => [id, at]));
  }
}

/** The last digits of an id are random. */
const isIn = (id: string, { part, parts }: Shard): boolean => Number.parseInt(id.slice(-8), 16) % parts === part - 1;

const tooMany = (): AppError =>
  new AppError('invalid_input', {
    errors: [
      { pointer: '/query/shard', detail: `more than ${DEVICES_MAX} devices: scrape them in parts, as shard=1/8` },
    ],
  });
