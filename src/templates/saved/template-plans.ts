import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Principal } from '../../auth/access/access.js';
import { type Rights } from '../../auth/rights/rights.js';
import { risksOf } from '../../jobs/kinds/configure/configure-risks.js';
import { configureSpec } from '../../jobs/kinds/configure/configure-spec.js';
import { boundedCache } from '../../platform/bounded-cache.js';
import { EventLoopTurns } from '../../platform/event-loop.js';
import { type DeviceValues, fillIn } from '../../rollouts/engine/device-values.js';
import { type DesiredPlan, planDesired } from '../desired/desired-plan.js';
import { CHANGES_MAX, type TemplateItem } from '../desired/template-item.js';
import { devicesAtOnce, digestsOf, type ObservedPaths, observedSql, readingsOf } from '../observed/device-readings.js';
import { ObservedBodies } from '../observed/observed-bodies.js';
import { type DeviceOutcome, PlanSummary } from './plan-summary.js';
import { type IgnoredNow, IgnoredOptions } from './ignored-options.service.js';
import { NEEDED_TO_READ, TemplateReach } from './template-reach.js';
import { deviceItemOf, type Prints, TemplateSecrets } from './template-secrets.js';
import { pathsOf, type Template } from './template.entity.js';
import { type PlanInput, type TemplatePlanView } from './templates.contract.js';

/*
 * What a draft would change, by what watches have read. Devices come in batches, and a plan is made once for equal devices. The
 * reader sees a device with the right to see the template and to read all of its paths there.
 */

/** Different plans that are remembered: most devices of a fleet are alike. */
const PLANS_KEPT = 500;

type Plans = ReturnType<typeof boundedCache<string, DeviceOutcome>>;

interface DeviceRow extends DeviceValues {
  readonly isAllowed: boolean;
  readonly observed: ObservedPaths;
  /** What is ignored on it, as `IgnoredNow` has it. */
  readonly ignored: readonly string[];
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
    const prints = await this.secrets.prints(items);
    const summary = new PlanSummary(items, asked.samples, (value) => this.secrets.hidden(value));
    const plans: Plans = boundedCache(PLANS_KEPT);
    const turns = new EventLoopTurns();
    const batch = devicesAtOnce(pathsOf(items));
    const { ignored, next } = await this.devices(template, asked.selector, rights, batch);
    for (let after: string | null = null; ;) {
      const devices: DeviceRow[] = await next(after);
      const bodies = await this.bodies.read(devices.filter(({ isAllowed }) => isAllowed).flatMap(digestsOf));
      for (const device of devices) {
        summary.add(device, outcomeOf(device, items, ignored, prints, bodies, plans));
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
             ${observedSql('$1')} as observed, ${ignored.sql} as ignored
        from device where ${chosen} and ${asked} and ${seen} and ($2::uuid is null or id > $2::uuid) order by id limit $3`;
    const next = (after: string | null) => this.db.query<DeviceRow[]>(sql, values.with(1, after));
    return { ignored, next };
  }
}

function outcomeOf(
  device: DeviceRow,
  items: readonly TemplateItem[],
  ignored: IgnoredNow,
  prints: Prints,
  bodies: ReadonlyMap<string, unknown>,
  plans: Plans,
): DeviceOutcome {
  if (!device.isAllowed) return { reason: 'forbidden', path: null };
  const { spec, missing } = fillIn(items, device);
  if (missing.length > 0) return { reason: 'value_missing', path: null };
  const read = readingsOf(device.observed, bodies);
  if (read.notThere !== null) return { reason: 'not_there', path: read.notThere };
  const name = JSON.stringify([read.digest, spec, device.ignored]);
  const known = plans.get(name);
  if (known) return known;
  const filled = spec as TemplateItem[];
  const own = filled.map((item) => deviceItemOf(item, prints));
  const names = ignored.on(device.ignored, items, filled);
  const outcome = judged(planDesired(own, read.bodies, undefined, names));
  plans.set(name, outcome);
  return outcome;
}

/** The changes are those of the kind `configure`, by its own rules. */
function judged(plan: DesiredPlan): DeviceOutcome {
  const [problem] = plan.problems;
  if (problem) return { reason: problem.code, path: problem.path || null };
  const { changes } = plan;
  if (changes.length > 0 && !configureSpec.safeParse({ changes: changes.slice(0, CHANGES_MAX) }).success)
    return { reason: 'spec_invalid', path: null };
  return { plan, risks: risksOf(changes) };
}
