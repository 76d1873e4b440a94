import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../audit/entries/audit.js';
import { type Principal } from '../auth/access/access.js';
import { Authors } from '../auth/keys/authors.service.js';
import { type Rights } from '../auth/rights/rights.js';
import { RightsService } from '../auth/rights/rights.service.js';
import { SavedSelectorsService } from '../devices/saved-selectors.service.js';
import { selectorSql } from '../selectors/selector-sql.js';
import { type Actor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { mapConstraintErrors } from '../database/constraints.js';
import { AppError } from '../platform/errors.js';
import { lockVersion } from '../http/edits.js';
import { checkPath } from '../proxy/connections/call-request.js';
import { authorFields } from '../recurring/recurring.js';
import { type MonitoringInput, type PriceView } from './monitoring.contract.js';
import { MonitoringPolicy } from './monitoring-policy.entity.js';
import { allowedInterval, priceOf, tableBytes } from './policy-price.js';
import { readPolicySelector } from './policy-selector.js';
import { pathsOf } from './sample-request.js';

type Priced = Pick<MonitoringPolicy, 'selector' | 'everySeconds' | 'metrics' | 'extra' | 'budgetMb'>;

/** Policies of monitoring, as operators see and change them. */
@Injectable()
export class MonitoringPolicies {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(RightsService) private readonly rights: Pick<RightsService, 'requireUnnarrowed'>,
    @Inject(Authors) private readonly authors: Authors,
    @Inject(SavedSelectorsService) private readonly selectors: Pick<SavedSelectorsService, 'read'>,
  ) {}

  /** @throws AppError `monitoring_policy_not_found` */
  async get(id: string): Promise<MonitoringPolicy> {
    const policy = await this.db.manager.findOneBy(MonitoringPolicy, { id });
    if (!policy) throw new AppError('monitoring_policy_not_found');
    return policy;
  }

  /** All policies by name. */
  list(): Promise<MonitoringPolicy[]> {
    return this.db.manager.find(MonitoringPolicy, { order: { name: 'asc' } });
  }

  /** Those whose author is disabled or revoked: they sample nothing. */
  orphansOf(policies: readonly MonitoringPolicy[]): Promise<ReadonlySet<MonitoringPolicy>> {
    return this.authors.orphansOf(policies);
  }

  /**
   * It reads devices with the rights of the actor from now on.
   * @throws AppError `monitoring_policy_exists`, `invalid_selector`, `path_refused`, `rights_not_held`
   */
  create(input: MonitoringInput, actor: Principal): Promise<MonitoringPolicy> {
    return this.save(input, actor, () => null);
  }

  /** @throws AppError `monitoring_policy_not_found`, `version_changed`; as `create` */
  replace(id: string, input: MonitoringInput, ifMatch: number | null, actor: Principal): Promise<MonitoringPolicy> {
    return this.save(input, actor, (tx) => this.locked(tx, id, ifMatch));
  }

  /** The latest values stay. @throws AppError `monitoring_policy_not_found`, `version_changed` */
  async remove(id: string, ifMatch: number | null, actor: Principal): Promise<void> {
    await this.db.transaction(async (tx) => {
      const found = await this.locked(tx, id, ifMatch);
      await tx.delete(MonitoringPolicy, id);
      await this.record(tx, 'remove', found, actor);
    });
  }

  /** What a policy costs on the devices that these rights may read, by what samples of those sent. @throws AppError `invalid_selector` */
  async price(policy: Priced, rights: Rights): Promise<PriceView> {
    const values: unknown[] = [];
    const now = this.clock.now();
    const chosen = selectorSql(await readPolicySelector(this.selectors, policy.selector, rights), values, now, rights);
    const scope = rights.scope('device.call_read')?.(values, now) ?? 'true';
    const paths = `$${values.push(pathsOf(policy))}::text[]`;
    const rows = await this.db.query<{ model: string | null; devices: number; bytes: number | null }[]>(
      `with chosen as (select model, count(*)::int as devices from device where ${chosen} and ${scope} group by model),
            measured as (
              select device.model, percentile_cont(0.5) within group (order by sample.bytes) as bytes
                from device_sample sample join device on device.id = sample.device_id
               where sample.paths = ${paths} and ${scope} group by device.model)
       select chosen.model, chosen.devices, round(measured.bytes)::int as bytes
         from chosen left join measured on measured.model is not distinct from chosen.model order by chosen.devices desc, chosen.model`,
      values,
    );
    return totalOf(rows.map((row) => this.modelPrice(policy, row, now)));
  }

  /** How many devices each policy samples, of those that the reader may read, and how many of them less often. */
  async counts(rights: Rights): Promise<ReadonlyMap<string, { devices: number; slowedDevices: number }>> {
    const values: unknown[] = [];
    const scope = rights.scope('device.read')?.(values, this.clock.now()) ?? 'true';
    const rows = await this.db.query<{ id: string; devices: number; slowedDevices: number }[]>(
      `select policy_id as id, count(*)::int as devices,
              (count(*) filter (where interval_seconds > every_seconds))::int as "slowedDevices"
         from monitored_device join device on device.id = monitored_device.device_id
         cross join unnest(policies) as policy_id
        where ${scope} group by policy_id`,
      values,
    );
    return new Map(rows.map(({ id, ...counts }) => [id, counts]));
  }

  private modelPrice(
    policy: Priced,
    { model, devices, bytes }: { model: string | null; devices: number; bytes: number | null },
    now: Date,
  ): PriceView['models'][number] {
    const { everySeconds, budgetMb } = policy;
    const bytesPerSample = bytes ?? tableBytes(policy);
    const budgetBytes = budgetMb === null ? null : budgetMb * 1e6;
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
    const allowed = allowedInterval({
      everySeconds,
      intervalSeconds: everySeconds,
      budgetBytes,
      usedBytes: 0,
      bytesPerSample,
      now: month,
    });
    return {
      model,
      devices,
      isMeasured: bytes !== null,
      ...priceOf(everySeconds, bytesPerSample),
      isOverBudget: allowed > everySeconds,
    };
  }

  private async save(
    input: MonitoringInput,
    actor: Principal,
    find: (tx: EntityManager) => Promise<MonitoringPolicy> | null,
  ): Promise<MonitoringPolicy> {
    await this.rights.requireUnnarrowed(actor);
    await readPolicySelector(this.selectors, input.selector, actor.rights);
    for (const { path } of input.extra) checkPath(path);
    return mapConstraintErrors({ monitoring_policy_name_is_unique: ['monitoring_policy_exists'] }, () =>
      this.db.transaction(async (tx) => {
        const found = await find(tx);
        const row = found ?? { id: randomUUID(), createdAt: this.clock.now(), version: 1 };
        const policy = Object.assign(row, input, { lastError: null }, authorFields(actor));
        const saved = await tx.save(MonitoringPolicy, policy);
        await this.record(tx, found ? 'change' : 'create', saved, actor);
        return saved;
      }),
    );
  }

  private locked(tx: EntityManager, id: string, ifMatch: number | null): Promise<MonitoringPolicy> {
    return lockVersion(tx, MonitoringPolicy, { id }, ifMatch, 'monitoring_policy_not_found');
  }

  private record(tx: EntityManager, change: 'create' | 'change' | 'remove', policy: MonitoringPolicy, actor: Actor) {
    const { id, name, selector, everySeconds, metrics, extra, budgetMb, enabled } = policy;
    const facts = change === 'remove' ? { name } : { name, selector, everySeconds, metrics, extra, budgetMb, enabled };
    return this.audit.record(tx, {
      actor,
      action: `monitoring_policy.${change}`,
      subject: `monitoring_policy:${id}`,
      facts,
    });
  }
}

function totalOf(models: PriceView['models']): PriceView {
  const sum = (of: (model: PriceView['models'][number]) => number) =>
    models.reduce((total, model) => total + model.devices * of(model), 0);
  return {
    devices: sum(() => 1),
    bytesPerMonth: sum(({ bytesPerMonth }) => bytesPerMonth),
    handshakesPerMonth: sum(({ handshakesPerMonth }) => handshakesPerMonth),
    loginsPerDay: sum(({ loginsPerDay }) => loginsPerDay),
    models,
  };
}
