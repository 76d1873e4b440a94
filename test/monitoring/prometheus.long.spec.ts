import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMonitoredWorld, type MonitoredWorld } from '../support/monitoring/monitored-world.js';
import { expressions } from '../support/monitoring/monitoring-files.js';
import { addPerson } from '../support/people.js';
import { Alertmanager } from '../support/servers/alertmanager.js';
import { Prometheus, prometheusMissing } from '../support/servers/prometheus.js';
import { until } from '../support/until.js';

/* Debian's own Prometheus and Alertmanager with the files of docs/monitoring, on a gateway with simulated routers. */

const OWN_JOBS = ['fleetgate', 'fleetgate-devices', 'customer-1'];

describe.skipIf(prometheusMissing)(`Prometheus${prometheusMissing ?? ''}`, () => {
  let world: MonitoredWorld;
  let alertmanager: Alertmanager;
  let prometheus: Prometheus;
  let spares = 0;

  const devicesOf = async (job: string, metric = 'fleetgate_device_up') =>
    (await prometheus.query(`${metric}{job="${job}"}`)).map(({ metric: labels }) => labels['device']!).sort();

  const isAbout = ({ labels }: { labels: Readonly<Record<string, string>> }) =>
    labels['alertname'] === 'FleetgateDeviceDown' && labels['job'] === 'fleetgate-devices';

  beforeAll(async () => {
    world = await startMonitoredWorld(['a/1', 'a/2', 'b/1']);
    await world.api.post('/v1/devices/tags', { selector: 'name:r-0', add: ['ping'] });
    const rules = [{ effect: 'allow', permissions: ['metrics.read', 'device.read', 'device.call_read', 'job.read'] }];
    await world.api.send('PUT', '/v1/roles/scrape', { rules });
    const ofAll = await addPerson(world, 'Prometheus', [{ role: 'scrape' }], {});
    const ofSite = await addPerson(world, 'Customer', [{ role: 'scrape', selector: 'site:a/*' }], {});
    alertmanager = await Alertmanager.start();
    prometheus = await Prometheus.start(world.url, alertmanager, [ofAll.key, ofSite.key]);
  });
  afterAll(async () => {
    await prometheus?.stop();
    await alertmanager?.stop();
    await world?.close();
  });

  it('reads the gateway and its devices without an error, and leaves no sample out', async () => {
    const own = await until(async () => {
      const targets = (await prometheus.targets()).filter(({ labels }) => OWN_JOBS.includes(labels['job']!));
      return targets.length === OWN_JOBS.length && targets.every(({ health }) => health !== 'unknown') && targets;
    });
    expect(own.map(({ health, lastError }) => [health, lastError])).toEqual(own.map(() => ['up', '']));
    await until(async () => (await devicesOf('fleetgate-devices')).length === 3);
    const left = await prometheus.own('prometheus_target_scrapes_');
    expect(left.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'prometheus_target_scrapes_exceeded_sample_limit_total',
        'prometheus_target_scrapes_sample_duplicate_timestamp_total',
        'prometheus_target_scrapes_sample_out_of_bounds_total',
        'prometheus_target_scrapes_sample_out_of_order_total',
      ]),
    );
    expect(left.filter(([, value]) => value !== 0)).toEqual([]);
  });

  it('has each series that the gateway says there are', async () => {
    const headers = { authorization: `Bearer ${world.keys.administrator}` };
    const answer = await fetch(`${world.url}/v1/metrics/devices`, { headers });
    const [stored] = await prometheus.query('count({job="fleetgate-devices", __name__=~"fleetgate_.*"})');
    expect(Number(stored!.value[1])).toBe(Number(answer.headers.get('x-fleetgate-series')));
    expect(await devicesOf('fleetgate-devices', 'fleetgate_modem_rsrp_dbm')).toEqual(['r-0', 'r-1', 'r-2']);
  });

  it('judges the shipped rules without an error', async () => {
    const evaluations = await until(async () => {
      const all = await prometheus.own('prometheus_rule_evaluations_total');
      return all.length > 0 && all.every(([, value]) => value > 0) && all;
    });
    expect(evaluations.length).toBe(4);
    expect((await prometheus.own('prometheus_rule_evaluation_failures_total')).every(([, value]) => value === 0)).toBe(
      true,
    );
    await until(async () => (await prometheus.query('site:fleetgate_devices_up:sum')).length === 3);
    expect((await prometheus.alerts()).filter(isAbout)).toEqual([]);
  });

  it('evaluates each expression of the dashboards on these series', async () => {
    const values = expressions().map(async ({ at, text }) => [at, (await prometheus.query(text)).length] as const);
    const found = new Map(await Promise.all(values));
    // The job of the customer has two of the three again.
    expect(found.get('fleet.json: Weakest signal (RSRP)')).toBe(5);
    // An expression without series is no error: between two scrapes there may be none.
    const refusal = await until(() =>
      prometheus.query('fleetgate_device_up * on () fleetgate_device_up').then(
        () => null,
        (error: Error) => error.message,
      ),
    );
    expect(refusal).toContain('many-to-many');
  });

  it('finds the targets of exporters in the registry', async () => {
    const targets = await until(async () => {
      const found = (await prometheus.targets()).filter(({ labels }) => labels['job'] === 'ping');
      return found.length > 0 && found;
    });
    const { host } = new URL(world.fleet.devices[0]!.baseUrl);
    expect(targets.map(({ labels }) => labels)).toEqual([{ device: 'r-0', site: 'a/1', job: 'ping', instance: host }]);
  });

  it('sees only the devices of a narrowed key', async () => {
    expect(await until(async () => (await devicesOf('customer-1')).length > 0 && devicesOf('customer-1'))).toEqual([
      'r-0',
      'r-1',
    ]);
    expect(await prometheus.query('{job="customer-1", site="b/1"}')).toEqual([]);
  });

  it('alerts about a dead router, and tells Alertmanager', async () => {
    await world.die(1);
    const alerts = await until(async () => {
      const found = (await prometheus.alerts()).filter(isAbout);
      return found.some(({ state }) => state === 'firing') && found;
    });
    expect(alerts.map(({ labels }) => labels['device'])).toEqual(['r-1']);
    const sent = await until(async () => {
      const found = (await alertmanager.alerts()).filter(isAbout);
      return found.length > 0 && found;
    });
    expect(sent.map(({ labels }) => [labels['device'], labels['site'], labels['severity']])).toEqual([
      ['r-1', 'a/2', 'warning'],
    ]);
  });

  it('has no series of a removed device after its next look', async () => {
    const name = `spare-${++spares}`;
    const { id } = await world.api.post<{ id: string }>('/v1/devices', { name, baseUrl: `https://192.0.2.${spares}` });
    const seriesOf = () => prometheus.query(`{device="${name}", job="fleetgate-devices"}`);
    await until(async () => (await seriesOf()).length > 0);
    await world.api.send('DELETE', `/v1/devices/${id}`);
    // Without the markers of staleness it would have them for five minutes, longer than this test may take.
    await until(async () => (await seriesOf()).length === 0);
    expect(await devicesOf('fleetgate-devices')).toEqual(['r-0', 'r-1', 'r-2']);
  });
});

