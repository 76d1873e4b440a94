import { type Redis } from 'ioredis';
import { errorChain } from '../platform/errors/error-chain.js';

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

/* What an error of Redis means for an operator. Pure. */

/** Each cause with what to do. The names are codes of warnings. */
export const REDIS_FAULTS = {
  redis_full:
    'Redis is full and refuses writes: jobs wait. Raise `maxmemory` there, or remove what others store in it.',
  redis_read_only:
    'REDIS_URL leads to a read-only replica of Redis, such as an old master after a fail-over: jobs wait. Let it lead to the master.',
  redis_cluster:
    'REDIS_URL leads to a node of a Redis Cluster, which the gateway cannot use: jobs wait. Give it a Redis of its own.',
  redis_disk: 'Redis cannot write to its disk and refuses writes: jobs wait. Free space there, and see its log.',
  redis_replicas:
    'Redis has fewer replicas than `min-replicas-to-write` asks for, and refuses writes: jobs wait. Bring the replicas back.',
  redis_login:
    'Redis refuses the login of REDIS_URL, or a command of it: jobs wait. The user needs all commands on its keys.',
  redis_loading: 'Redis is loading its data, or is busy with a script: jobs wait until it has done so.',
  redis_tls:
    'The TLS connection to Redis fails: jobs wait. Check rediss:// against the port, and its certificate (NODE_EXTRA_CA_CERTS).',
  redis_unreachable:
    'Redis does not answer: jobs wait. Check REDIS_URL (rediss:// only for TLS), the network and the server.',
} as const;

export type RedisFault = keyof typeof REDIS_FAULTS;

/** From the most telling words to the least. Redis writes its codes first; Lua puts them behind its own. */
const SIGNS: readonly (readonly [RedisFault, RegExp])[] = [
  ['redis_full', /\bOOM\b/],
  ['redis_read_only', /\bREADONLY\b|read[- ]only replica/i],
  ['redis_cluster', /\b(MOVED|ASK|CROSSSLOT|CLUSTERDOWN|TRYAGAIN)\b/],
  ['redis_disk', /\bMISCONF\b/],
  ['redis_replicas', /\b(NOREPLICAS|MASTERDOWN)\b/],
  ['redis_login', /\b(NOAUTH|WRONGPASS|NOPERM)\b|invalid password|AUTH\b.*\bcalled without/],
  ['redis_loading', /\b(LOADING|BUSY)\b/],
  ['redis_tls', /certificate|\bTLS\b|\bSSL\b|EPROTO|wrong version number|alert|ERR_TLS|before secure TLS/i],
];

/** The codes of OpenSSL and Node for certificates are words of their own. */
const TLS_CODE = /^(ERR_(SSL|TLS)|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

/** What an error of a Redis client means; the last one of its connection tells more than "Connection is closed". */
export function redisFaultOf(error: unknown): RedisFault {
  const { code = '' } = (error ?? {}) as { code?: string };
  const cause = error instanceof Error ? error.cause : undefined;
  if (TLS_CODE.test(code) || TLS_CODE.test((cause as { code?: string } | undefined)?.code ?? '')) return 'redis_tls';
  const text = errorChain(error);
  return SIGNS.find(([, sign]) => sign.test(text))?.[0] ?? 'redis_unreachable';
}
