import { type Logger } from 'pino';
import { type DataSource } from 'typeorm';
import { type SystemClock } from './clock.js';
import { type Sweeper } from './sweeper.js';

/** Corrects this process's clock to the database's, and logs a warning when the host's clock differs, or steps. */
export class ClockSweeper implements Sweeper {
  readonly name = 'clock';
  readonly everyMs = 10_000;
  private aheadMs = 0;

  constructor(
    private readonly clock: SystemClock,
    private readonly db: Pick<DataSource, 'query'>,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** A step makes the gateway ask the database at once. */
  onWork(wake: () => void): void {
    this.clock.onStep = (stepMs) => {
      this.log.warn({ stepMs }, 'The clock of this host has stepped; the gateway goes on by elapsed time');
      wake();
    };
  }

  async sweep(): Promise<Record<string, number>> {
    const aheadMs = await this.clock.follow(async () => {
      const [row] = await this.db.query<[{ ms: number }]>(
        'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
      );
      return row.ms;
    });
    if (aheadMs !== this.aheadMs)
      this.log.warn({ aheadMs }, 'The clock of this host differs from the database’s; the gateway uses the database’s');
    this.aheadMs = aheadMs;
    return {};
  }
}
