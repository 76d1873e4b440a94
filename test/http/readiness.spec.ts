import { describe, expect, it } from 'vitest';
import { Readiness } from '../../src/http/readiness.js';
import { until } from '../support/until.js';

describe('the readiness of a process', () => {
  it('runs the check of a part once, however many ask, and again later', async () => {
    const readiness = new Readiness();
    let runs = 0;
    readiness.add('queue', () => Promise.resolve(runs++));
    await Promise.all(Array.from({ length: 500 }, () => readiness.check()));
    expect(runs).toBe(1);
    await until(async () => (await readiness.check()) && runs === 2);
  });

  it('counts a check that hangs as unavailable, and does not begin it again', async () => {
    const readiness = new Readiness();
    let runs = 0;
    readiness.add('queue', () => new Promise(() => runs++));
    expect(await readiness.check()).toEqual({ process: 'ok', queue: 'unavailable' });
    expect(await readiness.check()).toEqual({ process: 'ok', queue: 'unavailable' });
    expect(runs).toBe(1);
    expect(readiness.causes.get('queue')).toMatchObject({ message: 'It does not answer in time' });
  });

  it('keeps the cause of a failure for the warnings, until the part works again', async () => {
    const readiness = new Readiness();
    let cause: Error | null = new Error('READONLY');
    readiness.add('queue', () => (cause ? Promise.reject(cause) : Promise.resolve()));
    expect(await readiness.check()).toEqual({ process: 'ok', queue: 'unavailable' });
    expect(readiness.causes).toEqual(new Map([['queue', cause]]));
    cause = null;
    await until(async () => (await readiness.check())['queue'] === 'ok');
    expect(readiness.causes).toEqual(new Map());
  });
});
