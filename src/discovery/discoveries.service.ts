import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { z } from 'zod';
import { Audit } from '../audit/entries/audit.js';
import { type AuditAction } from '../audit/entries/audit-actions.js';
import { type Principal } from '../auth/access/access.js';
import { StepUp } from '../auth/people/step-up.js';
import { type Rights } from '../auth/rights/rights.js';
import { AddressRules } from '../devices/registry/address-rules.js';
import { type Actor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { ADVISORY_LOCK } from '../database/advisory-locks.js';
import { AppError } from '../platform/errors.js';
import { newestFirst } from '../http/newest-first.js';
import { cutPage, decodeCursor, type Page, type PageQuery } from '../http/page.js';
import { Secrets } from '../secrets/secrets.js';
import { refuseMarkersIn } from '../proxy/calls/marker-check.js';
import { type DiscoveryInput, type DiscoveryView, type FindView, type FoundQuery } from './discovery.contract.js';
import { DiscoveryFind, DiscoveryRun } from './discovery.entity.js';
import { DiscoveryRows } from './discovery-rows.js';
import { DiscoverySweeper } from './discovery.sweeper.js';
import { AddressRange } from './networks.js';

/** Searches of an operator that have not ended, in the whole installation: one of them runs at a time. */
const OPEN_PER_OPERATOR = 10;

/** Of all operators: a bound for rows and for the wait of the last one. */
const OPEN_MAX = 30;

type Counts = DiscoveryView['found'] & DiscoveryView['logins'] & { readonly discoveryId: string };

/** Searches as operators start, read and cancel them. What a search found are no devices: rights on devices do not narrow it. */
@Injectable()
export class DiscoveriesService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Secrets) private readonly secrets: Pick<Secrets, 'fingerprint'>,
    @Inject(AddressRules) private readonly addresses: Pick<AddressRules, 'policy'>,
    @Inject(StepUp) private readonly stepUp: Pick<StepUp, 'require'>,
    @Inject(DiscoveryRows) private readonly rows: DiscoveryRows,
    @Inject(DiscoverySweeper) private readonly sweeper: DiscoverySweeper,
  ) {}

  /**
   * Creates a run; a worker starts it soon.
   * @throws AppError `network_refused`, `too_many_discoveries`, `redaction_marker`; `step_up_required` for one with
   *   credentials
   */
  async start(input: DiscoveryInput, actor: Principal): Promise<DiscoveryView> {
    const { networks, ports, pace, credentials = [] } = input;
    const range = new AddressRange(networks);
    range.refuseForbidden(this.addresses.policy());
    refuseMarkersIn(credentials);
    if (credentials.length > 0) await this.stepUp.require(actor);
    const id = randomUUID();
    await this.db.transaction(async (tx) => {
      await this.refuseTooMany(tx, actor.operatorId);
      await tx.insert(DiscoveryRun, {
        id,
        networks: [...range.networks],
        ports,
        addresses: range.count,
        ...pace,
        operatorId: actor.operatorId,
        createdBy: actor.actorId,
        createdByName: actor.name,
        createdAt: this.clock.now(),
      });
      await this.rows.storeCredentials(tx, id, credentials);
      const sets = credentials.map(({ username, password }) => ({
        username,
        password: this.secrets.fingerprint(password),
      }));
      const facts = { networks: range.networks, ports, addresses: range.count, pace, credentials: sets };
      await this.record(tx, actor, 'discovery.start', id, facts);
    });
    this.sweeper.startSoon();
    return this.get(id);
  }

  /** Newest first. @throws AppError `invalid_cursor` */
  async list(query: PageQuery): Promise<Page<DiscoveryView>> {
    const page = await newestFirst(this.db.manager.createQueryBuilder(DiscoveryRun, 'run'), 'discovery', query);
    return { ...page, items: await this.views(page.items) };
  }

  /** @throws AppError `discovery_not_found` */
  async get(id: string): Promise<DiscoveryView> {
    const [view] = await this.views([await this.find(id)]);
    return view!;
  }

  /** @throws AppError `discovery_not_found` */
  async find(id: string): Promise<DiscoveryRun> {
    const run = await this.db.manager.findOneBy(DiscoveryRun, { id });
    if (!run) throw new AppError('discovery_not_found');
    return run;
  }

  /** No login is sent after it. @throws AppError `discovery_not_found`, `discovery_ended` */
  async cancel(id: string, actor: Principal): Promise<DiscoveryView> {
    await this.find(id);
    await this.db.transaction(async (tx) => {
      if (!(await this.rows.end(tx, { id, epoch: null }, 'cancelled'))) throw new AppError('discovery_ended');
      await this.record(tx, actor, 'discovery.cancel', id, {});
    });
    return this.get(id);
  }

  /**
   * What a run found, in the order of the addresses. A device that the caller may not see is not named.
   * @throws AppError `discovery_not_found`, `invalid_cursor`
   */
  async found(id: string, query: FoundQuery, rights: Rights): Promise<Page<FindView>> {
    await this.find(id);
    const { kind, known, login, limit, cursor } = query;
    const list = `found ${id}`;
    const [after] = cursor ? decodeCursor(list, cursor, z.tuple([z.string().regex(/^\d{1,5}$/)])) : [null];
    const values: unknown[] = [id, after, kind ?? null, known ?? null, login ?? null, limit + 1];
    const isSeen = rights.allows({ action: 'device.read' })
      ? rights.sql('device.read', values, this.clock.now())
      : 'false';
    const rows = await this.db.query<(FindView & { position: number })[]>(
      `select find.id, find.position, find.address, find.port, find.base_url as "baseUrl", find.kind, find.reason, find.pin,
              find.certificate, find.name, find.model, find.identifier, find.api_version as "apiVersion", find.login,
              find.serial, find.mac, find.firmware, find.seen_at as "seenAt",
              case when device.id is not null then json_build_object(
                'deviceId', device.id, 'by', find.known_by,
                'pinMatches', coalesce(device.trust_pin = find.pin, false)) end as known
         from discovery_find find left join device on device.id = find.known_device_id and ${isSeen}
        where find.discovery_id = $1 and ($2::integer is null or find.position > $2::integer)
          and ($3::text is null or find.kind = $3) and ($4::boolean is null or (device.id is not null) = $4)
          and ($5::text is null or coalesce(find.login, 'none') = $5)
        order by find.position limit $6`,
      values,
    );
    return cutPage(list, rows, limit, ({ position }) => [String(position)]);
  }

  record(
    tx: EntityManager,
    actor: Actor,
    action: Extract<AuditAction, `discovery.${string}`>,
    id: string,
    facts: Record<string, unknown>,
  ) {
    return this.audit.record(tx, { actor, action, subject: `discovery:${id}`, facts });
  }

  private async refuseTooMany(tx: EntityManager, operatorId: string): Promise<void> {
    // One start after the other, so that two of them do not both take the last place.
    await tx.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK.discoveryStarts]);
    const [open] = await tx.query<[{ count: number; own: number }]>(
      `select count(*)::int as count, count(*) filter (where operator_id = $1)::int as own
         from discovery where state in ('queued', 'running')`,
      [operatorId],
    );
    if (open.own >= OPEN_PER_OPERATOR) throw new AppError('too_many_discoveries', { limit: OPEN_PER_OPERATOR });
    if (open.count >= OPEN_MAX) throw new AppError('too_many_discoveries', { limit: OPEN_MAX });
  }

  private async views(runs: readonly DiscoveryRun[]): Promise<DiscoveryView[]> {
    const counted = await this.db.query<Counts[]>(
      `select run.id as "discoveryId", finds.*, logins.*
         from unnest($1::uuid[]) as run (id),
              lateral (select count(*) filter (where kind = 'device')::int as devices,
                              count(*) filter (where kind = 'other')::int as others
                         from discovery_find where discovery_id = run.id) finds,
              lateral (select count(*) filter (where outcome = 'granted')::int as granted,
                              count(*) filter (where outcome = 'refused')::int as refused,
                              count(*) filter (where outcome = 'unclear')::int as unclear
                         from discovery_login join discovery_credentials on id = credentials_id
                        where discovery_id = run.id) logins`,
      [runs.map(({ id }) => id)],
    );
    const byId = new Map(counted.map((counts) => [counts.discoveryId, counts]));
    return runs.map((run) => {
      const { devices, others, granted, refused, unclear } = byId.get(run.id)!;
      return {
        ...run,
        pace: { atOnce: run.atOnce, perSecond: run.perSecond },
        found: { devices, others },
        logins: { granted, refused, unclear },
      };
    });
  }
}

/** The finds of a run by their ids. */
export function findsOf(tx: EntityManager, discoveryId: string, ids: readonly string[]): Promise<DiscoveryFind[]> {
  return tx
    .createQueryBuilder(DiscoveryFind, 'find')
    .where('find.discovery_id = :discoveryId and find.id = any (:ids)', { discoveryId, ids })
    .getMany();
}
