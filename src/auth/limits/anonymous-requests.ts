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

  /** @param silenceMs after which an answer that moves no byte is ended; a place is free before, a connection is not */
  constructor(private readonly silenceMs = 20_000) {}

  /**
   * Counts a request until its answer is handed over or its connection is closed: how slowly the caller reads is the caller's
   * choice, and prepared bytes that wait for their reader cost nothing but the connection. Call it when the body is complete: a
   * request whose body has not arrived is not work in progress, and a source without any work could hold all places.
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
    let isOver = false;
    const end = () => {
      if (!isOver) this.end(counter);
      isOver = true;
    };
    // Node's event for the call of `end`; `finish` comes when the system has all bytes, which the reader decides.
    raw.once('prefinish', () => {
      end();
      raw.setTimeout(this.silenceMs, () => raw.destroy());
    });
    raw.once('close', end);
  }

  private end(counter: string): void {
    const count = this.inProgress.get(counter)! - 1;
    if (count > 0) this.inProgress.set(counter, count);
    else this.inProgress.delete(counter);
  }
}
