import { boundedCache } from '../../platform/bounded-cache.js';
import { type DeviceValues, fillIn } from '../../rollouts/engine/device-values.js';
import { type DeviceItem, type ItemDifference, NOT_MADE } from '../desired/desired-plan.js';
import { type IgnoredNames } from '../desired/ignored.js';
import { nameOf } from '../desired/normal-form.js';
import { type AppliedItem, appliedItems, type AppliedTemplate, type Sync, syncOf } from '../desired/sync-state.js';
import { type TemplateItem } from '../desired/template-item.js';
import { type Readings } from '../observed/device-readings.js';
import { type IgnoredNow } from './ignored-options.service.js';
import { withoutSecrets } from './plan-summary.js';
import { type TemplateSecrets } from './template-secrets.js';

/*
 * Items of a template against devices. Equal devices are compared once. Secrets are compared by their fingerprints, those of
 * earlier versions, too.
 */

/** Different devices that are remembered: most of a fleet are alike. */
const KEPT = 500;

export interface JudgedDevice extends DeviceValues {
  /** Secrets that were made for it, by name. */
  readonly made: Readonly<Record<string, string>> | null;
  /** What is ignored on it, as `IgnoredNow` has it. */
  readonly ignored: readonly string[];
}

/** How a device compares, or why it cannot be compared: then `sync` is null. */
export interface Verdict {
  readonly reason: string | null;
  readonly detail: string | null;
  readonly sync: Sync | null;
  /** What the device has where it is in sync. */
  readonly items: readonly AppliedItem[];
}

export const leftOut = (reason: string, detail: string | null): Verdict => ({ reason, detail, sync: null, items: [] });

export class TemplateJudge {
  private readonly compared = boundedCache<string, Sync>(KEPT);
  private readonly prints = new Map<string, Promise<string | null>>();
  /** A difference without secrets. */
  readonly hidden: (difference: ItemDifference) => ItemDifference;

  /** @param toBeMade how a secret that was not made yet shows; null: it counts as set */
  constructor(
    private readonly items: readonly TemplateItem[],
    private readonly secrets: TemplateSecrets,
    private readonly ignored: IgnoredNow,
    private readonly toBeMade: '' | null,
  ) {
    this.hidden = withoutSecrets(items, (value) => secrets.hidden(value));
  }

  /** @param applied what the device was set to; null: it never had all of it */
  async judge(device: JudgedDevice, read: Readings, applied: AppliedTemplate | null): Promise<Verdict> {
    const { spec, missing } = fillIn(this.items, device);
    if (missing.length > 0) return leftOut('value_missing', missing.join(', '));
    if (read.notThere !== null) return leftOut('not_there', read.notThere);
    const own = spec as TemplateItem[];
    const items = own.map((item) => withSecretsOf(item, device));
    const name = JSON.stringify([read.digest, items, applied, device.ignored]);
    const ignored = this.ignored.on(device.ignored, this.items, own);
    const sync = this.compared.get(name) ?? (await this.compare(items, ignored, applied, read.bodies));
    this.compared.set(name, sync);
    const [problem] = sync.plan.problems;
    if (problem) return leftOut(problem.code, problem.path);
    return { reason: null, detail: null, sync, items: appliedItems(items, ignored, applied?.items) };
  }

  /** Secrets that are to be made for a device, by name, with their length. */
  unmade({ made, ...device }: JudgedDevice) {
    const { spec, missing } = fillIn(this.items, device);
    if (missing.length > 0) return [];
    const ignored = this.ignored.on(device.ignored, this.items, spec as TemplateItem[]);
    return (spec as TemplateItem[]).flatMap(({ path, key, sealed }) =>
      sealed.flatMap((one) => {
        const name = nameOf({ path, key, option: one.option });
        const isNeeded = 'generate' in one && !made?.[name] && !ignored.has(name);
        return isNeeded ? [{ name, path, option: one.option, length: one.generate }] : [];
      }),
    );
  }

  private async compare(
    items: readonly AppliedItem[],
    ignored: IgnoredNames,
    applied: AppliedTemplate | null,
    bodies: Readings['bodies'],
  ): Promise<Sync> {
    const before = applied && { items: await this.printed(applied.items), forms: applied.forms };
    return syncOf({ items: await this.printed(items), applied: before, bodies, ignored, hidden: this.hidden });
  }

  private printed(items: readonly AppliedItem[]): Promise<DeviceItem[]> {
    return Promise.all(
      items.map(async (item) => ({
        ...item,
        sealed: await Promise.all(
          item.sealed.map(async (one) => ({ ...one, print: await this.printOf(item.path, one) })),
        ),
      })),
    );
  }

  /** Null for one that is no more, of an earlier version. */
  private printOf(path: string, one: AppliedItem['sealed'][number]): Promise<string | null> {
    if (one.valueId === NOT_MADE) return Promise.resolve(this.toBeMade);
    const name = `${one.valueId} ${path} ${one.option}`;
    const print = this.prints.get(name) ?? this.secrets.print(path, one).catch(() => null);
    this.prints.set(name, print);
    return print;
  }
}

function withSecretsOf({ path, key, mode, options, sealed }: TemplateItem, { made }: JudgedDevice): AppliedItem {
  const values = sealed.map((one) => ({
    option: one.option,
    valueId: 'valueId' in one ? one.valueId : (made?.[nameOf({ path, key, option: one.option })] ?? NOT_MADE),
  }));
  return { path, key, mode, options, sealed: values };
}
