import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { type Actor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { type ErrorCode } from '../platform/errors.js';
import { onProblem } from '../platform/http-server.js';
import { SweeperRunner, type Sweeper } from '../platform/sweeper.js';
import { Audit } from './audit.js';

/*
 * Who was refused what. Refusals of the same kind are gathered and written as one entry with their number, so that a flood
 * of them fills neither the audit nor the database, and is still counted to the last one.
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
  readonly firstAt: Date;
  lastAt: Date;
  count: number;
}

@Injectable()
export class Refusals implements Sweeper, OnModuleInit, OnApplicationBootstrap {
  readonly name = 'audit-refusals';
  readonly everyMs = 10_000;
  private gathered = new Map<string, Gathered>();

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

  /** Writes what was gathered. */
  async sweep(): Promise<Record<string, number>> {
    const { gathered } = this;
    if (gathered.size === 0) return {};
    this.gathered = new Map();
    const facts = [...gathered.values()].map(({ actor, code, subject, firstAt, lastAt, count }) => ({
      actor,
      action: 'request.refuse' as const,
      subject,
      facts: { code, count, firstAt: firstAt.toISOString(), lastAt: lastAt.toISOString() },
    }));
    await this.db.transaction((tx) => this.audit.recordAll(tx, facts, 'refused'));
    return {};
  }

  private note(code: ErrorCode, request: FastifyRequest): void {
    if (!REFUSALS.has(code)) return;
    const route = `${request.method} ${request.routeOptions.url ?? 'none'}`;
    const own = [code, request.actor?.subject ?? '', request.ip, route].join(' ');
    const key = this.gathered.has(own) || this.gathered.size < KINDS_MAX ? own : code;
    const now = this.clock.now();
    const known = this.gathered.get(key);
    if (known) {
      known.count++;
      known.lastAt = now;
      return;
    }
    const isOwn = key === own;
    const actor = isOwn && request.actor ? request.actor : stranger(request, isOwn);
    this.gathered.set(key, { actor, code, subject: isOwn ? route : 'several', firstAt: now, lastAt: now, count: 1 });
  }
}

/** Somebody of whom only the address is known; not even that when they are many. */
function stranger(request: FastifyRequest, isOne: boolean): Actor {
  const [requestId, address] = isOne ? [request.id, request.ip] : [null, null];
  return { subject: 'anonymous', name: 'anonymous', requestId, address, reason: null };
}
