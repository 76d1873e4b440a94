import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Principal } from '../../auth/access/access.js';
import { SetupService } from '../../auth/keys/setup.service.js';
import { type Rights } from '../../auth/rights/rights.js';
import { SavedSelectorsService } from '../../devices/saved-selectors.service.js';
import { EXCHANGE_BYTES, priceOf, SHARED_SESSION_MAX_S, totalOf } from '../../monitoring/policy-price.js';
import { authoredDevicesSql } from '../../monitoring/samples/authored-devices.js';
import { noMeasure, readLimitedSelector } from '../../monitoring/samples/limited-selector.js';
import { systemActor } from '../../platform/actor.js';
import { AppError } from '../../platform/errors.js';
import { checkPath } from '../../proxy/connections/call-request.js';
import { AuthoredService, type RowAuthor } from '../../recurring/authored.service.js';
import { type AuthoredRow } from '../../recurring/recurring.js';
import { selectorSql } from '../../selectors/selector-sql.js';
import { seenAtSql } from '../observed/observed-views.js';
import { SHIPPED_WATCHES } from './shipped-watches.js';
import { Watch } from './watch.entity.js';
import { type WatchInput, type WatchPrice } from './watches.contract.js';

/** The part of a bulk request and of its answer around the body of a path. */
const ITEM_BYTES = 90;

/** The body of a path that no device of the model has shown. */
const BODY_BYTES = 800;

type Priced = Pick<Watch, 'selector' | 'paths' | 'everySeconds'>;

/** Devices of one model, as far as a price differs between them. */
interface PricedModel {
  readonly model: string | null;
  readonly isSampled: boolean;
  readonly devices: number;
  /** Bytes of the bodies of the paths, in their order. */
  readonly bodies: readonly (number | null)[];
}

export interface WatchCounts {
  readonly devices: number;
  readonly unreadDevices: number;
  readonly slowedDevices: number;
  readonly changedDevices: number;
  readonly lastReadAt: Date | null;
  readonly nextReadAt: Date | null;
}

/** Watches, as operators see and change them. What a removed one has read stays. */
@Injectable()
export class Watches extends AuthoredService<Watch, WatchInput> {
  constructor(
    @Inject(SavedSelectorsService) readonly selectors: Pick<SavedSelectorsService, 'read'>,
    @Inject(SetupService) setup: Pick<SetupService, 'onFinish'>,
  ) {
    super('watch', Watch);
    setup.onFinish(async (tx, author) => {
      for (const watch of SHIPPED_WATCHES) await this.write(tx, watch, null, author);
    });
  }

  /** @throws AppError `watch_not_found` */
  async named(name: string): Promise<Watch> {
    const watch = await this.db.manager.findOneBy(Watch, { name });
    if (!watch) throw new AppError('watch_not_found');
    return watch;
  }

  /** @throws AppError `invalid_selector`, `path_refused`, `rights_not_held` */
  protected async requireAuthor({ selector, paths }: WatchInput, actor: Principal): Promise<void> {
    await this.rights.requireUnnarrowed(actor);
    await readLimitedSelector(this.selectors, selector, actor.rights, noMeasure);
    for (const path of paths) checkPath(path);
  }

  protected async fieldsOf(
    input: WatchInput,
    _row: Pick<AuthoredRow, 'id' | 'createdAt'>,
    found: Watch | null,
    _author: RowAuthor,
    tx: EntityManager,
  ) {
    // With other paths the last pass says nothing of the new ones.
    if (found && found.paths.join() !== input.paths.join()) await beginAgain(tx, found.id, this.clock.now());
    return { ...input, lastError: null };
  }

  protected factsOf({ selector, paths, everySeconds, enabled }: Watch) {
    return { selector, paths, everySeconds, enabled };
  }

  protected override async afterChange(tx: EntityManager, change: string, { id, everySeconds }: Watch): Promise<void> {
    if (change === 'remove') return beginAgain(tx, id, this.clock.now());
    await tx.query(
      `update watched_device set interval_seconds = $2::int, due_at = least(due_at, $3::timestamptz + $2 * interval '1 second')
        where watch_id = $1`,
      [id, everySeconds, this.clock.now()],
    );
  }

