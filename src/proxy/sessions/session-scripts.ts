import { type Redis } from 'ioredis';
import { Batching } from '../../platform/database/batching.js';

/*
 * Atomic steps of replicas on shared sessions. Steps of one moment go to Redis as one script: with 10,000 jobs that log
 * in, 20,000 scripts of one step each took a third of all commands. An error ends a script: the steps before it are
 * done, and all of its steps count as unanswered.
 *
 * The lock of an account contains the fence of its holder, with a plus when a replica waits. Only the holder may renew
 * it, store a session or release it.
 */

/** The pause in milliseconds after a group of more than one, to gather the next; short beside a login. */
const PAUSE_BETWEEN_BATCHES_MS = 10;

/** KEYS: for each step its session and its lock. ARGV: for each its name, the number of its arguments, and these. */
const SCRIPT = `
  local function owned(lock, fence)
    local value = redis.call('get', lock) or ''
    return string.sub(value, 1, #fence) == fence and value
  end

  -- Ends a turn. Publishes it only when a replica waits: otherwise every replica would read it for nothing.
  local function finish(lock, value, fence, channel)
    redis.call('del', lock)
    if value ~= fence then redis.call('publish', channel, lock) end
    return 1
  end

  local does = {}

  function does.take(session, lock, fence, ms, unwanted)
    local id = redis.call('hget', session, 'id')
    if id and id ~= unwanted then return {'session', id, redis.call('hget', session, 'sealed')} end
    if redis.call('set', lock, fence, 'NX', 'PX', ms) then return {'turn'} end
    if string.sub(redis.call('get', lock), -1) ~= '+' then redis.call('append', lock, '+') end
    return {'wait', redis.call('pttl', lock)}
  end

  function does.renew(session, lock, fence, ms)
    return owned(lock, fence) and redis.call('pexpire', lock, ms) or 0
  end

  function does.keep(session, lock, fence, channel, id, sealed, ms)
    local value = owned(lock, fence)
    if not value then return 0 end
    redis.call('hset', session, 'id', id, 'sealed', sealed)
    redis.call('pexpire', session, ms)
    return finish(lock, value, fence, channel)
  end

  function does.release(session, lock, fence, channel)
    local value = owned(lock, fence)
    return value and finish(lock, value, fence, channel) or 0
  end

  function does.prolong(session, lock, id, sealed, ms)
    if redis.call('hget', session, 'id') ~= id then return 0 end
    redis.call('hset', session, 'sealed', sealed)
    return redis.call('pexpire', session, ms)
  end

  function does.forget(session, lock, id)
    if redis.call('hget', session, 'id') ~= id then return 0 end
    return redis.call('del', session)
  end

  local answers, at = {}, 1
  for first = 1, #KEYS, 2 do
    local last = at + 1 + ARGV[at + 1]
    local answer = does[ARGV[at]](KEYS[first], KEYS[first + 1], unpack(ARGV, at + 2, last))
    answers[#answers + 1] = answer or 0 -- a nil would give each of the others its neighbour's
    at = last + 1
  end
  return answers`;

/** One step, with its arguments after the keys of the session and of its account's lock. */
export type SessionStep =
  /** Returns a session unless it is the unwanted one; or grants the turn; or tells how long to wait. */
  | readonly ['take', fence: string, lockMs: number, unwantedId: string]
  | readonly ['renew', fence: string, lockMs: number]
  | readonly ['keep', fence: string, channel: string, id: string, sealed: Buffer, livesMs: number]
  | readonly ['release', fence: string, channel: string]
  | readonly ['prolong', id: string, sealed: Buffer, livesMs: number]
  | readonly ['forget', id: string];

/** The answer of `take`: `session`, its id and the sealed session; `turn`; or `wait` and milliseconds. */
export type TakeAnswer = readonly [says: Buffer, idOrMs?: Buffer | number, sealed?: Buffer];

/** `take` gives `TakeAnswer`. All others give 1, or 0 when the fence or the session has changed. */
export type SessionAnswer = TakeAnswer | number;

export interface SessionKeys {
  readonly session: string;
  readonly lock: string;
}

interface KeyedStep {
  readonly keys: SessionKeys;
  readonly step: SessionStep;
}

export class SessionScripts {
  private readonly steps: Batching<KeyedStep, SessionAnswer | null>;

  /** @param ask calls Redis; null when it does not answer */
  constructor(
    private readonly redis: Pick<Redis, 'callBuffer'>,
    private readonly ask: (command: () => Promise<unknown>) => Promise<unknown>,
  ) {
    this.steps = new Batching((steps) => this.run(steps), PAUSE_BETWEEN_BATCHES_MS);
  }

  /** @returns null when Redis does not answer; never fails */
  async take(keys: SessionKeys, fence: string, lockMs: number, unwantedId: string): Promise<TakeAnswer | null> {
    return (await this.steps.add({ keys, step: ['take', fence, lockMs, unwantedId] })) as TakeAnswer | null;
  }

  /** @returns whether the step was done; null when Redis does not answer; never fails */
  async does(
    keys: SessionKeys,
    ...step: Exclude<SessionStep, readonly ['take', ...unknown[]]>
  ): Promise<boolean | null> {
    const answer = await this.steps.add({ keys, step });
    return answer === null ? null : answer !== 0;
  }

  /** Waits until all requested steps are done. */
  drain(): Promise<void> {
    return this.steps.drain();
  }

  private async run(all: readonly KeyedStep[]): Promise<(SessionAnswer | null)[]> {
    const keys = all.flatMap(({ keys: { session, lock } }) => [session, lock]);
    const args = all.flatMap(({ step: [name, ...given] }) => [name, given.length, ...given]);
    const answers = (await this.ask(() => this.redis.callBuffer('EVAL', SCRIPT, keys.length, ...keys, ...args))) as
      readonly SessionAnswer[] | null;
    return all.map((_, index) => answers?.[index] ?? null);
  }
}
