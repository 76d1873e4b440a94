import { type EntityManager } from 'typeorm';
import { type ItemDifference } from '../desired/desired-plan.js';
import { type AppliedTemplate, formsOf, openOf, type PutBack, type SyncState } from '../desired/sync-state.js';
import { type ObservedPaths, type Readings } from '../observed/device-readings.js';
import { type IgnoredNow } from '../saved/ignored-options.service.js';
import { type JudgedDevice, leftOut, TemplateJudge, type Verdict } from '../saved/template-judge.js';
import { type TemplateSecrets } from '../saved/template-secrets.js';
import { type Published } from '../saved/template.entity.js';

/*
 * One published version against devices, and the rows that say how they compare. What is stored has no secret in clear.
 */

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

export interface ComparedDevice extends JudgedDevice {
  readonly observed: ObservedPaths;
  readonly known: (StateRow & { readonly put_back: PutBack; readonly suspended_at: string | null }) | null;
  /** Other templates that decide the same on it. */
  readonly rivals: readonly string[];
  /** A digest of all of this but `known`. */
  readonly input: string;
}

export class TemplateComparison {
  private readonly judging: TemplateJudge;

  /** @param sql selects devices as `ComparedDevice`, with a condition to add */
  constructor(
    readonly version: Published,
    secrets: TemplateSecrets,
    readonly sql: string,
    readonly values: readonly unknown[],
    ignored: IgnoredNow,
  ) {
    this.judging = new TemplateJudge(version.items, secrets, ignored, '');
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

  async judge(device: ComparedDevice, read: Readings): Promise<Verdict> {
    if (device.rivals.length > 0) return leftOut('overlap', [this.version.name, ...device.rivals].sort().join(', '));
    return this.judging.judge(device, read, device.known?.applied_as ?? null);
  }

  /** Secrets that are to be made for a device, by name, with their length. */
  unmade(device: ComparedDevice) {
    return this.judging.unmade(device);
  }

  /** @param isApplied whether a job has just set the device to this version: what differs now are the forms of the device */
  rowOf({ id, known, input }: ComparedDevice, verdict: Verdict, now: Date, isApplied = false): StateRow {
    const { reason, detail, sync, items } = verdict;
    const state = stateOf(verdict, known?.suspended_at ?? null);
    const { number } = this.version;
    // Sections that are still missing are no form of what was sent.
    const isHeld = isApplied && sync !== null && openOf(sync.plan).every(({ option }) => option !== null);
    const isThere = isHeld || sync?.state === 'in_sync';
    const nextState = isHeld && state !== 'suspended' ? 'in_sync' : state;
    const forms = isHeld ? formsOf(sync.plan, this.judging.hidden) : [];
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
      differences: open.slice(0, DIFFERENCES_MAX).map((difference) => bounded(this.judging.hidden(difference))),
      more_differences: Math.max(0, open.length - DIFFERENCES_MAX),
      compared_from: input,
    };
  }
}

function stateOf({ sync, reason }: Verdict, suspendedAt: string | null): SyncState {
  if (sync === null) return reason === 'unread' ? 'unread' : 'left_out';
  return suspendedAt === null ? sync.state : 'suspended';
}

function bounded({ wanted, seen, ...difference }: ItemDifference): ItemDifference {
  return { ...difference, wanted: short(wanted), seen: short(seen) };
}

/** Null for what is not there. */
function short(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…`.toWellFormed() : (value ?? null);
}