describe.skipIf(prometheusMissing)(`Alertmanager${prometheusMissing ?? ''}`, () => {
  let alertmanager: Alertmanager;

  const down = (device: string, site: string) => ({ alertname: 'FleetgateDeviceDown', scope: 'device', device, site });
  const weak = (device: string, site: string) => ({ alertname: 'FleetgateSignalWeak', scope: 'device', device, site });
  const suppressed = async () =>
    (await alertmanager.alerts())
      .filter(({ status }) => status.state === 'suppressed')
      .map(({ labels }) => [labels['alertname'], labels['device'] ?? labels['site']].join(' '))
      .sort();

  beforeAll(async () => {
    alertmanager = await Alertmanager.start();
  });
  afterAll(() => alertmanager?.stop());

  it('is silent about what has a larger cause', async () => {
    await alertmanager.send(down('d-1', 'a'), weak('d-1', 'a'), weak('d-2', 'a'), down('d-3', 'b'));
    await until(async () => (await alertmanager.alerts()).length === 4);
    expect(await suppressed()).toEqual(['FleetgateSignalWeak d-1']);
    await alertmanager.send({ alertname: 'FleetgateSiteDown', scope: 'site', site: 'a' });
    await until(async () => (await alertmanager.alerts()).length === 5);
    const ofSite = ['FleetgateDeviceDown d-1', 'FleetgateSignalWeak d-1', 'FleetgateSignalWeak d-2'];
    expect(await suppressed()).toEqual(ofSite);
    await alertmanager.send({ alertname: 'FleetgateFleetUnread', scope: 'gateway' });
    await until(async () => (await alertmanager.alerts()).length === 6);
    expect(await suppressed()).toEqual([...ofSite, 'FleetgateDeviceDown d-3', 'FleetgateSiteDown a'].sort());
  });
});
