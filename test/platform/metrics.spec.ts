import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { Metrics } from '../../src/platform/metrics.js';

const onLinux = process.platform === 'linux' ? it : it.skip;

describe('the metrics of the process', () => {
  onLinux('say how many files are open', async () => {
    const text = await new Metrics().registry.metrics();
    const shown = Number(/^process_open_fds (\d+)$/m.exec(text)?.[1]);
    const open = (await readdir('/proc/self/fd')).length;
    expect(shown).toBeGreaterThan(3);
    expect(Math.abs(shown - open)).toBeLessThan(10);
  });

  it('are none for which every socket would be listed at each scrape', async () => {
    const text = await new Metrics().registry.metrics();
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m);
    expect(text).not.toMatch(/nodejs_active_/);
  });
});
