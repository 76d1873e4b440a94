import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { type Principal } from '../auth/access/access.js';
import { type Rights } from '../auth/rights/rights.js';
import { passwordDemand } from '../device-api/password-demand.js';
import { isAuthor, seesAllDevices, shownSelector, type Reader } from '../auth/access/shown-selector.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { newestRows } from '../http/newest-first.js';
import { cutPage, decodeCursor } from '../http/page.js';
import { Redactor } from '../secrets/redactor.js';
import { Secrets } from '../secrets/secrets.js';
import { type FanOutInput, type FanOutOutcome, noCounts } from './fan-outs.contract.js';
import { isHidden } from './retry-rules.js';
import * as contract from './stored-fan-out.contract.js';

/*
 * Reads stored fan-outs, as far as the reader's present rights go. A reader gets the outcome of a device when they see it
 * and may read these paths of its API, or may send it these writes. Devices out of sight are not mentioned, as in all
 * other answers; those in sight whose answers are not for this reader are counted.
 */

interface StoredAct {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly writes: boolean;
}

/** The sealed request, and what was known of its devices: id, base URL, serial number. */
interface StoredRequest {
  readonly input: FanOutInput;
  readonly devices: readonly (readonly [string, string, string | null])[];
}

interface StoredRow extends Pick<
  contract.StoredFanOutView,
  'id' | 'state' | 'writes' | 'devices' | 'stopped' | 'retryOf' | 'startedBy' | 'startedAt' | 'endedAt'
> {
  readonly selector: string;
  readonly acts: readonly StoredAct[];
  readonly counts: Partial<Record<FanOutOutcome, number>>;
  readonly operatorId: string;
  readonly createdBy: string;
}

const COLUMNS = `fan_out.id, fan_out.state, selector, acts, writes, cardinality(device_ids) as devices, counts, stopped,
  retry_of as "retryOf", operator_id as "operatorId", created_by as "createdBy", created_by_name as "startedBy",
  fan_out.created_at as "startedAt", ended_at as "endedAt"`;

/** The devices of a reader, as SQL conditions on `device`. */
interface Sight {
  readonly seen: string;
  readonly readable: string;
}

