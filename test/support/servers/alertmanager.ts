import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { installed, ProxyProcess } from './proxy-process.js';

const PROGRAM = installed('prometheus-alertmanager', '--version');

/** What it answers of an alert that is not over. */
interface ActiveAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly status: { readonly state: string };
}

/** An Alertmanager of a test's own, which tells nobody. */
export class Alertmanager {
  private constructor(private readonly server: ProxyProcess) {}

  /** Why its tests are skipped, for their names; null: it is installed. */
  static readonly missing = PROGRAM
    ? null
    : ', skipped: Alertmanager is not installed (apt-get install prometheus-alertmanager)';

  static async start(): Promise<Alertmanager> {
    const server = await ProxyProcess.start(PROGRAM!, async (port, folder) => {
      const file = path.join(folder, 'alertmanager.yml');
      await writeFile(file, 'route: { receiver: none }\nreceivers: [{ name: none }]\n');
      return [
        `--config.file=${file}`,
        `--storage.path=${path.join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--cluster.listen-address=',
        '--log.level=error',
      ];
    });
    return new Alertmanager(server);
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  /** Those that are not over. */
  async alerts(): Promise<ActiveAlert[]> {
    const answer = await fetch(`${this.url}/api/v2/alerts`);
    return (await answer.json()) as ActiveAlert[];
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}
