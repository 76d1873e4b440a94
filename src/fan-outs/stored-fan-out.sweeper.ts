import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { type Sweeper } from '../platform/sweeper.js';

/** The age of the last sign of life after which a fan-out counts as interrupted; the recorder gives one in 2 s. */
const SILENT_AFTER_S = 60;

/** Fan-outs that one pass deletes: each has a row for each device. */
const DELETED_PER_PASS = 50;

/** Ends stored fan-outs whose process was lost, and deletes old ones. */
@Injectable()
export class StoredFanOutSweeper implements Sweeper {
  readonly name = 'fan-outs';
  readonly everyMs = 15_000;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CONFIG)
    private readonly config: Pick<GatewayConfig, 'STORED_FAN_OUT_DAYS' | 'STORED_FAN_OUTS_PER_OPERATOR'>,
  ) {}

  async sweep(): Promise<Record<string, number>> {
    const interrupted = await this.db.transaction((tx) => this.endSilent(tx));
    const [deleted] = await this.db.query<[unknown[], number]>(
      `delete from fan_out where id in (
         select id from (select id, ended_at, row_number() over (partition by operator_id order by created_at desc, id desc) as place
                           from fan_out) as placed
          where ended_at < now() - $1 * interval '1 day' or (place > $2 and ended_at is not null) limit $3)
       returning id`,
      [this.config.STORED_FAN_OUT_DAYS, this.config.STORED_FAN_OUTS_PER_OPERATOR, DELETED_PER_PASS],
    );
    return { interrupted, deleted: deleted.length };
  }

  private async endSilent(tx: EntityManager): Promise<number> {
    const [rows] = await tx.query<[{ id: string }[], number]>(
      `update fan_out set state = 'interrupted', ended_at = now(), stopped = 'its gateway process was lost'
        where state = 'running' and alive_at < now() - $1 * interval '1 second' returning id`,
      [SILENT_AFTER_S],
    );
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await fillUnrecorded(tx, ids);
    return ids.length;
  }
}

/** Gives an outcome to each device without one: a write may have been sent. Then counts again. */
async function fillUnrecorded(tx: EntityManager, ids: readonly string[]): Promise<void> {
  await tx.query(
    `insert into fan_out_device (fan_out_id, device_id, outcome, reason)
     select fan_out.id, member.id, case when writes then 'unknown' else 'skipped' end, 'interrupted'
       from fan_out, unnest(device_ids) as member (id) where fan_out.id = any($1::uuid[])
     on conflict do nothing`,
    [ids],
  );
  await tx.query(
    `update fan_out set counts = counted.counts
       from (select fan_out_id, jsonb_object_agg(outcome, devices) as counts
               from (select fan_out_id, outcome, count(*) as devices from fan_out_device
                      where fan_out_id = any($1::uuid[]) group by 1, 2) as each
              group by 1) as counted
      where fan_out.id = counted.fan_out_id`,
    [ids],
  );
}
