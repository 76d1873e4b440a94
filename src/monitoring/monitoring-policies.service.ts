import { Inject, Injectable } from '@nestjs/common';
import { type Principal } from '../auth/access/access.js';
import { type Rights } from '../auth/rights/rights.js';
import { SavedSelectorsService } from '../devices/saved-selectors.service.js';
import { checkPath } from '../proxy/connections/call-request.js';
import { AuthoredService } from '../recurring/authored.service.js';
import { selectorSql } from '../selectors/selector-sql.js';
import { type MonitoringInput, type PriceView } from './monitoring.contract.js';
import { MonitoringPolicy } from './monitoring-policy.entity.js';
import { isOverBudget, priceOf, tableBytes, totalOf } from './policy-price.js';
import { noMeasure, readLimitedSelector } from './samples/limited-selector.js';
import { pathsOf } from './samples/sample-request.js';

type Priced = Pick<MonitoringPolicy, 'selector' | 'everySeconds' | 'metrics' | 'extra' | 'budgetMb'>;

/** Devices of one model, and what a sample of those that are read costs; null: none is. */
interface PricedModel {
  readonly model: string | null;
  readonly devices: number;
  readonly bytes: number | null;
}

/** Policies of monitoring, as operators see and change them. The latest values of a removed one stay. */
@Injectable()
export class MonitoringPolicies extends AuthoredService<MonitoringPolicy, MonitoringInput> {
  constructor(@Inject(SavedSelectorsService) private readonly selectors: Pick<SavedSelectorsService, 'read'>) {
    super('monitoring_policy', MonitoringPolicy);
  }

  /** @throws AppError `invalid_selector`, `path_refused`, `rights_not_held` */
  protected async requireAuthor({ selector, extra }: MonitoringInput, actor: Principal): Promise<void> {
    await this.rights.requireUnnarrowed(actor);
    await readLimitedSelector(this.selectors, selector, actor.rights, noMeasure);
    for (const { path } of extra) checkPath(path);
  }

  protected fieldsOf(input: MonitoringInput) {
    return { ...input, lastError: null };
  }

  protected factsOf({ selector, everySeconds, metrics, extra, budgetMb, enabled }: MonitoringPolicy) {
    return { selector, everySeconds, metrics, extra, budgetMb, enabled };
  }

  /** What a policy costs on the devices that these rights may read, by what samples of those sent. @throws AppError `invalid_selector` */
  async price(policy: Priced, rights: Rights): Promise<PriceView> {
    const values: unknown[] = [];
    const now = this.clock.now();
    const tree = await readLimitedSelector(this.selectors, policy.selector, rights, noMeasure);
    const chosen = selectorSql(tree, values, now, rights);
    const scope = (['device.read', 'device.call_read'] as const)
      .map((action) => rights.sql(action, values, now))
      .join(' and ');
    const paths = `$${values.push(pathsOf(policy))}::text[]`;
    const rows = await this.db.query<PricedModel[]>(
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
    const scope = rights.sql('device.read', values, this.clock.now());
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

  private modelPrice(policy: Priced, { model, devices, bytes }: PricedModel, now: Date): PriceView['models'][number] {
    const { everySeconds, budgetMb } = policy;
    const bytesPerSample = bytes ?? tableBytes(policy);
    return {
      model,
      devices,
      isMeasured: bytes !== null,
      ...priceOf(everySeconds, bytesPerSample),
      isOverBudget: isOverBudget(everySeconds, budgetMb, bytesPerSample, now),
    };
  }
}
