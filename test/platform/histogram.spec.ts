import { Histogram as KnownHistogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { Histogram } from '../../src/platform/histogram.js';

const NAME = 'seconds';
const HELP = 'How long it took';
const BOUNDS = [0.1, 0.5, 1];

/** The text that Prometheus reads of one metric. */
function textOf(metric: Histogram['asMetric']): Promise<string> {
  const registry = new Registry();
  registry.registerMetric(metric);
  return registry.metrics();
}

describe('a histogram', () => {
  it('reads as the one of prom-client with the same values', async () => {
    const ours = new Histogram(NAME, HELP, ['method', 'status'], BOUNDS);
    const theirs = new KnownHistogram({
      name: NAME,
      help: HELP,
      labelNames: ['method', 'status'],
      buckets: BOUNDS,
      registers: [],
    });
    // Below the first bound, at a bound, between two, and above all of them.
    for (const value of [0, 0.1, 0.25, 0.75, 1, 3]) {
      ours.row('GET', 200).observe(value);
      theirs.observe({ method: 'GET', status: 200 }, value);
    }
    ours.row('PUT', 404).observe(0.5);
    theirs.observe({ method: 'PUT', status: 404 }, 0.5);

    const [own, known] = [await textOf(ours.asMetric), await textOf(theirs)];

    expect(own).toContain('seconds_bucket{le="0.5",method="GET",status="200"} 3');
    expect(own).toBe(known);
  });

  it('finds the same row for the same labels', () => {
    const histogram = new Histogram(NAME, HELP, ['method'], BOUNDS);

    expect(histogram.row('GET')).toBe(histogram.row('GET'));
    expect(histogram.row('GET')).not.toBe(histogram.row('PUT'));
  });

  it('escapes labels and reads without values', async () => {
    const histogram = new Histogram(NAME, HELP, ['path'], BOUNDS);

    expect(await textOf(histogram.asMetric)).toBe('# HELP seconds How long it took\n# TYPE seconds histogram\n');

    histogram.row('a"b').observe(2);
    expect(await textOf(histogram.asMetric)).toContain('seconds_count{path="a\\"b"} 1');
  });
});
