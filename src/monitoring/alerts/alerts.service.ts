import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Principal } from '../../auth/access/access.js';
import { type Rights } from '../../auth/rights/rights.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { SavedSelectorsService } from '../../devices/saved-selectors.service.js';
import { newestRows } from '../../http/newest-first.js';
import { type Page } from '../../http/page.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { selectorSql } from '../../selectors/selector-sql.js';
import { type AlertValue, alertValues } from './alert-values.js';
import { type AlertQuery, type AlertView } from './alerts.contract.js';

type AlertRow = Omit<AlertView, 'matchedAt' | 'values'> & { readonly matchedAt: Date; readonly selector: string };
type Alert = Omit<AlertRow, 'selector'> & { readonly values: readonly AlertValue[] };

const ALERTS = `
  select alert.id, alert.state, rule.severity, rule.id as "ruleId", rule.name as "ruleName", rule.note as "ruleNote",
         device.id as "deviceId", device.name as "deviceName", alert.matched_at as "matchedAt", alert.opened_at as "openedAt",
         alert.cleared_at as "clearedAt", alert.closed_at as "closedAt", alert.acknowledged_at as "acknowledgedAt",
         alert.acknowledged_by_name as "acknowledgedByName", alert.acknowledgement, device.state_reason as "stateReason",
         rule.selector
    from alert join alert_rule rule on rule.id = alert.rule_id join device on device.id = alert.device_id`;

/** Alerts, as their readers see and acknowledge them: those of devices that they may read. */
@Injectable()
export class Alerts {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(SavedSelectorsService) private readonly selectors: SavedSelectorsService,
  ) {}

  /** The newest first. @throws AppError `invalid_selector`, `invalid_cursor`, `device_not_found` */
  async list(query: AlertQuery, { rights }: Principal): Promise<Page<Alert>> {
    const values: unknown[] = [];
    const param = (value: unknown) => `$${values.push(value)}`;
    const now = this.clock.now();
    const conditions = [rights.sql('device.read', values, now)];
    if (query.state !== 'all') conditions.push(`alert.state = ${param(query.state)}`);
    if (query.rule !== undefined) conditions.push(`alert.rule_id = ${param(query.rule)}::uuid`);
    if (query.severity !== undefined) conditions.push(`rule.severity = ${param(query.severity)}`);
    if (query.selector !== undefined)
      conditions.push(selectorSql(await this.selectors.read(query.selector, rights), values, now, rights));
    if (query.device !== undefined) {
      const device = await this.devices.resolve(query.device);
      rights.requireOnDevice({ action: 'device.read', device });
      conditions.push(`device.id = ${param(device.id)}::uuid`);
    }
    const sql = `select * from (${ALERTS} where ${conditions.join(' and ')}) as found where true`;
    const time = ['"matchedAt"', ({ matchedAt }: AlertRow) => matchedAt] as const;
    const { items, next } = await newestRows<AlertRow>(this.db.manager, 'alerts', query, { sql, values, time });
    return { items: await this.withValues(items, rights), next };
  }

  /** @throws AppError `alert_not_found`, also for the alert of a device that the reader cannot see */
  async get(id: string, rights: Rights): Promise<Alert> {
    const values: unknown[] = [id];
    const scope = rights.sql('device.read', values, this.clock.now());
    const [row] = await this.db.query<AlertRow[]>(`${ALERTS} where alert.id = $1 and ${scope}`, values);
    if (!row) throw new AppError('alert_not_found');
    const [alert] = await this.withValues([row], rights);
    return alert!;
  }

  private async withValues(rows: readonly AlertRow[], rights: Rights): Promise<Alert[]> {
    const values = await alertValues(this.db, rows, rights, this.clock.now());
    return rows.map((row) => {
      const { selector: _, ...alert } = row;
      return { ...alert, values: values.get(row.id)! };
    });
  }

  /** The first acknowledgement stays: a further one changes nothing. @throws AppError `alert_not_found`, `alert_not_open`, `forbidden` */
  async acknowledge(id: string, note: string, actor: Principal): Promise<Alert> {
    const { deviceId, ruleName } = await this.get(id, actor.rights);
    const { device } = await this.devices.get(deviceId);
    actor.rights.requireOnDevice({ action: 'alert.acknowledge', device }, 'alert_not_found');
    await this.db.transaction(async (tx) => {
      const [row] = await tx.query<{ isOpen: boolean; isDone: boolean }[]>(
        `select state = 'open' as "isOpen", acknowledged_at is not null as "isDone" from alert where id = $1 for no key update`,
        [id],
      );
      if (!row) throw new AppError('alert_not_found');
      if (row.isDone) return;
      if (!row.isOpen) throw new AppError('alert_not_open');
      await tx.query(
        'update alert set acknowledged_at = $2, acknowledged_by_name = $3, acknowledgement = $4 where id = $1',
        [id, this.clock.now(), actor.name, note],
      );
      const facts = { rule: ruleName, note };
      await this.audit.record(tx, { actor, action: 'alert.acknowledge', subject: `alert:${id}`, deviceId, facts });
    });
    return this.get(id, actor.rights);
  }
}
