import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Principal } from '../../auth/access/access.js';
import { type Rights } from '../../auth/rights/rights.js';
import { risksOf } from '../../jobs/kinds/configure/configure-risks.js';
import { configureSpec } from '../../jobs/kinds/configure/configure-spec.js';
import { EventLoopTurns } from '../../platform/event-loop.js';
import { type DesiredPlan } from '../desired/desired-plan.js';
import { type Sync } from '../desired/sync-state.js';
import { CHANGES_MAX } from '../desired/template-item.js';
import { devicesAtOnce, digestsOf, type ObservedPaths, observedSql, readingsOf } from '../observed/device-readings.js';
import { ObservedBodies } from '../observed/observed-bodies.js';
import { type DeviceOutcome, PlanSummary } from './plan-summary.js';
import { IgnoredOptions } from './ignored-options.service.js';
import { NEEDED_TO_READ, TemplateReach } from './template-reach.js';
import { type JudgedDevice, TemplateJudge } from './template-judge.js';
import { TemplateSecrets } from './template-secrets.js';
import { pathsOf, type Template } from './template.entity.js';
import { type PlanInput, type TemplatePlanView } from './templates.contract.js';

/*
 * What a draft would change, by what watches have read. Devices come in batches, and a plan is made once for equal devices. The
 * reader sees a device with the right to see the template and to read all of its paths there.
 */

interface DeviceRow extends JudgedDevice {
  readonly isAllowed: boolean;
  readonly observed: ObservedPaths;
}

@Injectable()
export class TemplatePlans {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ObservedBodies) private readonly bodies: Pick<ObservedBodies, 'read'>,
    @Inject(TemplateReach) private readonly reach: TemplateReach,
    @Inject(TemplateSecrets) private readonly secrets: TemplateSecrets,
    @Inject(IgnoredOptions) private readonly ignored: Pick<IgnoredOptions, 'now'>,
  ) {}

  /** Of the draft. @throws AppError `invalid_selector`, `sealed_value_not_found` */
  async plan(template: Template, asked: PlanInput, { rights }: Principal): Promise<TemplatePlanView> {
    const { name, items } = template;
    // The judge takes a secret that is no more as set; here it is an error.
    for (const { path, sealed } of items)
      for (const one of sealed) if ('valueId' in one) await this.secrets.print(path, one);
    const summary = new PlanSummary(items, asked.samples, (value) => this.secrets.hidden(value));
    const outcomes = new WeakMap<Sync, DeviceOutcome>();
    const turns = new EventLoopTurns();
    const batch = devicesAtOnce(pathsOf(items));
    const { ignored, next } = await this.devices(template, asked.selector, rights, batch);
    const judge = new TemplateJudge(items, this.secrets, ignored, null);
    for (let after: string | null = null; ;) {
      const devices: DeviceRow[] = await next(after);
      const bodies = await this.bodies.read(devices.filter(({ isAllowed }) => isAllowed).flatMap(digestsOf));
      for (const device of devices) {
        summary.add(device, await outcomeOf(device, judge, bodies, outcomes));
        if (turns.isOver) await turns.next();
      }
      if (devices.length < batch) break;
      after = devices.at(-1)!.id;
    }
    const overlaps = await this.reach.overlaps(template, rights, 'template.read');
    return { template: name, ...summary.view(), overlaps };
  }

  /** What is ignored, and the devices in batches, by id. */
  private async devices({ id, selector, items }: Template, only: string, rights: Rights, limit: number) {
    const paths = pathsOf(items);
    const values: unknown[] = [paths, null, limit];
    const chosen = await this.reach.chosen(selector, rights, values);
    const asked = await this.reach.named(only, rights, values);
    const seen = this.reach.held(rights, [], [], values);
    const allowed = this.reach.held(rights, NEEDED_TO_READ, paths, values);
    const ignored = await this.ignored.now(id, values);
    const sql = `
      select id, name, serial, mac, model, firmware, site, fields, (${allowed}) as "isAllowed",
             ${observedSql('$1')} as observed, ${ignored.sql} as ignored, null as made
        from device where ${chosen} and ${asked} and ${seen} and ($2::uuid is null or id > $2::uuid) order by id limit $3`;
    const next = (after: string | null) => this.db.query<DeviceRow[]>(sql, values.with(1, after));
    return { ignored, next };
  }
}

/** @param outcomes of equal devices */
async function outcomeOf(
  device: DeviceRow,
  judge: TemplateJudge,
  bodies: ReadonlyMap<string, unknown>,
  outcomes: WeakMap<Sync, DeviceOutcome>,
): Promise<DeviceOutcome> {
  if (!device.isAllowed) return { reason: 'forbidden', path: null };
  const { reason, detail, sync } = await judge.judge(device, readingsOf(device.observed, bodies), null);
  if (sync === null) return { reason: reason!, path: reason === 'value_missing' ? null : detail || null };
  const outcome = outcomes.get(sync) ?? judged(sync.plan);
  outcomes.set(sync, outcome);
  return outcome;
}

/** The changes are those of the kind `configure`, by its own rules. */
function judged(plan: DesiredPlan): DeviceOutcome {
  const { changes } = plan;
  if (changes.length > 0 && !configureSpec.safeParse({ changes: changes.slice(0, CHANGES_MAX) }).success)
    return { reason: 'spec_invalid', path: null };
  return { plan, risks: risksOf(changes) };
}
