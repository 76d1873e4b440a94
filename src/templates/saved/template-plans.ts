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
import { ObservedBodies } from '../observed/observed-bodies.js';
import { type DeviceOutcome, PlanSummary } from './plan-summary.js';
import { TemplateReach } from './template-reach.js';
import { deviceItemOf, type Prints, TemplateSecrets } from './template-secrets.js';
import { pathsOf, type Template } from './template.entity.js';
import { type PlanInput, type TemplatePlanView } from './templates.contract.js';

/*
 * What a draft would change, by what watches have read. Devices come in batches, and a plan is made once for equal devices. The
 * reader sees a device with the right to see the template and to read all of its paths there.
 */

/** Bodies that are open at once, of at most 64 kB each. */
const BODIES_AT_ONCE = 400;

/** Different plans that are remembered: most devices of a fleet are alike. */
const PLANS_KEPT = 500;

type Plans = ReturnType<typeof boundedCache<string, DeviceOutcome>>;

interface DeviceRow extends DeviceValues {
  readonly isAllowed: boolean;
  readonly observed: Readonly<Record<string, { readonly digest: string | null; readonly error: string | null }>> | null;
}

@Injectable()
export class TemplatePlans {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ObservedBodies) private readonly bodies: Pick<ObservedBodies, 'read'>,
    @Inject(TemplateReach) private readonly reach: TemplateReach,
    @Inject(TemplateSecrets) private readonly secrets: TemplateSecrets,
  ) {}

  /** Of the draft. @throws AppError `invalid_selector`, `sealed_value_not_found` */
  async plan(template: Template, asked: PlanInput, { rights }: Principal): Promise<TemplatePlanView> {
    const { name, items } = template;
    const prints = await this.secrets.prints(items);
    const summary = new PlanSummary(items, asked.samples, (value) => this.secrets.hidden(value));
    const plans: Plans = boundedCache(PLANS_KEPT);
    const turns = new EventLoopTurns();
    const batch = Math.max(1, Math.floor(BODIES_AT_ONCE / pathsOf(items).length));
    for (let after: string | null = null; ;) {
      const devices: DeviceRow[] = await this.devices(template, asked.selector, rights, after, batch);
      const bodies = await this.bodies.read(devices.flatMap(digestsOf));
      for (const device of devices) {
        summary.add(device, outcomeOf(device, items, prints, bodies, plans));
        if (turns.isOver) await turns.next();
      }
      if (devices.length < batch) break;
      after = devices.at(-1)!.id;
    }
    const overlaps = await this.reach.overlaps(template, rights, 'template.read');
    return { template: name, ...summary.view(), overlaps };
  }

  private async devices(
    { selector, items }: Template,
    only: string,
    rights: Rights,
    after: string | null,
    limit: number,
  ): Promise<DeviceRow[]> {
    const paths = pathsOf(items);
    const values: unknown[] = [paths, after, limit];
    const chosen = await this.reach.chosen(selector, rights, values);
    const asked = await this.reach.named(only, rights, values);
    const seen = this.reach.held(rights, 'template.read', [], values);
    const allowed = this.reach.readable(rights, paths, values);
    return this.db.query<DeviceRow[]>(
      `select id, name, serial, mac, model, firmware, site, fields, (${allowed}) as "isAllowed",
              (select jsonb_object_agg(observed.path, jsonb_build_object('digest', observed.digest, 'error', observed.error))
                 from observed where observed.device_id = device.id and observed.path = any ($1::text[])) as observed
         from device where ${chosen} and ${asked} and ${seen} and ($2::uuid is null or id > $2::uuid) order by id limit $3`,
      values,
    );
  }
}

const digestsOf = ({ isAllowed, observed }: DeviceRow): string[] =>
  isAllowed ? Object.values(observed ?? {}).flatMap(({ digest }) => digest ?? []) : [];

function outcomeOf(
  device: DeviceRow,
  items: readonly TemplateItem[],
  prints: Prints,
  bodies: ReadonlyMap<string, unknown>,
  plans: Plans,
): DeviceOutcome {
  if (!device.isAllowed) return { reason: 'forbidden', path: null };
  const { spec, missing } = fillIn(items, device);
  if (missing.length > 0) return { reason: 'value_missing', path: null };
  const observed = Object.entries(device.observed ?? {});
  const absent = observed.find(([, { error }]) => error === 'not_there');
  if (absent) return { reason: 'not_there', path: absent[0] };
  const seen = observed.flatMap(([path, { digest, error }]) => (error === null ? [[path, digest!] as const] : []));
  const name = JSON.stringify([seen, spec]);
  const known = plans.get(name);
  if (known) return known;
  const own = (spec as TemplateItem[]).map((item) => deviceItemOf(item, prints));
  const outcome = judged(planDesired(own, new Map(seen.map(([path, digest]) => [path, bodies.get(digest)]))));
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
