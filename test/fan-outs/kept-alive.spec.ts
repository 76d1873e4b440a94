import { expect, it } from 'vitest';
import { keptAlive } from '../../src/fan-outs/kept-alive.js';

/** Pieces that come when the test says so. */
function pieces() {
  let give: (text: string) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  let ended = false;
  async function* made(): AsyncGenerator<string> {
    try {
      for (;;) {
        yield await new Promise<string>((resolve, reject) => {
          [give, fail] = [resolve, reject];
        });
      }
    } finally {
      ended = true;
    }
  }
  return {
    made: made(),
    give: (text: string) => give(text),
    fail: (error: Error) => fail(error),
    hasEnded: () => ended,
  };
}

it('marks each silence, and passes every piece on', async () => {
  const source = pieces();
  const kept = keptAlive(source.made, ' ', 1);
  expect((await kept.next()).value).toBe(' ');
  expect((await kept.next()).value).toBe(' ');
  source.give('a\n');
  let piece = await kept.next();
  while (piece.value === ' ') piece = await kept.next();
  expect(piece.value).toBe('a\n');
});

it('gives an error of the pieces to the reader, and ends them', async () => {
  const source = pieces();
  const kept = keptAlive(source.made, ' ', 60_000);
  const next = kept.next();
  await Promise.resolve();
  source.fail(new Error('broke'));
  await expect(next).rejects.toThrow('broke');
  expect(source.hasEnded()).toBe(true);
});

it('lets a reader leave at a mark while a piece fails', async () => {
  const source = pieces();
  const kept = keptAlive(source.made, ' ', 1);
  await kept.next();
  const left = kept.return(undefined);
  source.fail(new Error('broke'));
  await left;
  expect(source.hasEnded()).toBe(true);
});
