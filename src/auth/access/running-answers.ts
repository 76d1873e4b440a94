import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { type Principal } from './access.js';
import { Locks } from './locks.service.js';
import { type LockSubject } from './lock-table.js';
import { type Rights, type ScopedDevice } from '../rights/rights.js';
import { RightsService } from '../rights/rights.service.js';

/*
 * Registry of running answers, to end them early: when their actor or device is locked, when their key or session has
 * ended, or when their reader has lost rights. A caller without permission must not go on reading either. Locks send
 * events; keys, sessions and rights are polled while answers last. A caller who still has some rights sends the request
 * again.
 *
 * It is an array, and not a Set. Every request is added and removed. When V8 gives such a Set
 * a new table, the old one, dead but in the old generation, keeps the new one alive, and so all tables with their
 * requests. Moving that garbage took a tenth of the processor time of a call (docs/adr/0023-objects-on-the-path-of-a-call.md).
 */

/** The most event streams of one operator in one process, with all keys and sessions. */
const MAX_EVENT_STREAMS = 20;

type Reader = LockSubject & Pick<Principal, 'sessionId' | 'scope' | 'rights'>;

/** A running answer, with what the registry notes of it. */
export interface RunningAnswer {
  readonly actor: Reader;
  /** The device that it comes from, or null. */
  readonly device: ScopedDevice | null;
  /** Whether it is an event stream, which only its reader ends. */
  readonly isEventStream: boolean;
  /** The reader's rights at the last check when they had changed; null: those at the start. */
  checkedRights: Rights | null;
  /** Whether it existed at the last check of keys and sessions; most answers are shorter. */
  lasts: boolean;
  /** Its index in the list; -1: it is not in it. */
  index: number;
  /** Ends it and closes its connection. */
  cut(): void;
}

@Injectable()
export class RunningAnswers implements Sweeper {
  /** The name in metrics and logs does not change. */
  readonly name = 'live-streams';
  readonly everyMs = 1_000;

  private readonly answers: RunningAnswer[] = [];

  constructor(
    @Inject(Locks) private readonly locks: Locks,
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(RightsService) private readonly rights: RightsService,
  ) {
    locks.onChange(() => this.endWhere(({ actor, device }) => locks.isLocked(actor, device)));
  }

  /** @throws AppError `too_many_streams` */
  add(answer: RunningAnswer): void {
    if (answer.isEventStream) this.refuseMore(answer);
    answer.index = this.answers.push(answer) - 1;
  }

  /** Removes an answer; a removed one stays removed. */
  remove(answer: RunningAnswer): void {
    if (answer.index < 0) return;
    const last = this.answers.pop()!;
    if (last !== answer) this.answers[answer.index] = last;
    last.index = answer.index;
    answer.index = -1;
  }

  private refuseMore(wanted: RunningAnswer): void {
    const followed = this.answers.filter(
      ({ isEventStream, actor }) => isEventStream && actor.operatorId === wanted.actor.operatorId,
    );
    if (followed.length >= MAX_EVENT_STREAMS) throw new AppError('too_many_streams', { limit: MAX_EVENT_STREAMS });
  }

  /** Ends long answers whose key or session has ended since they began, or whose reader has lost rights. */
  async sweep(): Promise<Record<string, number>> {
    const lasting = new Set<string>();
    for (const answer of this.answers) {
      if (answer.lasts) lasting.add(credentialOf(answer));
      answer.lasts = true;
    }
    if (lasting.size === 0) return {};
    const valid = await this.stillValid([...lasting]);
    const ended = this.endWhere((answer) => lasting.has(credentialOf(answer)) && !valid.has(credentialOf(answer)));
    return { ended, narrowed: await this.endNarrowed() };
  }

  /** Ends answers that may contain data their reader may no longer see. @returns their number */
  private async endNarrowed(): Promise<number> {
    const narrowed = new Set<RunningAnswer>();
    for (const answer of this.answers.filter(({ lasts }) => lasts)) {
      const { operatorId, scope, rights: first } = answer.actor;
      const before = answer.checkedRights ?? first;
      const now = await this.rights.of(operatorId, scope);
      if (now === before) continue;
      if (now.includes(before)) answer.checkedRights = now;
      else narrowed.add(answer);
    }
    return narrowed.size === 0 ? 0 : this.endWhere((answer) => narrowed.has(answer));
  }

  private async stillValid(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.db.query<{ id: string }[]>(
      `select shown.id
         from (select id, operator_id, revoked_at, expires_at as ends_at from api_key where id = any ($1::uuid[])
               union all
               select id, operator_id, revoked_at, ends_at from operator_session where id = any ($1::uuid[])) as shown
         join operator on operator.id = shown.operator_id
        where shown.revoked_at is null and operator.disabled_at is null and (shown.ends_at is null or shown.ends_at > $2)`,
      [ids, this.clock.now()],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** @returns how many were ended */
  private endWhere(matches: (answer: RunningAnswer) => boolean): number {
    const ended = this.answers.filter(matches);
    for (const answer of ended) {
      this.remove(answer);
      answer.cut();
    }
    return ended.length;
  }
}

const credentialOf = ({ actor: { keyId, sessionId } }: RunningAnswer): string => (keyId ?? sessionId)!;
