import { type QueryRunner } from 'typeorm';

/** A count of the deliveries of webhooks that fail must not read all of them. */
export class FailingDeliveries1795808400000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create index webhook_delivery_failing_idx on webhook_delivery (state)
       where state = 'failed' or (state = 'waiting' and error is not null);
    `);
  }
}
