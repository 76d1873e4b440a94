import { type Actor } from '../../platform/actor.js';
import { READING_ACTIONS } from './audit-actions.js';
import { type AuditQuery } from './audit.contract.js';

/*
 * Filters of entries as SQL conditions. `devices/` supplies the filter by selector and by the caller's rights when it
 * starts: the audit does not know devices.
 */

/** A condition on table `device`; null when neither restricts. @throws AppError `invalid_selector` */
export type DeviceFilter = (selector: string | undefined, actor: Actor, values: unknown[]) => Promise<string | null>;

/** Holds the filter of `devices/`. Without that module no filter applies. */
export class DeviceFilters {
  private filter: DeviceFilter = () => Promise.resolve(null);

  use(filter: DeviceFilter): void {
    this.filter = filter;
  }

  /** Conditions on `entry`, and on `outcome` where the query joins it. Adds their values to `values`. */
  async conditions(
    filter: Omit<Partial<AuditQuery>, 'limit' | 'cursor'>,
    actor: Actor,
    values: unknown[],
  ): Promise<string[]> {
    const conditions: string[] = [];
    const where = (condition: (param: string) => string, value: unknown) => {
      if (value !== undefined) conditions.push(condition(`$${values.push(value)}`));
    };
    where((param) => `entry.actor = ${param}`, filter.actor);
    where((param) => `entry.actor_name = ${param}`, filter.who);
    if (filter.action?.endsWith('.*')) {
      where((param) => `starts_with(entry.action, ${param})`, filter.action.slice(0, -1));
    } else where((param) => `entry.action = ${param}`, filter.action);
    where((param) => `entry.action <> all (${param})`, filter.only && READING_ACTIONS);
    where((param) => `entry.device_id = ${param}::uuid`, filter.deviceId);
    where((param) => `entry.job_id = ${param}::uuid`, filter.jobId);
    where((param) => `(entry.operation_id = ${param}::uuid or entry.job_id = ${param}::uuid)`, filter.operation);
    where((param) => `entry.request_id = ${param}`, filter.requestId);
    if (filter.outcome === 'open') conditions.push('outcome.entry_id is null');
    else where((param) => `outcome.outcome = ${param}`, filter.outcome);
    where((param) => `entry.opened_at >= ${param}::timestamptz`, filter.since);
    where((param) => `entry.opened_at < ${param}::timestamptz`, filter.until);
    const devices = await this.filter(filter.selector, actor, values);
    if (devices !== null) conditions.push(`entry.device_id in (select device.id from device where ${devices})`);
    return conditions;
  }
}

/** For leaves of the log: whether the leaf's entry, or the entry that its outcome closes, matches. */
export function ofEntry(conditions: readonly string[]): string {
  if (conditions.length === 0) return 'true';
  return `exists (select from audit_entry entry where entry.id = leaf.row_id and ${conditions.join(' and ')})`;
}
