import { type Redis } from 'ioredis';
import { Batching } from '../../platform/database/batching.js';

/*
 * Atomic operations of replicas on shared sessions. Operations of one moment go to Redis as one script: with 10,000 jobs
 * that log in, 20,000 scripts of one operation each took a third of all commands. An error ends a script: the operations
 * before it are done, and all of its operations count as unanswered.
 *
 * The lock of an account contains the id of its holder (one attempt to get a session), with a plus when a replica waits.
 * Only the holder may renew it, store a session or release it.
 */

/** The pause in milliseconds after a group of more than one, to gather the next; short beside a login. */
const PAUSE_BETWEEN_BATCHES_MS = 10;

/** KEYS: for each operation its session and its lock. ARGV: for each its name, the number of its arguments, and these. */
const SCRIPT = `
  local function owned(lock, holder)
    local value = redis.call('get', lock) or ''
    return string.sub(value, 1, #holder) == holder and value
  end

  -- Deletes the lock. Publishes that only when a replica waits: otherwise every replica would read it for nothing.
  local function unlock(lock, value, holder, channel)
    redis.call('del', lock)
    if value ~= holder then redis.call('publish', channel, lock) end
    return 1
  end

  local operations = {}

  function operations.take(session, lock, holder, ms, unwanted)
    local id = redis.call('hget', session, 'id')
    if id and id ~= unwanted then return {'session', id, redis.call('hget', session, 'sealed')} end
    if redis.call('set', lock, holder, 'NX', 'PX', ms) then return {'locked'} end
    if string.sub(redis.call('get', lock), -1) ~= '+' then redis.call('append', lock, '+') end
    return {'wait', redis.call('pttl', lock)}
  end

  function operations.renew(session, lock, holder, ms)
    return owned(lock, holder) and redis.call('pexpire', lock, ms) or 0
  end

  function operations.store(session, lock, holder, channel, id, sealed, ms)
    local value = owned(lock, holder)
    if not value then return 0 end
    redis.call('hset', session, 'id', id, 'sealed', sealed)
    redis.call('pexpire', session, ms)
    return unlock(lock, value, holder, channel)
  end

  function operations.release(session, lock, holder, channel)
    local value = owned(lock, holder)
    return value and unlock(lock, value, holder, channel) or 0
  end

  function operations.prolong(session, lock, id, sealed, ms)
    if redis.call('hget', session, 'id') ~= id then return 0 end
    redis.call('hset', session, 'sealed', sealed)
    return redis.call('pexpire', session, ms)
  end

  function operations.forget(session, lock, id)
    if redis.call('hget', session, 'id') ~= id then return 0 end
    return redis.call('del', session)
  end

  local answers, at = {}, 1
  for first = 1, #KEYS, 2 do
    local last = at + 1 + ARGV[at + 1]
    local answer = operations[ARGV[at]](KEYS[first], KEYS[first + 1], unpack(ARGV, at + 2, last))
    answers[#answers + 1] = answer or 0 -- a nil would give each of the others its neighbour's
    at = last + 1
  end
  return answers`;

/** One operation, with its arguments after the keys of the session and of its account's lock. */
export type SessionOperation =
  /** Returns a session unless it is the unwanted one; or gives the lock to `holder`; or tells how long to wait. */
  | readonly ['take', holder: string, lockMs: number, unwantedId: string]
  | readonly ['renew', holder: string, lockMs: number]
  | readonly ['store', holder: string, channel: string, id: string, sealed: Buffer, livesMs: number]
  | readonly ['release', holder: string, channel: string]
  | readonly ['prolong', id: string, sealed: Buffer, livesMs: number]
  | readonly ['forget', id: string];

/** The answer of `take`: `session`, its id and the sealed session; `locked`; or `wait` and milliseconds. */
export type TakeAnswer = readonly [says: Buffer, idOrMs?: Buffer | number, sealed?: Buffer];

/** `take` gives `TakeAnswer`. All others give 1, or 0 when the lock has another holder, or the session has changed. */
export type SessionAnswer = TakeAnswer | number;

export interface SessionKeys {
  readonly session: string;
  readonly lock: string;
}

interface KeyedOperation {
  readonly keys: SessionKeys;
  readonly operation: SessionOperation;
}

export class SessionScripts {
  private readonly operations: Batching<KeyedOperation, SessionAnswer | null>;

  /** @param ask calls Redis; null when it does not answer */
  constructor(
    private readonly redis: Pick<Redis, 'callBuffer'>,
    private readonly ask: (command: () => Promise<unknown>) => Promise<unknown>,
  ) {
    this.operations = new Batching((operations) => this.run(operations), PAUSE_BETWEEN_BATCHES_MS);
  }

  /** @returns null when Redis does not answer; never fails */
  async take(keys: SessionKeys, holder: string, lockMs: number, unwantedId: string): Promise<TakeAnswer | null> {
    return (await this.operations.add({ keys, operation: ['take', holder, lockMs, unwantedId] })) as TakeAnswer | null;
  }

  /** @returns whether the operation was done; null when Redis does not answer; never fails */
  async execute(
    keys: SessionKeys,
    ...operation: Exclude<SessionOperation, readonly ['take', ...unknown[]]>
  ): Promise<boolean | null> {
    const answer = await this.operations.add({ keys, operation });
    return answer === null ? null : answer !== 0;
  }

  /** Waits until all requested operations are done. */
  drain(): Promise<void> {
    return this.operations.drain();
  }

  private async run(all: readonly KeyedOperation[]): Promise<(SessionAnswer | null)[]> {
    const keys = all.flatMap(({ keys: { session, lock } }) => [session, lock]);
    const args = all.flatMap(({ operation: [name, ...given] }) => [name, given.length, ...given]);
    const answers = (await this.ask(() => this.redis.callBuffer('EVAL', SCRIPT, keys.length, ...keys, ...args))) as
      readonly SessionAnswer[] | null;
    return all.map((_, index) => answers?.[index] ?? null);
  }
}
