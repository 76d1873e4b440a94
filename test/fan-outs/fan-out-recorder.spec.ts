import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { type DataSource } from 'typeorm';
import {
  AnswerCaps,
  FanOutRecorder,
  STORED_ANSWER_BYTES_MAX,
  STORED_ANSWERS_MAX,
  STORED_BYTES_MAX,
} from '../../src/fan-outs/fan-out-recorder.js';
import { type ResultLine } from '../../src/fan-outs/fan-outs.contract.js';

describe('the caps of stored answers', () => {
  const digest = (number: number) => number.toString(16).padStart(64, '0');

  it('take each different answer once, up to a size', () => {
    const caps = new AnswerCaps();
    expect(caps.take(digest(1), 10)).toBe(true);
    expect(caps.take(digest(1), 10)).toBe(false);
    expect(caps.take(digest(2), STORED_ANSWER_BYTES_MAX + 1)).toBe(false);
    expect(caps.take(digest(3), STORED_ANSWER_BYTES_MAX)).toBe(true);
  });

  it('take a number of them, and a number of bytes of all', () => {
    const many = new AnswerCaps();
    const taken = Array.from({ length: STORED_ANSWERS_MAX + 5 }, (_, index) => many.take(digest(index), 1));
    expect(taken.filter(Boolean)).toHaveLength(STORED_ANSWERS_MAX);
    const large = new AnswerCaps();
    const fit = Math.floor(STORED_BYTES_MAX / STORED_ANSWER_BYTES_MAX);
    for (let index = 0; index < fit; index++) expect(large.take(digest(index), STORED_ANSWER_BYTES_MAX)).toBe(true);
    expect(large.take(digest(fit), 1)).toBe(false);
  });
});

describe('the recorder of a fan-out', () => {
  const line = (index: number): ResultLine => ({
    type: 'result', deviceId: `device-${index}`, name: 'd', outcome: 'succeeded', reason: null, status: 200, ms: 1,
  }); // prettier-ignore

  /** @param failures how many statements fail first */
  function recorderOn(failures: number) {
    const saved: { rows: number; state: unknown; succeeded: unknown }[] = [];
    let left = failures;
    const db = {
      query: async (_sql: string, values: unknown[]) => {
        if (left-- > 0) throw new Error('The database is not there');
        const counts = values[1] as Record<string, number>;
        saved.push({
          rows: (JSON.parse(String(values[4])) as unknown[]).length,
          state: values[2],
          succeeded: counts['succeeded'],
        });
        return Promise.resolve([{ isCancelled: false }]);
      },
    } as unknown as Pick<DataSource, 'query'>;
    const secrets = { seal: () => Buffer.of(1) };
    return { saved, recorder: new FanOutRecorder('id', db, secrets, pino({ level: 'silent' }), () => undefined) };
  }

  it('writes many devices with few statements, and the end with the last ones', async () => {
    const { saved, recorder } = recorderOn(0);
    for (let index = 0; index < 4_500; index++) recorder.add(line(index), null);
    await recorder.end({ state: 'ended', stopped: null });
    expect(saved.map(({ rows, state }) => [rows, state])).toEqual([
      [2_000, null],
      [2_000, null],
      [500, 'ended'],
    ]);
    expect(saved.at(-1)!.succeeded).toBe(4_500);
  });

  it('loses no outcome when the database is away for a moment', async () => {
    const { saved, recorder } = recorderOn(2);
    for (let index = 0; index < 3; index++) recorder.add(line(index), null);
    await recorder.end({ state: 'ended', stopped: null });
    expect(saved).toEqual([{ rows: 3, state: 'ended', succeeded: 3 }]);
  });
});
