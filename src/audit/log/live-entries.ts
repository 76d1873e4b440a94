import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Actor } from '../../platform/actor.js';
import { PgNotifications } from '../../database/pg-notifications.js';
import { DeviceFilters, ofEntry } from '../entries/audit-filter.js';
import { type StreamQuery } from '../entries/audit.contract.js';
import { JOIN_ROWS, LINE } from '../entries/canonical.js';
import { LOG_TOPIC } from './sequencer.js';

/*
 * Streams new audit entries in the order of the log. An event's id is its position in the log, so a reader that reconnects
 * with the last id misses nothing and gets nothing twice.
 */

const LEAVES_AT_ONCE = 500;

/** The interval of polls and keep-alive comments without a notification. */
const POLL_EVERY_MS = 15_000;

const POLL_EVERY_MS_UNNOTIFIED = 1_000;

interface LiveLeaf {
  readonly sequence: number;
  readonly kind: number;
  readonly line: string | null;
}

@Injectable()
export class LiveEntries {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(PgNotifications) private readonly notifications: Pick<PgNotifications, 'on' | 'isListening'>,
    @Inject(DeviceFilters) private readonly devices: DeviceFilters,
  ) {}

  /** Each event has its canonical line. @param lastEventId takes precedence over `after` */
  async start(query: StreamQuery, lastEventId: string | undefined, actor: Actor): Promise<AsyncGenerator<string>> {
    const values: unknown[] = [];
    const conditions = await this.devices.conditions(query, actor, values);
    const seen = /^\d{1,15}$/.test(lastEventId ?? '') ? Number(lastEventId) : query.after;
    return this.events(seen ?? (await this.lastPosition()), conditions, values);
  }

  private async *events(seen: number, conditions: readonly string[], values: unknown[]): AsyncGenerator<string> {
    let growth = new AbortController();
    const stop = this.notifications.on(LOG_TOPIC, () => growth.abort());
    try {
      yield ': live entries of the audit\n\n';
      for (let after = seen; ;) {
        growth = new AbortController();
        const leaves = await this.leavesAfter(after, conditions, values);
        after = leaves.at(-1)?.sequence ?? after;
        const text = leaves.map(eventOf).join('');
        if (text !== '') yield text;
        if (leaves.length === LEAVES_AT_ONCE) continue;
        const ms = this.notifications.isListening ? POLL_EVERY_MS : POLL_EVERY_MS_UNNOTIFIED;
        await pause(ms, undefined, { signal: growth.signal, ref: false }).catch(() => undefined);
        if (!growth.signal.aborted) yield ':\n\n';
      }
    } finally {
      stop();
    }
  }

  private async lastPosition(): Promise<number> {
    const [row] = await this.db.query<{ last: number | null }[]>(
      'select max(sequence)::float8 as last from audit_leaf',
    );
    return row?.last ?? -1;
  }

  /** All leaves; one that does not match has no line, but advances the reader's position. */
  private leavesAfter(after: number, conditions: readonly string[], values: readonly unknown[]): Promise<LiveLeaf[]> {
    const param = values.length;
    const isWanted = ofEntry(conditions);
    return this.db.query<LiveLeaf[]>(
      `select leaf.sequence::float8 as sequence, leaf.kind, chosen.line
         from (select * from audit_leaf where sequence > $${param + 1} order by sequence limit ${LEAVES_AT_ONCE}) as leaf
         left join lateral (
           select ${LINE} as line
             from (select) as one ${JOIN_ROWS}
            where ${isWanted}) as chosen on true
        order by leaf.sequence`,
      [...values, after],
    );
  }
}

function eventOf({ sequence, kind, line }: LiveLeaf): string {
  return line === null ? '' : `id: ${sequence}\nevent: ${kind === 0 ? 'entry' : 'outcome'}\ndata: ${line}\n\n`;
}
