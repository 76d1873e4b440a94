import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { SweeperRunner, type Sweeper } from '../../platform/sweeper.js';
import { type Principal } from './access.js';
import { Locks } from './locks.service.js';
import { type Lockable } from './locks.js';
import { type Rights, type ScopedDevice } from '../rights/rights.js';
import { RightsService } from '../rights/rights.service.js';

/*
 * Answers under way, so that those of whoever or whatever is locked end, and those whose key or session has ended, or whose
 * reader may less than when they began: who may not ask must not go on reading either. Locks are told; keys, sessions and
 * rights are looked at while an answer lasts. Whoever still may something asks anew, and is judged anew.
 *
 * A list that runs through its members, and no Set: when V8 makes a new table for a Set through which every request goes,
 * the old one, dead but in the old generation, keeps the new one alive, and so table after table with all requests that
 * stood in them. Moving that garbage took a tenth of the processor time of a call (docs/explanation/performance.md, P1).
 */

/** Streams of events that one key or session may follow at once, in one process. */
const FOLLOWED_MAX = 20;

/** Who reads an answer, with what. */
type Reader = Lockable & Pick<Principal, 'sessionId' | 'scope' | 'rights'>;

/** An answer under way. */
export class LiveStream {
  /** The rights that it was found to be within, when they are not those that it began with. */
  rights: Rights | null = null;
  /** It was there when keys and sessions were looked at last: most answers never are. */
  lasts = false;
  /** Its neighbours in the list; null when it is not in it. */
  before: LiveStream | null = null;
  after: LiveStream | null = null;

  /**
   * @param device the one that it comes from; null: no particular one
   * @param end ends it, and its connection
   * @param isFollowed whether it is a stream of events, which ends with its reader alone
   */
  constructor(
    readonly actor: Reader,
    readonly device: ScopedDevice | null,
    readonly end: () => void,
    readonly isFollowed = false,
  ) {}
}

@Injectable()
export class LiveStreams implements Sweeper, OnApplicationBootstrap, OnModuleDestroy {
  readonly name = 'live-streams';
  readonly everyMs = 1_000;

  private first: LiveStream | null = null;
  private readonly deaf: () => void;

  constructor(
    @Inject(Locks) private readonly locks: Locks,
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(RightsService) private readonly rights: RightsService,
    @Inject(SweeperRunner) private readonly sweepers: SweeperRunner,
  ) {
    this.deaf = locks.onChange(() => this.endThose(({ actor, device }) => locks.isLocked(actor, device)));
  }

  onApplicationBootstrap(): void {
    this.sweepers.start(this);
  }

  onModuleDestroy(): void {
    this.deaf();
  }

  /** @throws AppError `too_many_streams` */
  add(stream: LiveStream): void {
    if (stream.isFollowed) this.refuseMore(stream);
    stream.after = this.first;
    if (this.first) this.first.before = stream;
    this.first = stream;
  }

  /** Takes a stream out; one that is out already stays out. */
  remove(stream: LiveStream): void {
    const { before, after } = stream;
    if (before) before.after = after;
    else if (this.first === stream) this.first = after;
    else return;
    if (after) after.before = before;
    stream.before = null;
    stream.after = null;
  }

  private refuseMore(wanted: LiveStream): void {
    let followed = 0;
    for (let stream = this.first; stream; stream = stream.after) {
      if (stream.isFollowed && shownBy(stream) === shownBy(wanted)) followed++;
    }
    if (followed >= FOLLOWED_MAX) throw new AppError('too_many_streams', { limit: FOLLOWED_MAX });
  }

  /** Ends answers that have lasted for a while and whose key or session has ended since they began, or their rights. */
  async sweep(): Promise<Record<string, number>> {
    const lasting = new Set<string>();
    for (let stream = this.first; stream; stream = stream.after) {
      if (stream.lasts) lasting.add(shownBy(stream));
      stream.lasts = true;
    }
    if (lasting.size === 0) return {};
    const good = await this.goodOf([...lasting]);
    const over = this.endThose((stream) => lasting.has(shownBy(stream)) && !good.has(shownBy(stream)));
    return { ended: over, narrowed: await this.endNarrowed() };
  }

  /** Ends answers that may hold what their reader may not see any more. @returns how many those were */
  private async endNarrowed(): Promise<number> {
    const lasting: LiveStream[] = [];
    for (let stream = this.first; stream; stream = stream.after) if (stream.lasts) lasting.push(stream);
    const narrowed = new Set<LiveStream>();
    for (const stream of lasting) {
      const { operatorId, scope, rights: first } = stream.actor;
      const before = stream.rights ?? first;
      const now = await this.rights.of(operatorId, scope);
      if (now === before) continue;
      if (now.includes(before)) stream.rights = now;
      else narrowed.add(stream);
    }
    return narrowed.size === 0 ? 0 : this.endThose((stream) => narrowed.has(stream));
  }

  /** Which of these keys and sessions are still in force. */
  private async goodOf(ids: readonly string[]): Promise<ReadonlySet<string>> {
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

  /** @returns how many those were */
  private endThose(areMeant: (stream: LiveStream) => boolean): number {
    let ended = 0;
    for (let stream = this.first; stream;) {
      const { after } = stream;
      if (areMeant(stream)) {
        this.remove(stream);
        stream.end();
        ended++;
      }
      stream = after;
    }
    return ended;
  }
}

/** The id of the key or session that an answer was asked for with. */
const shownBy = ({ actor: { keyId, sessionId } }: LiveStream): string => (keyId ?? sessionId)!;
