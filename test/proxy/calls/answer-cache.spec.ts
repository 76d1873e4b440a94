import { describe, expect, it } from 'vitest';
import { AnswerCache, type CompleteAnswer } from '../../../src/proxy/calls/answer-cache.js';
import { acceptedAge } from '../../../src/proxy/calls/shared-reads.js';

const answer = (bytes: number): CompleteAnswer => ({
  status: 200,
  headers: {},
  body: Buffer.alloc(bytes),
  startedAt: 0,
});

describe('the memory of answers', () => {
  it('never holds more than its bytes, and lets go of what was used longest ago', () => {
    const cache = new AnswerCache(100_000);
    for (const name of ['a', 'b', 'c', 'd']) cache.store('one', name, answer(20_000));
    cache.find('one', 'a');
    cache.store('two', 'e', answer(20_000));
    expect(['a', 'b', 'c', 'd'].filter((name) => cache.find('one', name))).toEqual(['a', 'c', 'd']);
    expect(cache.find('two', 'e')).toBeDefined();
  });

  it('counts an answer once that is kept again and again', () => {
    const cache = new AnswerCache(100_000);
    cache.store('one', 'other', answer(20_000));
    for (let time = 0; time < 100; time++) cache.store('one', 'same', answer(40_000));
    expect(cache.find('one', 'other')).toBeDefined();
  });

  it('holds few empty answers, since they are not free', () => {
    const cache = new AnswerCache(100_000);
    for (let index = 0; index < 1_000; index++) cache.store('one', `${index}`, answer(0));
    const held = Array.from({ length: 1_000 }, (_, index) => cache.find('one', `${index}`)).filter(Boolean);
    expect(held.length).toBeLessThan(50);
  });

  it('drops all of one device and nothing of another', () => {
    const cache = new AnswerCache(100_000);
    for (const device of ['one', 'two']) for (const key of ['a', 'b']) cache.store(device, key, answer(10));
    cache.drop('one');
    cache.drop('three');
    const found = (device: string) => ['a', 'b'].map((key) => cache.find(device, key) !== undefined);
    expect([found('one'), found('two')]).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  it('does not keep what is larger than all of it', () => {
    const cache = new AnswerCache(10_000);
    cache.store('one', 'a', answer(20_000));
    expect(cache.find('one', 'a')).toBeUndefined();
  });
});

describe('what a caller takes', () => {
  it.each([
    ['max-age=60', 60],
    ['Max-Age="60"', 60],
    ['public, max-age=5', 5],
    ['max-age=0', 0],
    ['max-age=9999', 300],
    ['max-age=-1', 0],
    ['max-age', 0],
    ['max-age=1e3', 0],
    ['only-if-cached', 0],
    ['', 0],
    ['no-cache', null],
    ['max-age=60, no-cache', null],
    ['no-store', null],
  ])('%s is %p', (header, age) => {
    expect(acceptedAge(header)).toBe(age);
  });
});