  /** Disables a watch that took its processes down: a person must look at it. */
  async quarantine(id: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      const watch = await tx.findOneBy(Watch, { id });
      if (!watch?.enabled) return;
      await tx.query(
        `update watch set enabled = false, last_error = 'quarantined', version = version + 1 where id = $1`,
        [id],
      );
      await this.record(tx, 'watch.quarantine', watch, systemActor('watches'));
    });
  }

  /**
   * Makes devices of a watch due now, also those of a disabled one.
   * @returns how many, of those that the actor may read
   * @throws AppError `author_gone`, `invalid_selector`
   */
  async ask(watch: Watch, selector: string, actor: Principal): Promise<number> {
    const now = this.clock.now();
    const values: unknown[] = [watch.id, now, watch.everySeconds];
    const conditions = [await authoredDevicesSql(this, watch, values, now)];
    conditions.push(selectorSql(await this.selectors.read(selector, actor.rights), values, now, actor.rights));
    for (const action of ['device.read', 'device.call_read'] as const)
      conditions.push(actor.rights.sql(action, values, now));
    return this.db.transaction(async (tx) => {
      const rows = await tx.query<unknown[]>(
        `insert into watched_device (watch_id, device_id, interval_seconds, due_at, asked_at)
         select $1, device.id, $3, $2, $2 from device where ${conditions.join(' and ')} order by device.id
         on conflict (watch_id, device_id) do update set due_at = excluded.due_at, asked_at = excluded.asked_at returning 1`,
        values,
      );
      await this.record(tx, 'watch.run', watch, actor, { selector, devices: rows.length });
      return rows.length;
    });
  }

  /** What a watch costs on the devices that these rights may read. @throws AppError `invalid_selector` */
  async price(watch: Priced, rights: Rights): Promise<WatchPrice> {
    const values: unknown[] = [watch.paths];
    const now = this.clock.now();
    const tree = await readLimitedSelector(this.selectors, watch.selector, rights, noMeasure);
    const seen = `${rights.sql('device.read', values, now)} and ${rights.sql('device.call_read', values, now)}`;
    const chosen = `${selectorSql(tree, values, now, rights)} and ${seen}`;
    const readable = watch.paths.map(
      (path, at) => `(observed.path = ($1::text[])[${at + 1}] and ${seenAtSql(path, rights, values, now)})`,
    );
    const rows = await this.db.query<PricedModel[]>(priceSql(chosen, `${seen} and (${readable.join(' or ')})`), values);
    return priceOfModels(rows, watch.everySeconds);
  }

  /** The devices of each watch that the reader may read, and how it goes there. */
  async counts(watches: readonly Watch[], rights: Rights): Promise<ReadonlyMap<string, WatchCounts>> {
    const now = this.clock.now();
    const values: unknown[] = [now];
    const scope = rights.sql('device.read', values, now);
    const paths = [...new Set(watches.flatMap((watch) => watch.paths))];
    const readable = paths.map(
      (path) => `(observed.path = $${values.push(path)} and ${seenAtSql(path, rights, values, now)})`,
    );
    const rows = await this.db.query<(WatchCounts & { id: string })[]>(
      `select watch_id as id, count(*)::int as devices,
              (count(*) filter (where read_at is null or watched_device.last_error is not null))::int as "unreadDevices",
              (count(*) filter (where interval_seconds > every_seconds))::int as "slowedDevices",
              (count(*) filter (where exists (
                 select from observed
                  where observed.device_id = device.id and observed.path = any (watch.paths)
                    and observed.changed_at > $1::timestamptz - every_seconds * interval '1 second'
                    and (${readable.join(' or ') || 'false'}))))::int as "changedDevices",
              max(read_at) as "lastReadAt", min(due_at) as "nextReadAt"
         from watched_device join watch on watch.id = watch_id join device on device.id = device_id
        where ${scope} group by watch_id`,
      values,
    );
    return new Map(rows.map(({ id, ...counts }) => [id, counts]));
  }
}

/** Stores the times of the passes with what they read, where no later pass of another watch has, and makes all devices due. */
async function beginAgain(tx: EntityManager, watchId: string, now: Date): Promise<void> {
  await tx.query(keepTimesSql('select * from watched_device where watch_id = $1'), [watchId]);
  await tx.query(
    'update watched_device set read_at = null, bytes = null, due_at = least(due_at, $2::timestamptz) where watch_id = $1',
    [watchId, now],
  );
}

/** @param passes rows of `watched_device` */
export const keepTimesSql = (passes: string): string => `
  with pass as (${passes}),
       older as materialized (
         select observed.device_id, observed.path, max(pass.read_at) as read_at
           from pass join watch on watch.id = pass.watch_id
           join observed on observed.device_id = pass.device_id and observed.path = any (watch.paths)
                           and observed.path <> all (pass.refused_paths)
          where observed.read_at < pass.read_at and observed.error is null group by 1, 2)
  update observed set read_at = older.read_at from older
   where observed.device_id = older.device_id and observed.path = older.path`;

/** @param chosen the devices @param readable the rows of `observed` that may say how long a body is */
const priceSql = (chosen: string, readable: string): string => `
  with chosen as (
    select device.model, coalesce(plan.interval_seconds <= ${SHARED_SESSION_MAX_S}, false) as sampled, count(*)::int as devices
      from device left join monitored_device plan on plan.device_id = device.id where ${chosen} group by 1, 2
  ), shown as (
    select device.model, observed.path, avg(body.bytes)::float8 as bytes
      from observed join observed_body body on body.digest = observed.digest join device on device.id = observed.device_id
     where observed.path = any ($1::text[]) and ${readable} group by 1, 2)
  select chosen.model, chosen.sampled as "isSampled", chosen.devices,
         array(select shown.bytes from unnest($1::text[]) with ordinality as asked (path, place)
                 left join shown on shown.path = asked.path and shown.model is not distinct from chosen.model
                order by asked.place) as bodies
    from chosen order by chosen.devices desc, chosen.model, chosen.sampled`;

function priceOfModels(rows: readonly PricedModel[], everySeconds: number): WatchPrice {
  const models = rows.map(({ model, devices, isSampled, bodies }) => {
    // A sample keeps the session open, and has paid the login.
    const { bytesPerSample, ...price } = priceOf(everySeconds, bytesOfPass(bodies), isSampled ? 0 : undefined);
    const isMeasured = bodies.every((bytes) => bytes !== null);
    return { model, devices, isSampled, isMeasured, bytesPerPass: bytesPerSample, ...price };
  });
  return totalOf(models);
}

/** @param bodies bytes of each path on a model; null: it was not read there */
function bytesOfPass(bodies: PricedModel['bodies']): number {
  return Math.round(bodies.reduce<number>((sum, bytes) => sum + ITEM_BYTES + (bytes ?? BODY_BYTES), EXCHANGE_BYTES));
}
