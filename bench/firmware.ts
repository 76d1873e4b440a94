/*
 * P8: 100 MB of firmware up to a device through the gateway, beside the same bytes sent to the device directly. Both go
 * over TLS to a device that only counts them. The gateway's memory is read from outside while it happens.
 */
import { alternate, median, ratio, undisturbedRatio } from './measuring.js';
import { CONNECTIONS, target, type World } from './passing-through.js';
import { residentMB, watchMemory } from './processes.js';
import { significant } from './report.js';
import { startUploader } from './uploader.js';

const MEGABYTES = 100;
const BYTES = MEGABYTES * 1_000_000;

const UPLOAD_PATH = '/api/firmware/actions/upload_device_firmware';

export async function measureUpload({ gateway, bare, report, short }: World): Promise<void> {
  const uploader = await startUploader();
  try {
    const device = bare.devices[CONNECTIONS + 1]!;
    const head = (path: string, headers: Record<string, string>) =>
      [
        `POST ${path} HTTP/1.1`,
        'host: 127.0.0.1',
        'content-type: application/octet-stream',
        `content-length: ${BYTES}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        '\r\n',
      ].join('\r\n');
    const direct = () => uploader.ask({ port: device.port, tls: true, head: head(UPLOAD_PATH, {}), bytes: BYTES });
    const through = async () => {
      const question = { port: gateway.port, tls: false, bytes: BYTES };
      const before = await residentMB(gateway.pid);
      const stopWatching = watchMemory(gateway.pid);
      const ms = await uploader.ask({ ...question, head: head(target(device.name, UPLOAD_PATH), gateway.headers()) });
      return { ms, grownMB: (await stopWatching()) - (before ?? Number.NaN) };
    };
    // The first upload of a process brings buffers that stay: memory is looked at from it on, time from the second.
    const first = await through();
    const runs = await alternate({ direct: async () => ({ ms: await direct(), grownMB: 0 }), through }, short ? 2 : 7);
    const times = (name: 'direct' | 'through') => runs[name].map(({ ms }) => ms);
    const detail = `${significant(median(times('through')))} ms against ${significant(median(times('direct')))} ms`;
    report.add({
      id: 'P8',
      what: `upload of ${MEGABYTES} MB, time`,
      value: ratio(times('through'), times('direct')),
      undisturbed: undisturbedRatio(times('through'), times('direct'), 'low'),
      unit: '×',
      against: 'a direct upload',
      bound: { atMost: 1.5 },
      detail,
    });
    const grown = [first, ...runs.through].map(({ grownMB }) => grownMB);
    report.add({
      id: 'P8',
      what: `upload of ${MEGABYTES} MB, memory that the gateway takes more`,
      value: Math.max(...grown),
      unit: 'MB',
      against: '',
      bound: { atMost: 60 },
      detail: `largest of ${grown.length} uploads, from before each to its peak`,
    });
  } finally {
    await uploader.stop();
  }
}
