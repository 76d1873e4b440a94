import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PgNotifications } from '../../database/pg-notifications.js';
import { type AppError } from '../../platform/errors.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { type Principal } from '../access/access.js';
import { Locks } from '../access/locks.service.js';
import { type RequiredRight, type Rights, type ScopedDevice } from '../rights/rights.js';
import { RightsService } from '../rights/rights.service.js';
import { refusalOf, stopSentence } from './author-judgement.js';
import { Authors } from './authors.service.js';

/*
 * Authors of work that this process does for a caller that may have left, such as a stored fan-out. Before each call the
 * author is judged, in memory, without waiting. What is in memory is read again at each notification of a change, and each
 * second, since the connection for notifications can die silently.
 */

/** The author of one piece of work. */
export class WorkAuthor {
  /** Of the refusal that ended all calls. It stays: a lock that ends later does not resume what it stopped. */
  private refusal: AppError | null = null;

  constructor(
    readonly actor: Principal,
    private readonly needs: readonly RequiredRight[],
    private readonly writes: boolean,
    private readonly locks: Pick<Locks, 'lockOfCall'>,
    /** The present rights; null: the author has none left. */
    public rights: Rights | null = actor.rights,
  ) {}

  /** Why no more calls may be made on any device; null: they may. */
  get stop(): AppError | null {
    return (this.refusal ??= this.refusalFor(null));
  }

  /** @throws AppError `locked`, `author_gone`, `starter_may_not` when the call on this device may not be made */
  requireCall(device: ScopedDevice): void {
    const refusal = this.stop ?? this.refusalFor(device);
    if (refusal) throw refusal;
  }

  private refusalFor(device: ScopedDevice | null): AppError | null {
    const { actor, rights, needs, writes } = this;
    return refusalOf({ name: actor.name, rights }, needs, device, this.locks.lockOfCall(actor, device, writes));
  }
}

@Injectable()
export class WorkAuthors implements Sweeper, OnModuleDestroy {
  readonly name = 'work-authors';
  readonly everyMs = 1_000;
  private readonly followed = new Set<WorkAuthor>();
  private readonly unsubscribe: (() => void)[];

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Authors) private readonly authors: Authors,
    @Inject(Locks) private readonly locks: Locks,
    @Inject(RightsService) rights: RightsService,
    @Inject(PgNotifications) notifications: PgNotifications,
  ) {
    const read = () => void this.sweep().catch(() => undefined); // the sweep of the next second reads again
    this.unsubscribe = [rights.onChange(read), notifications.on('api_key', read)];
  }

  onModuleDestroy(): void {
    for (const stop of this.unsubscribe) stop();
  }

  /** Follows the author of work that begins now. Call `leave` at its end. @param needs the rights for each call */
  follow(actor: Principal, needs: readonly RequiredRight[], writes: boolean): WorkAuthor {
    const author = new WorkAuthor(actor, needs, writes, this.locks);
    this.followed.add(author);
    return author;
  }

  leave(author: WorkAuthor): void {
    this.followed.delete(author);
  }

  /** Reads the present rights of all followed authors. */
  async sweep(): Promise<Record<string, number>> {
    for (const author of this.followed) {
      const { operatorId, actorId: createdBy } = author.actor;
      author.rights = await this.authors.rightsOf({ operatorId, createdBy });
    }
    return { followed: this.followed.size };
  }

  /** Why an author's work stopped, with the person who stopped it; null: it did not. @param since its begin */
  async stopReason({ stop, actor }: WorkAuthor, since: Date): Promise<string | null> {
    if (!stop) return null;
    const [change] = await this.db.query<{ name: string }[]>(
      `select actor_name as name from audit_entry
        where opened_at >= $1 and (subject = any($2) and action in ('api_key.revoke', 'operator.update', 'role.assign')
              or action = 'role.save' and subject in (select 'role:' || role from operator_role where operator_id = $3))
        order by opened_at desc, id desc limit 1`,
      [since, [`operator:${actor.operatorId}`, `api_key:${actor.keyId}`], actor.operatorId],
    );
    return stopSentence(stop, change?.name ?? null);
  }
}
