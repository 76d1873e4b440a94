import { startTestGateway, type TestGateway } from '../gateway.js';
import { freePort } from './free-port.js';
import { Nginx } from './nginx.js';

export const PREFIX = '/fleet';

/** What a proxy does with the path: it takes it off, or passes it on. */
export const WAYS = ['takes off', 'passes on'] as const;
export type Way = (typeof WAYS)[number];

/** A gateway at `http://127.0.0.1:…/fleet`, to which nginx leads. */
export interface BelowAPath {
  readonly world: TestGateway;
  /** Its PUBLIC_URL. */
  readonly url: string;
  /** The gateway itself, past the proxy. */
  readonly direct: string;
  close(): Promise<void>;
}

/** @param env settings of the gateway, which may have its PUBLIC_URL in them */
export async function startBelowAPath(
  way: Way,
  env: (url: string) => Record<string, string> = () => ({}),
): Promise<BelowAPath> {
  const gatewayPort = await freePort();
  const direct = `http://127.0.0.1:${gatewayPort}`;
  const nginx = await Nginx.start(
    (port) => `server { listen 127.0.0.1:${port};
      location ${PREFIX}/ { proxy_pass ${direct}${way === 'takes off' ? '/' : ''}; } }`,
  );
  const url = nginx.url + PREFIX;
  const settings = { ROLE: 'api', PORT: String(gatewayPort), PUBLIC_URL: `${url}/`, ...env(url) };
  const world = await startTestGateway(settings).catch(async (error: unknown) => {
    await nginx.stop();
    throw error;
  });
  return {
    world,
    url,
    direct,
    async close() {
      await world.close();
      await nginx.stop();
    },
  };
}
