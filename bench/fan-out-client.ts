/*
 * The client of fan-outs: POST /v1/fan-out as a program uses it, reading lines as they come.
 */
import { request } from 'node:http';
import { type Gateway } from './gateway.js';

/** The call that is made on each device. */
export const STATUS_PATH = '/api/system/device/status';

/** Devices called at once, by the gateway and by every baseline. */
export const AT_ONCE = 128;

export interface FanOutAnswer {
  readonly ms: number;
  /** Milliseconds after the request at which each device's line was there, by the name of the device. */
  readonly arrivals: ReadonlyMap<string, number>;
}

/**
 * Calls the devices of a selector through the gateway.
 * @throws Error unless all of them succeed
 */
export function fanOut(gateway: Gateway, selector: string, expected: number, atOnce = AT_ONCE): Promise<FanOutAnswer> {
  const body = JSON.stringify({
    selector,
    request: { method: 'GET', path: STATUS_PATH },
    policy: { concurrency: atOnce, perSite: atOnce },
  });
  const headers = { ...gateway.headers(), 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const arrivals = new Map<string, number>();
    const reasons = new Map<string, number>();
    const asked = request(`${gateway.url}/v1/fan-out`, { method: 'POST', headers }, (answer) => {
      let rest = '';
      let last = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        const at = performance.now() - startedAt;
        const lines = (rest + chunk).split('\n');
        rest = lines.pop()!;
        for (const line of lines) {
          last = line;
          const name = /"name":"([^"]+)"/.exec(line)?.[1];
          if (name !== undefined) arrivals.set(name, at);
          const reason = /"reason":"([^"]+)"/.exec(line)?.[1];
          if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        }
      });
      answer.once('error', reject);
      answer.once('end', () => {
        const ms = performance.now() - startedAt;
        if (last.includes(`"total":${expected},`) && last.includes(`"succeeded":${expected},`))
          resolve({ ms, arrivals });
        else {
          const why = JSON.stringify(Object.fromEntries(reasons));
          reject(new Error(`a fan-out over ${expected} devices ended with ${why}: ${last.slice(0, 200)}`));
        }
      });
    });
    asked.once('error', reject);
    asked.end(body);
  });
}