@Injectable()
export class StoredFanOutReads {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Secrets) private readonly secrets: Pick<Secrets, 'open'>,
    @Inject(Redactor) private readonly redactor: Pick<Redactor, 'query'>,
  ) {}

  /** Newest first: those that the reader started, and those with a device that the reader may call. */
  async list({ state, ...query }: contract.StoredFanOutsQuery, reader: Reader) {
    const values: unknown[] = [state ?? null];
    const { condition, seesAll } = this.found(reader, values);
    const sql = `select ${COLUMNS} from fan_out where ($1::text is null or state = $1) and ${condition}`;
    const time = ['created_at', (row: StoredRow) => row.startedAt] as const;
    const page = await newestRows<StoredRow>(this.db.manager, 'fan-outs', query, { sql, values, time });
    const items = page.items.map((row) => ({
      ...headOf(row, reader),
      devices: seesAll ? row.devices : null,
      counts: seesAll ? { ...noCounts(), ...row.counts } : null,
    }));
    return { items, next: page.next };
  }

  /** @throws AppError `fan_out_not_found`, also when the reader neither started it nor sees one of its devices */
  async get(id: string, reader: Principal): Promise<contract.StoredFanOutView> {
    const values: unknown[] = [id];
    const { row, seen, readable } = await this.open(id, reader, values);
    const [{ devices, forbidden }] = await this.db.query<[{ devices: number; forbidden: number }]>(
      `select count(*) filter (where ${readable})::int as devices, count(*) filter (where not ${readable})::int as forbidden
         from fan_out, unnest(device_ids) as member (id) join device on device.id = member.id
        where fan_out.id = $1 and ${seen}`,
      values,
    );
    const limit = values.push(contract.GROUPS_MAX);
    const [{ counts: known, groups, all }] = await this.db.query<
      [{ counts: StoredRow['counts']; groups: contract.StoredFanOutView['groups']; all: number }]
    >(
      `with grouped as materialized (
         select outcome, reason, status, digest, max(bytes) as bytes, count(*)::int as devices, min(device.id::text)::uuid as sample
           from fan_out_device join device on device.id = device_id
          where fan_out_id = $1 and ${seen} and ${readable} group by outcome, reason, status, digest
       ), largest as (select * from grouped order by devices desc, outcome, digest, reason limit $${limit})
       select (select count(*)::int from grouped) as all,
              (select jsonb_object_agg(outcome, sum) from (select outcome, sum(devices) from grouped group by 1) as each) as counts,
              (select coalesce(jsonb_agg(jsonb_build_object('outcome', outcome, 'reason', reason, 'status', status, 'digest', digest,
                 'bytes', bytes, 'devices', devices, 'sample', jsonb_build_object('id', sample, 'name', device.name))
                 order by devices desc, outcome, digest, reason), '[]') from largest join device on device.id = sample) as groups`,
      values,
    );
    const counts = { ...noCounts(), ...known };
    const ended = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const waiting = Math.max(devices - ended, 0);
    return { ...headOf(row, reader), devices, forbidden, counts, waiting, groups, moreGroups: all - groups.length };
  }

  /** In the order of their ids. @throws AppError `fan_out_not_found`, `invalid_cursor` */
  async devices(id: string, query: contract.FanOutDevicesQuery, reader: Principal) {
    const list = `fan-outs/${id}/devices`;
    const values: unknown[] = [id, query.outcome ?? null, query.reason ?? null, query.digest ?? null];
    const { seen, readable } = await this.open(id, reader, values);
    const after = query.cursor ? decodeCursor(list, query.cursor, z.tuple([z.uuid()]))[0] : null;
    const afterParam = `$${values.push(after)}::uuid`;
    const rows = await this.db.query<contract.FanOutDevice[]>(
      `select device_id as "deviceId", device.name, outcome, reason, status, digest, bytes, device_codes as "deviceCodes",
              case when reason = 'device_' || device.state then device.state_reason end as why, ms
         from fan_out_device join device on device.id = device_id
        where fan_out_id = $1 and ($2::text is null or outcome = $2) and ($3::text is null or reason = $3)
          and ($4::text is null or digest = $4) and (${afterParam} is null or device_id > ${afterParam}) and ${seen} and ${readable}
        order by device_id limit $${values.push(query.limit + 1)}`,
      values,
    );
    // A device that was not called for its state has the reason that it has now.
    const devices = rows.map((row) => ({ ...row, why: passwordDemand(row.status ?? 0, row.deviceCodes) ?? row.why }));
    return cutPage(list, devices, query.limit, ({ deviceId }) => [deviceId]);
  }

  /** All devices of the reader with their outcomes, those without one too. @throws AppError `fan_out_not_found` */
  async grid(id: string, reader: Principal): Promise<{ cells: contract.FanOutCell[]; more: boolean }> {
    const values: unknown[] = [id];
    const { seen, readable } = await this.open(id, reader, values);
    const rows = await this.db.query<contract.FanOutCell[]>(
      `select device.id as "deviceId", device.name, device.site, ended.outcome
         from fan_out cross join unnest(device_ids) as member (id)
         join device on device.id = member.id
         left join fan_out_device as ended on ended.fan_out_id = fan_out.id and ended.device_id = device.id
        where fan_out.id = $1 and ${seen} and ${readable}
        order by device.site, device.name, device.id limit $${values.push(contract.CELLS_MAX + 1)}`,
      values,
    );
    return { cells: rows.slice(0, contract.CELLS_MAX), more: rows.length > contract.CELLS_MAX };
  }

  /** @throws AppError `fan_out_not_found`; `fan_out_answer_not_found`, also when no device in sight gave it */
  async answer(id: string, digest: string, reader: Principal) {
    const values: unknown[] = [id, digest];
    const { seen, readable } = await this.open(id, reader, values);
    const [{ devices, bytes }] = await this.db.query<[{ devices: number; bytes: number | null }]>(
      `select count(*)::int as devices, max(bytes) as bytes from fan_out_device join device on device.id = device_id
        where fan_out_id = $1 and digest = $2 and ${seen} and ${readable}`,
      values,
    );
    if (devices === 0) throw new AppError('fan_out_answer_not_found');
    const [row] = await this.db.query<{ id: string; sealed: Buffer }[]>(
      'select id, sealed_body as sealed from fan_out_answer where fan_out_id = $1 and digest = $2',
      [id, digest],
    );
    const location = { table: 'fan_out_answer', column: 'sealed_body', rowId: row?.id ?? '' };
    const body: unknown = row ? JSON.parse(this.secrets.open(row.sealed, location)) : null;
    return { digest, bytes: bytes ?? 0, devices, stored: row !== undefined, body };
  }

  /**
   * What a retry sends, and to which devices.
   * @throws AppError `fan_out_not_found`, `fan_out_running`, `fan_out_unknown_write`, `fan_out_complete`; `forbidden` when
   *   the request holds a body or secrets, and the reader neither wrote it nor may read the secrets of these devices
   */
  async forRetry(id: string, { outcomes, repeatUnknown }: contract.FanOutRetryInput, reader: Principal) {
    const values: unknown[] = [id, outcomes];
    const { row, seen, readable } = await this.open(id, reader, values);
    if (row.state === 'running') throw new AppError('fan_out_running');
    const isCareful = row.writes && !repeatUnknown;
    if (isCareful && outcomes.includes('unknown')) throw new AppError('fan_out_unknown_write');
    // A write that failed without an answer of the device may have been executed.
    const certain = isCareful ? `(outcome <> 'failed' or status is not null)` : 'true';
    const now = this.clock.now();
    const secrets = row.acts.map(({ path }) => reader.rights.sql('device.read_secrets', values, now, path));
    const rows = await this.db.query<{ deviceId: string; seesSecrets: boolean }[]>(
      `select device_id as "deviceId", ${secrets.join(' and ')} as "seesSecrets"
         from fan_out_device join device on device.id = device_id
        where fan_out_id = $1 and outcome = any($2::text[]) and ${certain} and ${seen} and ${readable}
        order by device.created_at, device.id`,
      values,
    );
    if (rows.length === 0) throw new AppError('fan_out_complete');
    const stored = await this.request(id);
    // The selector may name other devices by now, so its digest is of no use; the devices are named.
    const input = { ...stored.input, expectedDigest: undefined, stream: false, keep: true };
    const isReadable = isAuthor(row, reader) || rows.every(({ seesSecrets }) => seesSecrets);
    if (!isReadable && isHidden(input, (query, path) => this.redactor.query(query, path))) {
      throw new AppError('forbidden', { permission: 'device.read_secrets' });
    }
    const known = new Map(stored.devices.map(([deviceId, baseUrl, serial]) => [deviceId, { baseUrl, serial }]));
    return { input, deviceIds: rows.map(({ deviceId }) => deviceId), known };
  }

  private async request(id: string): Promise<StoredRequest> {
    const [{ sealed }] = await this.db.query<[{ sealed: Buffer }]>(
      'select sealed_request as sealed from fan_out where id = $1',
      [id],
    );
    const location = { table: 'fan_out', column: 'sealed_request', rowId: id };
    return JSON.parse(this.secrets.open(sealed, location)) as StoredRequest;
  }

  /** Whether the operator started it. @throws AppError `fan_out_not_found` */
  async isOwn(id: string, reader: Principal): Promise<boolean> {
    return (await this.row(id, reader)).operatorId === reader.operatorId;
  }

  /** The row, and which of its devices are for the reader. @param values gets those of the conditions */
  private async open(id: string, reader: Principal, values: unknown[]): Promise<Sight & { readonly row: StoredRow }> {
    const row = await this.row(id, reader);
    return { row, ...this.sight(reader.rights, row.acts, values) };
  }

  private async row(id: string, reader: Principal): Promise<StoredRow> {
    const values: unknown[] = [id];
    const { condition } = this.found(reader, values);
    const sql = `select ${COLUMNS} from fan_out where id = $1 and ${condition}`;
    const [row] = await this.db.query<StoredRow[]>(sql, values);
    if (!row) throw new AppError('fan_out_not_found');
    return row;
  }

  /** SQL for the fan-outs that a reader finds, and whether the reader may read the outcomes of all devices. */
  private found(reader: Reader, values: unknown[]): { condition: string; seesAll: boolean } {
    const { seen, readable } = this.sight(reader.rights, null, values);
    if (seen === 'true' && readable === 'true') return { condition: 'true', seesAll: true };
    const condition = `(operator_id = $${values.push(reader.operatorId)}::uuid
      or exists (select from unnest(device_ids) as member (id)
                  where member.id in (select device.id from device where ${seen} and ${readable})))`;
    return { condition, seesAll: false };
  }

  /** @param acts the calls; null: any call */
  private sight(rights: Rights, acts: readonly StoredAct[] | null, values: unknown[]): Sight {
    const now = this.clock.now();
    const calls = acts ? [...new Map(acts.map((act) => [`${act.path} ${act.writes}`, act])).values()] : [ANY_READ];
    const conditions = calls.flatMap(({ path, writes }) => {
      const scopes = [rights.scope('device.call_read', path), writes ? rights.scope('device.call_write', path) : NONE];
      if (scopes.includes(null)) return [];
      return [`(${scopes.flatMap((scope) => scope?.(values, now) ?? []).join(' or ')})`];
    });
    return {
      seen: rights.sql('device.read', values, now),
      readable: conditions.length === 0 ? 'true' : `(${conditions.join(' and ')})`,
    };
  }
}

const ANY_READ = { path: undefined, writes: false };
const NONE = () => 'false';

const headOf = ({ acts, ...row }: StoredRow, reader: Reader) => ({
  ...row,
  selector: shownSelector(row.selector, row, reader),
  requests: acts.map(({ method, path, query }) => ({ method, path: query === '' ? path : `${path}?${query}` })),
  // The numbers in it are of all devices.
  stopped: seesAllDevices(reader)
    ? row.stopped
    : (row.stopped?.replace(/^\d+ (?:of \d+ )?devices/, 'too many devices') ?? null),
});
