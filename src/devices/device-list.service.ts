import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { type Rights } from '../auth/rights/rights.js';
import { Clock } from '../platform/clock.js';
import { cutPage, decodeCursor, type Page } from '../http/page.js';
import { shownCertificatesOf, type ShownCertificateView } from './device-certificates.js';
import { SAMPLED_FIELDS, sampledOf, type Sampled } from './device-samples.js';
import { type ListQuery, type SummaryQuery, type SummaryView } from './device-list.contract.js';
import { availabilitySql, type AvailabilityRow } from './registry/device-availability.js';
import { orderOf, type DeviceOrder } from './registry/device-order.js';
import { summarySql, type SummaryRow } from './registry/device-summary.js';
import { claimsOn, type ClaimedFacts } from './registry/identity-reason.js';
import { selectRegisteredWith, type DeviceWithAccounts } from './registry/device.queries.js';
import { SavedSelectorsService } from './saved-selectors.service.js';
import { selectorSql } from '../selectors/selector-sql.js';

/** An estimate counts up to this number; larger lists get the number that the planner of Postgres expects. */
const COUNTED_MAX = 10_000;

type Filter = Partial<Pick<ListQuery, 'selector' | 'tag' | 'site' | 'state' | 'q'>>;

export type ListedDevice = DeviceWithAccounts & {
  readonly claimed?: ClaimedFacts | undefined;
  readonly sampled?: Sampled | undefined;
  readonly certificate?: ShownCertificateView | null | undefined;
};

export interface DeviceList extends Page<ListedDevice> {
  readonly count?: { readonly devices: number; readonly exact: boolean };
}

/** Lists of devices, within the rights of the caller. */
@Injectable()
export class DeviceLists {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(SavedSelectorsService) private readonly selectors: SavedSelectorsService,
  ) {}

  /** A page in the order of the query. @throws AppError `invalid_selector`, `invalid_cursor` */
  async list(query: ListQuery, rights: Rights): Promise<DeviceList> {
    const values: unknown[] = [];
    const condition = await this.condition(query, rights, values);
    const order = orderOf(query.sort);
    const after = query.cursor === undefined ? null : decodeCursor(order.list, query.cursor, keyOf(order));
    const count = query.count && (await this.count(query.count, condition, [...values], rights));
    const param = (value: unknown) => `$${values.push(value)}`;
    const next = after === null ? 'true' : order.afterSql(param(after[0]), param(after[1]));
    const rows = await selectRegisteredWith(
      this.db,
      order.textSql,
      `where ${condition} and ${next} order by ${order.orderSql} limit ${param(query.limit + 1)} offset ${param(query.offset)}`,
      values,
    );
    const page = cutPage(order.list, rows, query.limit, ({ text, registered }) => [text, registered.device.id]);
    const devices = page.items.map(({ registered }) => registered.device);
    const claims = await claimsOn(this.db, devices);
    const isSampled = query.fields?.some((field) => (SAMPLED_FIELDS as readonly string[]).includes(field));
    const samples = isSampled ? await sampledOf(this.db, devices, rights, this.clock.now()) : null;
    const certificates = query.fields?.includes('certificate') ? await shownCertificatesOf(this.db, devices) : null;
    return {
      items: page.items.map(({ registered }) => ({
        ...registered,
        claimed: claims.get(registered.device.id),
        sampled: samples?.get(registered.device.id),
        certificate: certificates && (certificates.get(registered.device.id) ?? null),
      })),
      next: page.next,
      ...(count === undefined ? {} : { count }),
    };
  }

  /** Counts by each field, in one statement. @throws AppError `invalid_selector` */
  async summary({ by, ...filter }: SummaryQuery, rights: Rights): Promise<SummaryView> {
    const values: unknown[] = [];
    const condition = await this.condition(filter, rights, values);
    const rows = await this.db.query<SummaryRow[]>(summarySql(condition, by), values);
    const groups = by.map((field) => {
      const those = rows.filter((row) => row.by === field);
      const others = (those[0]?.values ?? 0) - those.length;
      return { by: field, values: those.map(({ value, devices }) => ({ value, devices })), others };
    });
    return { devices: rows.find((row) => row.by === null)?.devices ?? 0, groups };
  }

  /** How many devices were online in the last hours. */
  async availability(hours: number, rights: Rights): Promise<AvailabilityRow[]> {
    const values: unknown[] = [];
    const condition = await this.condition({}, rights, values);
    const param = (value: unknown) => `$${values.push(value)}`;
    return this.db.query<AvailabilityRow[]>(availabilitySql(condition, param(this.clock.now()), param(hours)), values);
  }

  /** The devices of a query in sight of the caller. */
  private async condition(query: Filter, rights: Rights, values: unknown[]): Promise<string> {
    const param = (value: unknown) => `$${values.push(value)}`;
    const now = this.clock.now();
    const conditions = [rights.sql('device.read', values, now)];
    if (query.selector)
      conditions.push(selectorSql(await this.selectors.read(query.selector, rights), values, now, rights));
    if (query.tag) conditions.push(`device.tags @> array[${param(query.tag)}]::text[]`);
    if (query.state) conditions.push(`device.state = ${param(query.state)}`);
    // `starts_with` instead of `like`, so that no character of a site is a wildcard.
    if (query.site?.endsWith('/*')) conditions.push(`starts_with(device.site, ${param(query.site.slice(0, -1))})`);
    else if (query.site !== undefined) conditions.push(`device.site = ${param(query.site)}`);
    for (const word of query.q ?? []) {
      const lower = `lower(${param(word)})`;
      conditions.push(`(strpos(device.search_text, ${lower}) > 0 or strpos(device.base_url, ${lower}) > 0)`);
    }
    return `(${conditions.join(' and ')})`;
  }

  /** A planner's number is about the whole fleet: a caller who sees a part of it gets the exact one. */
  private async count(
    how: NonNullable<ListQuery['count']>,
    condition: string,
    values: unknown[],
    rights: Rights,
  ): Promise<NonNullable<DeviceList['count']>> {
    const mayEstimate = how === 'estimate' && rights.scope('device.read') === null;
    const most = mayEstimate ? `limit ${COUNTED_MAX + 1}` : '';
    const [counted] = await this.db.query<[{ devices: number }]>(
      `select count(*)::int as devices from (select from device where ${condition} ${most}) as those`,
      values,
    );
    if (!mayEstimate || counted.devices <= COUNTED_MAX) return { ...counted, exact: true };
    const [plan] = await this.db.query<[{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }]>(
      `explain (format json) select from device where ${condition}`,
      values,
    );
    return { devices: Math.max(plan['QUERY PLAN'][0].Plan['Plan Rows'], counted.devices), exact: false };
  }
}

/** The form of a cursor's key, so that a made-up one never reaches the database. */
const keyOf = ({ type }: DeviceOrder) => z.tuple([type === 'text' ? z.string() : z.iso.datetime(), z.uuid()]);
