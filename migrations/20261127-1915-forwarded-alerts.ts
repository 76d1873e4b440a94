import { type QueryRunner } from 'typeorm';

/** What was sent to Alertmanagers. */
export class ForwardedAlerts1795806900000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table alert_rule add column forwarded_at timestamptz;
      comment on column alert_rule.forwarded_at is 'When a process last took it to send its alerts to Alertmanagers.';

      alter table alert add column forwarded_at timestamptz;
      comment on column alert.forwarded_at is 'From when on Alertmanagers are told of it, until its end; null: not yet.';
    `);
  }
}
