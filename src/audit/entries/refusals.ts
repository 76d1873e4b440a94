import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { type ErrorCode } from '../../platform/errors.js';
import { onProblem } from '../../platform/http/http-server.js';
import { SweeperRunner, type Sweeper } from '../../platform/sweeper.js';
import { Audit } from './audit.js';

/*
 * Who was refused what. Refusals of the same kind are gathered and written as one entry with their number, so that a flood
 * of them fills neither the audit nor the database, and is still counted to the last one: what could not be written is kept
 * for the next time, and the module writes the rest at the stop.
 */

/** The refusals that say something about rights. Logins that failed have entries of their own. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'forbidden',
  'cross_site_refused',
  'address_refused',
  'locked',
  'rate_limited',
  'step_up_required',
  'setup_token_refused',
]);

/** Kinds that are told apart between two writings; those beyond are counted together by their code. */
const KINDS_MAX = 500;

interface Gathered {
  readonly actor: Actor;
  readonly code: ErrorCode;
  readonly subject: string;
  firstAt: Date;
  lastAt: Date;
  count: number;
}

@Injectable()
export class Refusals implements Sweeper, OnModuleInit, OnApplicationBootstrap {
  readonly name = 'audit-refusals';
  readonly everyMs = 10_000;
  private gathered = new Map<string, Gathered>();
  /** The last writing, which the next one waits for. */
  private writing: Promise<void> = Promise.resolve();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Pick<Audit, 'recordAll'>,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(SweeperRunner) private readonly sweepers: SweeperRunner,
    @Inject(HttpAdapterHost) private readonly http: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    const server = this.http.httpAdapter.getInstance<FastifyInstance>();
    onProblem(server, (code, request) => this.note(code, request));
  }

  onApplicationBootstrap(): void {
    this.sweepers.start(this);
  }

  /** Writes what was gathered; also what another pass is just writing is committed, or kept, when it resolves. */
  async sweep(): Promise<Record<string, number>> {
    const write = () => this.write();
    this.writing = this.writing.then(write, write);
    await this.writing;
    return {};
  }

  private async write(): Promise<void> {
    const { gathered } = this;
    if (gathered.size === 0) return;
    this.gathered = new Map();
    const facts = [...gathered.values()].map(({ actor, code, subject, firstAt, lastAt, count }) => ({
      actor,
      action: 'request.refuse' as const,
      subject,
      facts: { code, count, firstAt: firstAt.toISOString(), lastAt: lastAt.toISOString() },
    }));
    try {
      await this.db.transaction((tx) => this.audit.recordAll(tx, facts, 'refused'));
    } catch (error) {
      for (const [kind, one] of gathered) this.add(kind, one);
      throw error;
    }
  }

  private note(code: ErrorCode, request: FastifyRequest): void {
    if (!REFUSALS.has(code)) return;
    const route = `${request.method} ${request.routeOptions.url ?? 'none'}`;
    const kind = [code, request.actor?.subject ?? '', request.ip, route].join(' ');
    const now = this.clock.now();
    const actor = request.actor ?? stranger(request.id, request.ip);
    this.add(kind, { actor, code, subject: route, firstAt: now, lastAt: now, count: 1 });
  }

  /** Adds to what was gathered of a kind; kinds that are too many are counted together by their code. */
  private add(kind: string, more: Gathered): void {
    const known = this.gathered.get(kind);
    if (known) {
      known.count += more.count;
      if (more.firstAt < known.firstAt) known.firstAt = more.firstAt;
      if (more.lastAt > known.lastAt) known.lastAt = more.lastAt;
    } else if (this.gathered.size < KINDS_MAX || kind === more.code) this.gathered.set(kind, more);
    else this.add(more.code, { ...more, actor: stranger(null, null), subject: 'several' });
  }
}

/** Somebody of whom only the address is known; not even that when they are many. */
function stranger(requestId: string | null, address: string | null): Actor {
  return { subject: 'anonymous', name: 'anonymous', requestId, address, reason: null };
}
