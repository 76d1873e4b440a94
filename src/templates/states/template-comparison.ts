import { type EntityManager } from 'typeorm';
import { canonical } from '../../jobs/kind-api/intended-items.js';
import { boundedCache } from '../../platform/bounded-cache.js';
import { type DeviceValues, fillIn } from '../../rollouts/engine/device-values.js';
import { type DeviceItem, type ItemDifference, NOT_MADE } from '../desired/desired-plan.js';
import { type IgnoredNames } from '../desired/ignored.js';
import { nameOf } from '../desired/normal-form.js';
import {
  type AppliedItem,
  appliedItems,
  type AppliedTemplate,
  formsOf,
  openOf,
  type PutBack,
  type Sync,
  type SyncState,
  syncOf,
} from '../desired/sync-state.js';
import { type TemplateItem } from '../desired/template-item.js';
import { type ObservedPaths, type Readings } from '../observed/device-readings.js';
import { type IgnoredNow } from '../saved/ignored-options.service.js';
import { withoutSecrets } from '../saved/plan-summary.js';
import { type TemplateSecrets } from '../saved/template-secrets.js';
import { type Published } from '../saved/template.entity.js';

/*
 * One published version against devices. Equal devices are compared once. Secrets are compared by their fingerprints, those of
 * earlier versions, too; what is stored has none in clear.
 */

/** Different devices that are remembered: most of a fleet are alike. */
const KEPT = 500;

const DIFFERENCES_MAX = 50;
const FORMS_MAX = 100;
const VALUE_LENGTH_MAX = 500;

/** As the table has it; instants are texts. */
export interface StateRow {
  readonly device_id: string;
  readonly state: SyncState;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly since: string;
  readonly desired: number;
  readonly applied: number | null;
  readonly observed: number | null;
  readonly applied_as: AppliedTemplate | null;
  readonly closed_at: string | null;
  readonly differences: readonly ItemDifference[];
  readonly more_differences: number;
  readonly compared_from: string | null;
}

export interface ComparedDevice extends DeviceValues {
  readonly observed: ObservedPaths;
  /** Secrets that were made for it, by name. */
  readonly made: Readonly<Record<string, string>> | null;
  readonly known: (StateRow & { readonly put_back: PutBack; readonly suspended_at: string | null }) | null;
  /** Other templates that decide the same on it. */
  readonly rivals: readonly string[];
  /** What is ignored on it, as `IgnoredNow` has it. */
  readonly ignored: readonly string[];
  /** A digest of all of this but `known`. */
  readonly input: string;
}

export interface Verdict {
  readonly state: SyncState;
  readonly reason: string | null;
  readonly detail: string | null;
  /** null: it cannot be compared. */
  readonly sync: Sync | null;
  /** What the device has where it is in sync. */
  readonly items: readonly AppliedItem[];
}

export class TemplateComparison {
  private readonly compared = boundedCache<string, Sync>(KEPT);
  private readonly prints = new Map<string, Promise<string | null>>();
  private readonly hidden: (difference: ItemDifference) => ItemDifference;

  /** @param sql selects devices as `ComparedDevice`, with a condition to add */
  constructor(
    readonly version: Published,
    private readonly secrets: TemplateSecrets,
    readonly sql: string,
    readonly values: readonly unknown[],
    private readonly ignored: IgnoredNow,
  ) {
    this.hidden = withoutSecrets(version.items, (value) => secrets.hidden(value));
  }

  /** The devices that the version reaches and that are to be compared again, by id. */
  changed(tx: EntityManager, after: string | null, limit: number): Promise<ComparedDevice[]> {
    const [from, max] = [this.values.length + 1, this.values.length + 2];
    return tx.query<ComparedDevice[]>(
      `${this.sql} where known ->> 'compared_from' is distinct from input and ($${from}::uuid is null or id > $${from}::uuid)
        order by id limit $${max}`,
      [...this.values, after, limit],
    );
  }

  /** One of them; null: it does not reach the device. */
  async device(tx: EntityManager, deviceId: string): Promise<ComparedDevice | null> {
    const values = [...this.values, deviceId];
    const [device] = await tx.query<ComparedDevice[]>(`${this.sql} where id = $${values.length}`, values);
    return device ?? null;
  }

