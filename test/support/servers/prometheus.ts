import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { monitoringFile, ruleFile } from '../monitoring/monitoring-files.js';
import { until } from '../until.js';
import { Alertmanager } from './alertmanager.js';
import { installed, ServerProcess } from './server-process.js';

/* Prometheus and Alertmanager of Debian's packages, with the files of docs/monitoring but for addresses and times. */

const PROMETHEUS = installed('prometheus', '--version');

/** Why tests are skipped, for their names; null: both are installed. */
export const prometheusMissing =
  PROMETHEUS && !Alertmanager.missing
    ? null
    : ', skipped: prometheus and prometheus-alertmanager are not installed (apt-get install prometheus prometheus-alertmanager)';

interface ScrapeJob {
  readonly job_name: string;
  scrape_interval?: string;
  scrape_timeout?: string;
  authorization?: { credentials_file: string };
  dns_sd_configs?: object[];
  static_configs?: { targets: string[]; labels?: Record<string, string> }[];
}

interface Configuration {
  readonly global: Record<string, string>;
  scrape_configs: ScrapeJob[];
}

/** An answer of Prometheus' API. */
interface Answer<Data> {
  readonly data: Data;
  readonly error?: string;
}

export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

export interface Target {
  readonly labels: Readonly<Record<string, string>>;
  readonly health: string;
  readonly lastError: string;
}

export interface FiringAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: string;
}

export class Prometheus {
  private constructor(private readonly server: ServerProcess) {}

  /**
   * Starts it as the shipped files say, with a look each second and alerts at once.
   * @param keys that scrape: the first one in all jobs, each further one in a job of its own for the values of devices
   */
  static async start(gatewayUrl: string, alertmanager: Alertmanager, keys: readonly string[]): Promise<Prometheus> {
    const server = await ServerProcess.start(PROMETHEUS!, async (port, folder) => {
      const files = keys.map((_key, index) => path.join(folder, `scrape_key-${index}`));
      await Promise.all(files.map((file, index) => writeFile(file, `${keys[index]}\n`, { mode: 0o600 })));
      await writeFile(path.join(folder, 'prometheus.yml'), configuration(gatewayUrl, alertmanager, files));
      await writeFile(path.join(folder, 'rules.yml'), stringify(withoutWaits()));
      const storage = `--storage.tsdb.path=${folder}/data`;
      const flags = [storage, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'];
      return [`--config.file=${folder}/prometheus.yml`, ...flags];
    });
    // Its port is open before it has read its own log.
    await until(async () => (await fetch(`http://127.0.0.1:${server.port}/-/ready`)).ok);
    return new Prometheus(server);
  }

  /** @throws Error where it cannot be evaluated on what is stored now */
  query(expression: string): Promise<readonly Series[]> {
    return this.get<{ result: Series[] }>(`query?query=${encodeURIComponent(expression)}`).then(({ result }) => result);
  }

  targets(): Promise<readonly Target[]> {
    return this.get<{ activeTargets: Target[] }>('targets?state=active').then(({ activeTargets }) => activeTargets);
  }

  alerts(): Promise<readonly FiringAlert[]> {
    return this.get<{ alerts: FiringAlert[] }>('alerts').then(({ alerts }) => alerts);
  }

  /** Its own metrics of this name, or all that begin so. */
  async own(prefix: string): Promise<readonly (readonly [name: string, value: number])[]> {
    const text = await (await fetch(`http://127.0.0.1:${this.server.port}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.startsWith(prefix));
    return lines.map((line) => [line.split(/[ {]/, 1)[0]!, Number(line.split(' ').at(-1))]);
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  private async get<Data>(address: string): Promise<Data> {
    const answer = await fetch(`http://127.0.0.1:${this.server.port}/api/v1/${address}`);
    const { data, error } = (await answer.json()) as Answer<Data>;
    if (error !== undefined) throw new Error(error);
    return data;
  }
}

function configuration(gatewayUrl: string, alertmanager: Alertmanager, keyFiles: readonly string[]): string {
  const { host } = new URL(gatewayUrl);
  const shipped = monitoringFile('prometheus.yml')
    .replaceAll('api:8080', host)
    .replaceAll('alertmanager:9093', `127.0.0.1:${alertmanager.port}`)
    .replaceAll('/run/secrets/scrape_key', keyFiles[0]!);
  const parsed = parse(shipped) as Configuration;
  Object.assign(parsed.global, { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' });
  for (const job of parsed.scrape_configs) {
    delete job.scrape_interval;
    delete job.scrape_timeout;
    if (job.dns_sd_configs === undefined) continue;
    delete job.dns_sd_configs;
    job.static_configs = [{ targets: [host] }];
  }
  const devices = parsed.scrape_configs.find(({ job_name: name }) => name === 'fleetgate-devices')!;
  const further = keyFiles.slice(1).map((file, index) => ({
    ...devices,
    job_name: `customer-${index + 1}`,
    authorization: { credentials_file: file },
  }));
  return stringify({ ...parsed, scrape_configs: [...parsed.scrape_configs, ...further] });
}

/** The shipped rules, which fire at once. */
function withoutWaits(): object {
  const file = ruleFile();
  for (const rule of file.groups.flatMap(({ rules }) => rules)) if (rule.for !== undefined) rule.for = '1s';
  return file;
}
