/*
 * Simulated routers in a process of their own: they close each connection, as real ones do.
 * They are switched off and on from here, and their ledger says what really happened to each.
 */
import { X509Certificate } from 'node:crypto';
import { type Identity, issueRsa } from '../../src/simulator/device/certificates.js';
import { type SimulatedDevice } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../../test/support/devices/own-fleet.js';
import { serveParent, startHelper, type Helper } from '../processes.js';

/** A key of 2,048 bits takes a tenth of a second. */
const RSA_KEYS = 20;

export interface RoutersPlan {
  readonly devices: number;
  /** In turn; one site for all by default. */
  readonly sites?: readonly string[];
  /**
   * Device time passes so many times faster, as the clock of the gateway does. A token lives 299 s of real time: a gateway with a faster
   * clock gives it up before.
   */
  readonly scale: number;
  readonly family?: 'RUTX50';
  readonly latencyMs?: [number, number];
  readonly seed?: number;
  /** Each router has a file with a certificate, too: with `rsaBits`. */
  readonly certificateFile?: string;
  /** Certificates have RSA keys of so many bits, of which routers share a few; absent: each has its own of EC, which is made a hundred times faster. */
  readonly rsaBits?: number;
}

/** What the ledger counted for one router. */
export interface RouterCounts {
  readonly logins: number;
  readonly requests: number;
  /** Bulk requests: samples. */
  readonly samples: number;
  readonly connections: number;
  readonly bytes: number;
  readonly reboots: number;
}

export interface Router {
  readonly name: string;
  readonly site: string;
  readonly baseUrl: string;
  readonly username: string;
  readonly password: string;
  /** When its certificates end, in milliseconds: the one that it shows (`null`), and those of its files. */
  readonly certificateEnds: readonly (readonly [file: string | null, end: number])[];
}

type Question =
  { readonly act: 'stop' | 'start'; readonly from: number; readonly to: number } | { readonly act: 'counts' };

interface Listening {
  readonly csv: string;
  readonly routers: readonly Router[];
}

export class Routers {
  private constructor(private readonly helper: Helper<Listening, Question, readonly RouterCounts[]>) {}

  static async start(plan: RoutersPlan): Promise<Routers> {
    return new Routers(await startHelper('monitoring/routers.js', plan));
  }

  get csv(): string {
    return this.helper.ready.csv;
  }

  get all(): readonly Router[] {
    return this.helper.ready.routers;
  }

  get pid(): number {
    return this.helper.pid;
  }

  /** Pulls the plug of those from one place to before another. */
  async switchOff(from: number, to: number): Promise<void> {
    await this.helper.ask({ act: 'stop', from, to });
  }

  async switchOn(from: number, to: number): Promise<void> {
    await this.helper.ask({ act: 'start', from, to });
  }

  /** By place. */
  counts(): Promise<readonly RouterCounts[]> {
    return this.helper.ask({ act: 'counts' });
  }

  /** The sum of one count over all routers. */
  async sum(): Promise<RouterCounts> {
    const all = await this.counts();
    const of = (key: keyof RouterCounts) => all.reduce((total, counts) => total + counts[key], 0);
    const [logins, requests, samples] = [of('logins'), of('requests'), of('samples')];
    return { logins, requests, samples, connections: of('connections'), bytes: of('bytes'), reboots: of('reboots') };
  }

  stop(): Promise<void> {
    return this.helper.stop();
  }
}

async function listen({ devices, sites = [''], scale, family, latencyMs, seed = 1, ...keys }: RoutersPlan) {
  const samples: number[] = Array.from({ length: devices }, () => 0);
  const [first, ...others] = sites.map((site, index) => ({
    devices: Math.floor((devices + sites.length - 1 - index) / sites.length),
    profile: 'rutos' as const,
    site,
    ...(family ? { family } : {}),
    ...(latencyMs ? { latencyMs } : {}),
  }));
  const fleet = await startOwnFleet({
    ...first!,
    groups: others,
    seed,
    timeScale: scale,
    ledgerLimit: 1_000,
    onLine: ({ device, method, path }) => {
      if (method === 'POST' && path.startsWith('/api/bulk')) samples[device]!++;
    },
  });
  if (keys.rsaBits !== undefined) await giveRsa(fleet.devices, keys.rsaBits, keys.certificateFile);
  const act = (from: number, to: number, work: (device: SimulatedDevice) => Promise<void>) =>
    Promise.all(fleet.devices.slice(from, to).map(work));
  const counts = (): RouterCounts[] =>
    fleet.devices.map(({ index }) => {
      const { logins, requests, connections, bytes, effects } = fleet.ledger.summary(index);
      return { logins, requests, connections, bytes, samples: samples[index]!, reboots: effects['reboot'] ?? 0 };
    });
  const routers = await Promise.all(
    fleet.devices.map(async (device) => {
      const { name, setup, baseUrl, username, password } = device;
      return { name, site: setup.site, baseUrl, username, password, certificateEnds: await endsOf(device) };
    }),
  );
  return { ready: { csv: fleet.csv(), routers }, act, counts };
}

async function giveRsa(devices: readonly SimulatedDevice[], bits: number, file?: string): Promise<void> {
  const made = await Promise.all(
    Array.from({ length: Math.min(devices.length, RSA_KEYS) }, (_, at) => rsaIdentity(at, bits)),
  );
  for (const device of devices) {
    device.tls = made[device.index % made.length]!;
    if (file !== undefined) device.certificates.put(file, made[(device.index + 1) % made.length]!.certificatePem);
  }
}

/** Each with another end. */
function rsaIdentity(at: number, bits: number): Promise<Identity> {
  const [now, day] = [Date.now(), 86_400_000];
  const notAfter = new Date(now + (3_650 + at) * day);
  return issueRsa(bits, { commonName: 'router', notBefore: new Date(now - 365 * day), notAfter });
}

async function endsOf({ tls, certificates }: SimulatedDevice): Promise<Router['certificateEnds']> {
  const endOf = (pem: string) => Date.parse(new X509Certificate(pem).validTo);
  const files = [...(await certificates.export())].filter(([file]) => file.endsWith('.cert.pem'));
  return [[null, endOf(tls.certificatePem)], ...files.map(([file, pem]) => [file, endOf(pem)] as const)];
}

if (process.argv[1]?.endsWith('monitoring/routers.js')) {
  await serveParent(async (plan: RoutersPlan) => {
    const { ready, act, counts } = await listen(plan);
    return {
      ready,
      answer: async (question: Question) => {
        if (question.act === 'counts') return counts();
        const { from, to } = question;
        await act(from, to, (device) => (question.act === 'stop' ? device.stop() : device.start()));
        return [];
      },
    };
  });
}
