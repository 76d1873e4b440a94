import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { type ErrorCode } from '../../platform/errors.js';
import { onProblem } from '../../http/http-server.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { Audit } from './audit.js';

/*
 * Records refused requests. Equal refusals are written as one entry with their count, so that a flood of them fills
 * neither the audit nor the database, and each is still counted. What could not be written is written with the next
 * pass, the last time at the stop.
 */

/** Refusals that concern rights. Failed logins have entries of their own. */
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

/** Kinds between two writes; further ones are counted together by their code. */
const KINDS_MAX = 500;

interface GatheredRefusals {
  readonly actor: Actor;
  readonly code: ErrorCode;
  readonly subject: string;
  firstAt: Date;
  lastAt: Date;
  count: number;
}

@Injectable()
export class Refusals implements Sweeper, OnModuleInit {
  readonly name = 'audit-refusals';
  readonly everyMs = 10_000;
  private gathered = new Map<string, GatheredRefusals>();
  /** The last write; the next one waits for it. */
  private writing: Promise<void> = Promise.resolve();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Pick<Audit, 'recordAll'>,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(HttpAdapterHost) private readonly http: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    const server = this.http.httpAdapter.getInstance<FastifyInstance>();
    onProblem(server, (code, request) => this.count(code, request));
  }

  /** When it resolves, a write of another pass has ended, too: its rows are committed or still gathered. */
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

  private count(code: ErrorCode, request: FastifyRequest): void {
    if (!REFUSALS.has(code) || asksWhoIsThere(code, request)) return;
    const route = `${request.method} ${request.routeOptions.url ?? 'none'}`;
    const kind = [code, request.actor?.actorId ?? '', request.callerAddress, route].join(' ');
    const now = this.clock.now();
    const actor = request.actor ?? anonymousActor(request.id, request.callerAddress);
    this.add(kind, { actor, code, subject: route, firstAt: now, lastAt: now, count: 1 });
  }

  /** Adds refusals of a kind. When there are too many kinds, they are counted together by their code. */
  private add(kind: string, more: GatheredRefusals): void {
    const known = this.gathered.get(kind);
    if (known) {
      known.count += more.count;
      if (more.firstAt < known.firstAt) known.firstAt = more.firstAt;
      if (more.lastAt > known.lastAt) known.lastAt = more.lastAt;
    } else if (this.gathered.size < KINDS_MAX || kind === more.code) this.gathered.set(kind, more);
    else this.add(more.code, { ...more, actor: anonymousActor(null, null), subject: 'several' });
  }
}

/** The console asks `GET /v1/self` before a sign-in. Without any credentials the question is no attempt to get in. */
function asksWhoIsThere(code: ErrorCode, { method, headers, routeOptions }: FastifyRequest): boolean {
  const isQuestion = code === 'unauthenticated' && method === 'GET' && routeOptions.url === '/v1/self';
  return isQuestion && headers.authorization === undefined && headers.cookie === undefined;
}

/** An unauthenticated caller. The address is null when several callers are counted together. */
function anonymousActor(requestId: string | null, address: string | null): Actor {
  return { actorId: 'anonymous', name: 'anonymous', requestId, address, reason: null };
}
