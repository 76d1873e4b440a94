import { type QueryRunner } from 'typeorm';

/** The custom field that selectors compare the data of the month with (`data.plan`). A field of this name stays as it is. */
export class PlanField1795813200000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      insert into device_field (key, type, description, updated_at)
      values ('plan_mb', 'number', 'Megabytes that the SIM may send and receive in a month', now()) on conflict do nothing
    `);
  }
}
