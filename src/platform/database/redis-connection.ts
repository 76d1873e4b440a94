import { type Redis } from 'ioredis';
import { errorChain } from '../errors/error-chain.js';
import { REDIS_FAULTS, redisFaultOf } from './redis-fault.js';

/*
 * What a connection to Redis meets. A command that fails says "Connection is closed" whatever the reason; the reason is in
 * an event before it.
 */

/** Adds the reason to the errors of commands. */
export class RedisErrors {
  private last: Error | null = null;

  constructor(redis: Redis) {
    redis.on('error', (error: Error) => (this.last = error));
    redis.on('ready', () => (this.last = null));
  }

  explain(error: unknown): unknown {
    if (this.last === null || !(error instanceof Error) || error === this.last || error.cause !== undefined)
      return error;
    return new Error(error.message, { cause: this.last });
  }

  /** The same for the operator who starts the gateway. */
  startFault(error: unknown): Error {
    const explained = this.explain(error);
    const reason = errorChain(explained).replaceAll(/\s+/g, ' ').trim(); // those of OpenSSL have line breaks
    const advice = REDIS_FAULTS[redisFaultOf(explained)].replace(': jobs wait', '');
    return new Error(`The Redis of REDIS_URL cannot be used (${reason}). ${advice}`, { cause: error });
  }
}

/** Why a Redis cannot be used by how it runs. @param info its INFO, section server */
export function redisModeFault(info: string): string | null {
  const mode = /^redis_mode:(\S+)/m.exec(info)?.[1];
  if (mode === 'sentinel') {
    return (
      'REDIS_URL is the address of a Sentinel, which stores no data, and the gateway does not ask Sentinels for the master. ' +
      'Give an address that always leads to the master, such as HAProxy before the servers, or the endpoint of a hosted Redis.'
    );
  }
  if (mode !== 'cluster') return null;
  return (
    'REDIS_URL is a node of a Redis Cluster, where no job would run: the gateway talks to one server. ' +
    'Give it a Redis or Valkey without cluster mode; it needs little memory.'
  );
}

/** @throws Error in an operator's words */
export async function refuseMode(redis: Redis): Promise<void> {
  const fault = redisModeFault(await redis.info('server'));
  if (fault !== null) throw new Error(fault);
}
