import { type FastifyReply, type FastifyRequest } from 'fastify';
import { AppError } from '../../platform/errors.js';
import { sourceOf } from '../rights/address-list.js';

/*
 * How many requests without a caller one source may have in progress: documents and the console, and apart from them
 * sign-in, so that readers of documents keep no person out. Requests with a key or session have limits of their own.
 * Probes of health are always answered: they cost next to nothing, and a load balancer may share its address with
 * everybody behind it. An unknown address is refused before it is counted.
 */

/** An office behind one address loads the console in 20 browsers at once, with six connections each. */
export const PER_SOURCE_MAX = 120;

const HEALTH = /^\/health(?:[/?]|$)/;

/** All routes of the API without a caller: login, OpenID, invitations and the set-up. */
const SIGN_IN = /^\/v1\//;

export class AnonymousRequests {
  /** Sources that have a request in progress, by the kind of request. */
  private readonly inProgress = new Map<string, number>();

  /**
   * Counts a request until its answer is complete or its connection is closed. Call it when the body is complete: a request
   * whose body has not arrived is not work in progress, and a source without any work could hold all places.
   * @throws AppError `too_many_requests_at_once`
   */
  begin(
    { url, callerAddress }: Pick<FastifyRequest, 'url' | 'callerAddress'>,
    { raw }: Pick<FastifyReply, 'raw'>,
  ): void {
    if (HEALTH.test(url) || raw.closed) return;
    const counter = `${SIGN_IN.test(url) ? 'sign-in' : 'pages'} ${sourceOf(callerAddress)}`;
    const count = this.inProgress.get(counter) ?? 0;
    if (count >= PER_SOURCE_MAX) {
      throw new AppError('too_many_requests_at_once', { limit: PER_SOURCE_MAX, retryAfterSeconds: 1 });
    }
    this.inProgress.set(counter, count + 1);
    raw.once('close', () => this.end(counter));
  }

  private end(counter: string): void {
    const count = this.inProgress.get(counter)! - 1;
    if (count > 0) this.inProgress.set(counter, count);
    else this.inProgress.delete(counter);
  }
}
