import { type FastifyReply, type FastifyRequest } from 'fastify';
import { AppError } from '../../platform/errors.js';
import { sourceOf } from '../rights/address-list.js';

/*
 * How many requests without a caller one source may have in progress: documents, the console, sign-in, unknown
 * addresses. Requests with a key or session have limits of their own. Probes of health are always answered: they cost
 * next to nothing, and a load balancer may share its address with everybody behind it.
 */

/** An office behind one address loads the console in 20 browsers at once, with six connections each. */
export const PER_SOURCE_MAX = 120;

const HEALTH = /^\/health(?:[/?]|$)/;

export class AnonymousRequests {
  /** Sources that have a request in progress. */
  private readonly inProgress = new Map<string, number>();

  /** Counts a request until its answer is complete or its connection is closed. @throws AppError `too_many_requests_at_once` */
  begin(
    { url, callerAddress }: Pick<FastifyRequest, 'url' | 'callerAddress'>,
    { raw }: Pick<FastifyReply, 'raw'>,
  ): void {
    if (HEALTH.test(url)) return;
    const source = sourceOf(callerAddress);
    const count = this.inProgress.get(source) ?? 0;
    if (count >= PER_SOURCE_MAX) {
      throw new AppError('too_many_requests_at_once', { limit: PER_SOURCE_MAX, retryAfterSeconds: 1 });
    }
    this.inProgress.set(source, count + 1);
    raw.once('close', () => this.end(source));
  }

  private end(source: string): void {
    const count = this.inProgress.get(source)! - 1;
    if (count > 0) this.inProgress.set(source, count);
    else this.inProgress.delete(source);
  }
}
