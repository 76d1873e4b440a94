import { describe, expect, it } from 'vitest';
import { LineOutput, WAITING_BYTES_MAX } from '../../src/platform/output/line-output.js';

/** What the system does with each write: takes all, takes so many bytes, or fails with a code. */
type Reply = number | string;

/** A reader that follows a script, and takes everything after its end. */
function follow(replies: readonly Reply[]) {
  const left = [...replies];
  let text = '';
  const told: number[] = [];
  const output = new LineOutput(
    (bytes) => {
      const reply = left.shift() ?? 'all';
      if (reply !== 'all' && typeof reply === 'string') throw Object.assign(new Error(reply), { code: reply });
      const taken = typeof reply === 'number' ? reply : bytes.length;
      text += bytes.subarray(0, taken).toString();
      return taken;
    },
    (count) => told.push(count),
  );
  return { output, text: () => text, told };
}

const LINES = ['one\n', 'two\n', 'three\n', 'four\n'];

interface Case {
  readonly replies: readonly Reply[];
  readonly text: string;
  readonly dropped?: number;
  readonly told?: readonly number[];
}

const cases: Record<string, Case> = {
  'reads all': { replies: [], text: 'one\ntwo\nthree\nfour\n' },
  'is full for a moment': { replies: ['EAGAIN'], text: 'one\ntwo\nthree\nfour\n' },
  'is full for three lines': { replies: ['EAGAIN', 'EAGAIN', 'EAGAIN'], text: 'one\ntwo\nthree\nfour\n' },
  'takes nothing, without an error': { replies: [0, 0], text: 'one\ntwo\nthree\nfour\n' },
  'is interrupted': { replies: ['EINTR', 'all', 'EBUSY'], text: 'one\ntwo\nthree\nfour\n' },
  'takes bytes of a line': { replies: [1, 1, 2, 'EAGAIN'], text: 'one\ntwo\nthree\nfour\n' },
  'takes a part, then is full, then the rest': { replies: [2, 'EAGAIN', 1, 1], text: 'one\ntwo\nthree\nfour\n' },
  'has left': { replies: ['EPIPE', 'EPIPE', 'EPIPE', 'EPIPE'], text: '', dropped: 4 },
  'leaves after a line': { replies: ['all', 'EPIPE', 'EPIPE', 'EPIPE'], text: 'one\n', dropped: 3 },
  'was away and comes back': { replies: ['EPIPE', 'EPIPE'], text: 'three\nfour\n', dropped: 2, told: [2] },
  'has a full disk for two lines': { replies: ['all', 'ENOSPC', 'ENOSPC'], text: 'one\nfour\n', dropped: 2, told: [2] },
  'has a full disk in the middle of a line': {
    replies: [2, 'ENOSPC'],
    text: 'on\ntwo\nthree\nfour\n',
    dropped: 1,
    told: [1],
  },
  'has no quota': { replies: ['EDQUOT'], text: 'two\nthree\nfour\n', dropped: 1, told: [1] },
  'is a terminal that hung up': { replies: ['EIO', 'EIO', 'EIO', 'EIO'], text: '', dropped: 4 },
  'is closed': { replies: ['EBADF', 'EBADF', 'EBADF', 'EBADF'], text: '', dropped: 4 },
  'fails, recovers and fails': {
    replies: ['EPIPE', 'all', 'EPIPE', 'all'],
    text: 'two\nfour\n',
    dropped: 2,
    told: [1, 1],
  },
  'is full and then leaves': { replies: ['EAGAIN', 'EAGAIN', 'EPIPE'], text: 'four\n', dropped: 3, told: [3] },
};

describe('lines for a reader that', () => {
  it.each(Object.entries(cases))('%s: go out or are counted', (_name, { replies, text, dropped = 0, told = [] }) => {
    const reader = follow(replies);
    for (const line of LINES) reader.output.write(line);
    for (let tries = 0; tries < replies.length; tries++) reader.output.flush();
    expect(reader.text()).toBe(text);
    expect([reader.output.losses.count, reader.told]).toEqual([dropped, told]);
    expect(reader.output.losses.lastMs === null).toBe(dropped === 0);
  });

  it('stopped reading: wait up to a limit, and the first ones are those that go out later', () => {
    const reader = follow(Array.from({ length: 3_000 }, () => 'EAGAIN'));
    const line = `${'x'.repeat(1_023)}\n`;
    for (let count = 0; count < 3_000; count++) reader.output.write(line);
    expect(reader.output.losses.count).toBe(3_000 - WAITING_BYTES_MAX / line.length);
    reader.output.flush();
    expect(reader.text().length).toBe(WAITING_BYTES_MAX);
    expect(reader.told).toEqual([reader.output.losses.count]);
  });

  it('is full, with one line larger than all that may wait: drops that line alone', () => {
    const reader = follow(['EAGAIN', 'EAGAIN']);
    reader.output.write('one\n');
    reader.output.write(`${'x'.repeat(WAITING_BYTES_MAX)}\n`);
    reader.output.flush();
    expect([reader.text(), reader.output.losses.count]).toEqual(['one\n', 1]);
  });
});
