import { vi } from 'vitest';

/**
 * Takes the ends that the product sets by `AbortSignal.timeout` with this time into the hands of a test, so that it need not
 * wait for them.
 * @returns `come`: all that were set until now come; `restore`
 */
export function holdEnds(ms: number): { come(): void; restore(): void } {
  const real = AbortSignal.timeout.bind(AbortSignal);
  const held: AbortController[] = [];
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((given) => {
    if (given !== ms) return real(given);
    const end = new AbortController();
    held.push(end);
    return end.signal;
  });
  return {
    come: () => held.splice(0).forEach((end) => end.abort(new DOMException('The time is over', 'TimeoutError'))),
    restore: () => spy.mockRestore(),
  };
}
