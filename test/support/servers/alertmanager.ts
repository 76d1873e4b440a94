import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { until } from '../until.js';
import { installed, ServerProcess } from './server-process.js';

const PROGRAM = installed('prometheus-alertmanager', '--version');

/** What it answers of an alert that is not over. */
interface ActiveAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly status: { readonly state: string };
}

/** An Alertmanager of a test's own with the shipped file. Nothing listens at the address of its chat. */
export class Alertmanager {
  private constructor(private readonly server: ServerProcess) {}

  /** Why its tests are skipped, for their names; null: it is installed. */
  static readonly missing = PROGRAM
    ? null
    : ', skipped: Alertmanager is not installed (apt-get install prometheus-alertmanager)';

  static async start(): Promise<Alertmanager> {
    const server = await ServerProcess.start(PROGRAM!, async (port, folder) => {
      const file = path.join(folder, 'alertmanager.yml');
      await writeFile(path.join(folder, 'chat_url'), 'http://127.0.0.1:9/');
      const shipped = await readFile('docs/monitoring/alertmanager.yml', 'utf8');
      await writeFile(file, shipped.replaceAll('/run/secrets/chat_url', path.join(folder, 'chat_url')));
      return [
        `--config.file=${file}`,
        `--storage.path=${path.join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--cluster.listen-address=',
        '--log.level=error',
      ];
    });
    await until(async () => (await fetch(`http://127.0.0.1:${server.port}/-/ready`)).ok);
    return new Alertmanager(server);
  }

  get port(): number {
    return this.server.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async send(...alerts: readonly Readonly<Record<string, string>>[]): Promise<void> {
    const body = JSON.stringify(alerts.map((labels) => ({ labels })));
    const headers = { 'content-type': 'application/json' };
    const { ok } = await fetch(`${this.url}/api/v2/alerts`, { method: 'POST', headers, body });
    if (!ok) throw new Error('Alertmanager refused the alerts');
  }

  /** Those that are not over. */
  async alerts(): Promise<ActiveAlert[]> {
    return (await (await fetch(`${this.url}/api/v2/alerts`)).json()) as ActiveAlert[];
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}
