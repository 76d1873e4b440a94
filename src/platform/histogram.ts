import { type Metric } from 'prom-client';

/*
 * A histogram for what is measured with each call. The one of prom-client finds its row by a text of all labels, and its
 * buckets by their bounds as names, for each value: two of them took 5 % of the processor time of a call.
 */

/** The values of one combination of labels. */
export class HistogramRow {
  count = 0;
  sum = 0;
  /** How many values fell between a bound and the one before; larger ones are only in `count`. */
  readonly buckets: number[];

  constructor(
    readonly labels: Readonly<Record<string, string | number>>,
    private readonly bounds: readonly number[],
  ) {
    this.buckets = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.count++;
    this.sum += value;
    const { bounds } = this;
    for (let index = 0; index < bounds.length; index++) {
      if (value > bounds[index]!) continue;
      this.buckets[index]!++;
      return;
    }
  }
}

/** Gives a registry of prom-client what it asks of a metric. */
export class Histogram {
  private readonly rows = new Map<string, HistogramRow>();

  constructor(
    readonly name: string,
    readonly help: string,
    readonly labelNames: readonly [string, ...string[]],
    private readonly bounds: readonly number[],
  ) {}

  /** The row of these values of the labels, in the order of their names. */
  row(...values: readonly (string | number)[]): HistogramRow {
    let key = '';
    for (const value of values) key += `${value}\n`;
    let row = this.rows.get(key);
    if (!row) {
      row = new HistogramRow(
        Object.fromEntries(this.labelNames.map((name, index) => [name, values[index] ?? ''])),
        this.bounds,
      );
      this.rows.set(key, row);
    }
    return row;
  }

  /** As a metric that a registry takes: its type names only the classes of prom-client. */
  get asMetric(): Metric {
    return this as unknown as Metric;
  }

  /** For a registry: all rows, each with its buckets added up (https://prometheus.io/docs/concepts/metric_types/). */
  async get() {
    const values = [...this.rows.values()].flatMap(({ labels, buckets, count, sum }) => {
      let below = 0;
      const added = buckets.map((more, index) => ({ le: this.bounds[index]!, value: (below += more) }));
      const ofRow = (part: string, value: number, le?: number | string) => ({
        metricName: `${this.name}_${part}`,
        labels: le === undefined ? labels : { le, ...labels },
        value,
      });
      return [
        ...added.map(({ le, value }) => ofRow('bucket', value, le)),
        ofRow('bucket', count, '+Inf'),
        ofRow('sum', sum),
        ofRow('count', count),
      ];
    });
    return { name: this.name, help: this.help, type: 'histogram', aggregator: 'sum', values };
  }
}