  async judge(device: ComparedDevice, { bodies, digest, notThere }: Readings): Promise<Verdict> {
    const leftOut = (reason: string, detail: string | null, state: SyncState = 'left_out') =>
      ({ state, reason, detail, sync: null, items: [] }) satisfies Verdict;
    if (device.rivals.length > 0) return leftOut('overlap', [this.version.name, ...device.rivals].sort().join(', '));
    const { spec, missing } = fillIn(this.version.items, device);
    if (missing.length > 0) return leftOut('value_missing', missing.join(', '));
    if (notThere !== null) return leftOut('not_there', notThere);
    const items = await this.printed((spec as TemplateItem[]).map((item) => withSecretsOf(item, device)));
    const ignored = this.ignored.on(device.ignored, this.version.items, spec as TemplateItem[]);
    const before = device.known?.applied_as ?? null;
    const sync = await this.compare(items, ignored, before, bodies, digest);
    const [problem] = sync.plan.problems;
    if (problem) return leftOut(problem.code, problem.path, problem.code === 'unread' ? 'unread' : 'left_out');
    const state = device.known?.suspended_at ? 'suspended' : sync.state;
    return { state, reason: null, detail: null, sync, items: appliedItems(items, ignored, before?.items) };
  }

  /** @param isApplied whether a job has just set the device to this version: what differs now are the forms of the device */
  rowOf({ id, known, input }: ComparedDevice, verdict: Verdict, now: Date, isApplied = false): StateRow {
    const { state, reason, detail, sync, items } = verdict;
    const { number } = this.version;
    // Sections that are still missing are no form of what was sent.
    const isHeld = isApplied && sync !== null && openOf(sync.plan).every(({ option }) => option !== null);
    const isThere = isHeld || sync?.state === 'in_sync';
    const nextState = isHeld && state !== 'suspended' ? 'in_sync' : state;
    const forms = isHeld ? formsOf(sync.plan, this.hidden) : [];
    const applied_as = isThere
      ? {
          items,
          forms: [...new Set([...(known?.applied_as?.forms ?? []), ...forms])].slice(-FORMS_MAX),
        }
      : (known?.applied_as ?? null);
    const applied = isThere ? number : (known?.applied ?? null);
    const open = isHeld ? [] : (sync?.plan.differences ?? []);
    return {
      device_id: id,
      state: nextState,
      reason,
      detail,
      since: known?.state === nextState ? known.since : now.toISOString(),
      desired: number,
      applied,
      observed: isThere ? number : sync && sync.moved.length === 0 ? applied : null,
      applied_as,
      closed_at: isApplied ? now.toISOString() : (known?.closed_at ?? null),
      differences: open.slice(0, DIFFERENCES_MAX).map((difference) => bounded(this.hidden(difference))),
      more_differences: Math.max(0, open.length - DIFFERENCES_MAX),
      compared_from: input,
    };
  }

  /** Secrets that are to be made for a device, by name, with their length. */
  unmade({ made, ...device }: ComparedDevice) {
    const { spec, missing } = fillIn(this.version.items, device);
    if (missing.length > 0) return [];
    const ignored = this.ignored.on(device.ignored, this.version.items, spec as TemplateItem[]);
    return (spec as TemplateItem[]).flatMap(({ path, key, sealed }) =>
      sealed.flatMap((one) => {
        const name = nameOf({ path, key, option: one.option });
        const isNeeded = 'generate' in one && !made?.[name] && !ignored.has(name);
        return isNeeded ? [{ name, path, option: one.option, length: one.generate }] : [];
      }),
    );
  }

  private async compare(
    items: readonly DeviceItem[],
    ignored: IgnoredNames,
    applied: AppliedTemplate | null,
    bodies: ReadonlyMap<string, unknown>,
    digest: string,
  ): Promise<Sync> {
    const name = canonical([digest, appliedItems(items), applied, [...ignored]]);
    const known = this.compared.get(name);
    if (known) return known;
    const before = applied && { items: await this.printed(applied.items), forms: applied.forms };
    const sync = syncOf({ items, applied: before, bodies, ignored, hidden: this.hidden });
    this.compared.set(name, sync);
    return sync;
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
    if (one.valueId === NOT_MADE) return Promise.resolve('');
    const name = `${one.valueId} ${path} ${one.option}`;
    const print = this.prints.get(name) ?? this.secrets.print(path, one).catch(() => null);
    this.prints.set(name, print);
    return print;
  }
}

function withSecretsOf({ path, key, mode, options, sealed }: TemplateItem, { made }: ComparedDevice): AppliedItem {
  const values = sealed.map((one) => ({
    option: one.option,
    valueId: 'valueId' in one ? one.valueId : (made?.[nameOf({ path, key, option: one.option })] ?? NOT_MADE),
  }));
  return { path, key, mode, options, sealed: values };
}

function bounded({ wanted, seen, ...difference }: ItemDifference): ItemDifference {
  return { ...difference, wanted: short(wanted), seen: short(seen) };
}

/** Null for what is not there. */
function short(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…`.toWellFormed() : (value ?? null);
}
