import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { granted, type ValidSession } from '../../../src/device-api/session.js';
import { SessionTable } from '../../../src/proxy/sessions/session-board.js';
import { SharedSessionStore } from '../../../src/proxy/sessions/shared-session-store.js';
import { type SessionRef } from '../../../src/proxy/sessions/shared-sessions.js';

/* Sessions that the processes of one machine share through their parent. */

const place: SessionRef = { deviceId: randomUUID(), accountId: randomUUID(), index: 0 };
const credential = {
  accountId: place.accountId,
  changedAtMs: 1,
  baseUrl: 'https://192.0.2.1',
  failedLogins: 0,
  refused: false,
};
const session = (token: string, expiresS = 300) => granted(credential, { token, expiresS, sliding: true }, Date.now());
const secrets = {
  seal: (text: string) => Buffer.from(text),
  open: (sealed: Buffer) => sealed.toString(),
  fingerprint: (text: string) => `digest of ${text}`,
};

function machine() {
  const alive = ['one', 'other'];
  const all = { stop: false };
  const board = new SessionTable(
    () => alive,
    () => all.stop,
  );
  const storeOf = (process: string) => new SharedSessionStore({ board, process, secrets, now: Date.now });
  const end = (process: string) => {
    alive.splice(alive.indexOf(process), 1);
    board.ended(process);
  };
  return { all, board, one: storeOf('one'), other: storeOf('other'), end };
}

/** Logs in as told, and counts. */
function wish(login: () => Promise<ValidSession>) {
  const counted = { logins: 0, discarded: [] as string[] };
  const callbacks = {
    accepts: () => true,
    login: () => (counted.logins++, login()),
    discard: ({ token }: ValidSession) => void counted.discarded.push(token),
  };
  return { ...callbacks, counted };
}

describe('processes of one machine', () => {
  it('log in once: the one that waits adopts what the other made', async () => {
    const { one, other } = machine();
    let end!: (made: ValidSession) => void;
    const ours = one.obtain(
      place,
      wish(() => new Promise((resolve) => (end = resolve))),
    );
    await new Promise(setImmediate);
    const theirs = wish(async () => session('theirs'));
    const adopted = other.obtain(place, theirs);
    end(session('ours'));
    expect([(await ours).token, (await adopted).token, theirs.counted.logins]).toEqual(['ours', 'ours', 0]);
  });

  it('go on at once when the one that logs in fails, or is gone', async () => {
    const { one, other, end } = machine();
    const failing = one.obtain(
      place,
      wish(() => Promise.reject(new Error('refused'))),
    );
    const next = other.obtain(
      { ...place, index: 1 },
      wish(async () => session('next')),
    );
    await expect(failing).rejects.toThrow('refused');
    expect((await next).token).toBe('next');

    void one.obtain(
      { ...place, accountId: 'b' },
      wish(() => new Promise(() => undefined)),
    );
    await new Promise(setImmediate);
    const after = other.obtain(
      { ...place, accountId: 'b' },
      wish(async () => session('after')),
    );
    end('one');
    expect((await after).token).toBe('after');
  });

  it('keep nothing that was made after the lock was lost', async () => {
    const { board, one, other } = machine();
    let end!: (made: ValidSession) => void;
    const slow = wish(() => new Promise((resolve) => (end = resolve)));
    const late = one.obtain(place, slow);
    await new Promise(setImmediate);
    board.ended('one'); // as if it had been taken for dead
    await other.obtain(
      place,
      wish(async () => session('theirs')),
    );
    end(session('ours'));
    expect((await late).token).toBe('theirs');
    expect(slow.counted.discarded).toEqual(['ours']);
  });

  it('forget a dead token, and never the one that took its place; what ends is not found', async () => {
    const { one, other } = machine();
    await one.obtain(
      place,
      wish(async () => session('first')),
    );
    await other.forget(place, 'another');
    expect((await other.find(place))?.token).toBe('first');
    const later = { ...session('first'), endsAt: Date.now() + 900_000 };
    await other.prolong(place, later);
    expect((await one.find(place))?.endsAt).toBe(later.endsAt);
    await other.prolong(place, { ...session('gone'), endsAt: Date.now() + 1 });
    expect((await one.find(place))?.token).toBe('first');
    await one.forget(place, 'first');
    expect(await other.find(place)).toBeNull();
  });

  it('count logins together', async () => {
    const { one, other } = machine();
    for (const store of [one, other, other]) await store.countLogin('a', '2026-01-01');
    expect([await one.loginsOn('a', '2026-01-01'), await one.loginsOn('a', '2026-01-02')]).toEqual([3, 0]);
  });

  it('end their sessions when all of them stop, and not before', async () => {
    const { all, one, other } = machine();
    expect(await one.leave()).toBe(false); // it stops alone
    all.stop = true;
    let left = 0;
    const first = one.leave().then((isLast) => (left++, isLast));
    await new Promise(setImmediate);
    expect(left).toBe(0);
    expect([await other.leave(), await first]).toEqual([true, true]);

    const again = machine();
    again.all.stop = true;
    const alone = again.one.leave();
    again.end('other');
    expect(await alone).toBe(true);
  });
});
