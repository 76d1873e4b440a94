import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { joinBulk } from '../src/device-api/bulk.js';
import {
  certificateListing,
  configurationList,
  envelope,
  eventsLog,
  firmwareUpdates,
  group,
  loginAnswer,
  systemStatus,
  user,
} from '../src/device-api/contract.js';
import { deviceJson, readDeviceJson, readRequestJson, UnreadableJson } from '../src/device-api/device-json.js';
import { identityFacts } from '../src/device-api/identity-facts.js';
import { canonicalMac, macPattern } from '../src/device-api/mac.js';
import { publicKeyInfo } from '../src/device-api/http.js';
import { redact, redactBulk, redactQuery } from '../src/device-api/redaction.js';
import { firmwareVersion, isSameVersion } from '../src/device-api/firmware-version.js';
import { BackupUnreadable, contentDigest, openBackup } from '../src/backups/backup-archive.js';
import { backupDifference } from '../src/backups/backup-diff.js';
import { canonical, recordsIn } from '../src/jobs/kind-api/intended-items.js';
import { bundleOf, examine } from '../src/jobs/kind-api/certificate-files.js';
import { readFleetLines } from '../src/devices/fleet-files/fleet-lines.js';
import { cronProblem } from '../src/recurring/cron.js';
import { AppError } from '../src/platform/errors.js';
import { misreading } from '../src/platform/addresses/written-address.js';
import { storableJson } from '../src/database/storable.js';
import { callerAddress } from '../src/http/caller-address.js';
import { HeldAnswer } from '../src/proxy/connections/held-answer.js';
import { tokenVerdict } from '../src/proxy/connections/dead-token.js';
import { refusalFacts } from '../src/proxy/connections/device-errors.js';
import { type ResultLine } from '../src/fan-outs/fan-outs.contract.js';
import { Tally } from '../src/fan-outs/fan-out-tally.js';

/* Everything that reads an answer of a device, as the gateway calls it: what it throws here would be met there. */

export interface Reader {
  readonly name: string;
  /** Returns when it has read the body or refused it in order. */
  readonly read: (body: Buffer) => void | Promise<void>;
}

const PATH = '/api/some/config';
const mark = (text: string) => `hmac:${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
const dataOf = (body: Buffer) => (deviceJson(body) as { data?: unknown } | null | undefined)?.data;

/** One call reads its answer by one of these. */
const SCHEMAS = {
  envelope,
  loginAnswer,
  systemStatus,
  certificateListing,
  configurationList,
  eventsLog,
  firmwareUpdates,
  user,
  group,
};

export const READERS: readonly Reader[] = [
  { name: 'redaction', read: inOrder((body) => JSON.stringify(redact(readDeviceJson(body), PATH, mark).value)) },
  {
    name: 'redaction of bulk answers',
    read: inOrder((body) => JSON.stringify(redactBulk(readDeviceJson(body), [PATH, PATH], mark).value)),
  },
  { name: 'redaction of queries', read: (body) => void redactQuery(body.toString('latin1'), PATH, mark) },
  { name: 'redaction of text', read: (body) => void redact({ text: body.toString('utf8') }, PATH, mark) },
  ...Object.entries(SCHEMAS).map(([name, schema]) => ({
    name: `contract reader, ${name}`,
    read: (body: Buffer) => void schema.safeParse(deviceJson(body)),
  })),
  ...Object.entries(SCHEMAS).map(([name, schema]) => ({
    name: `contract reader of data, ${name}`,
    read: (body: Buffer) => void schema.safeParse(dataOf(body)),
  })),
  { name: 'identity', read: (body) => void identityFacts(dataOf(body)) },
  {
    name: 'tokens',
    read: (body) => {
      const held = new HeldAnswer(200, { 'content-length': String(body.length) }, 'body', 0);
      held.add(body.subarray(0, 7));
      held.add(body.subarray(7));
      if (held.mayBeRefusal()) tokenVerdict('rutos', 200, held.json());
    },
  },
  { name: 'requests', read: inOrder((body) => readRequestJson(body)) },
  { name: 'bulk answers', read: (body) => void joinBulk(deviceJson(body), 2) },
  { name: 'errors of devices', read: (body) => void JSON.stringify(refusalFacts(422, deviceJson(body))) },
  {
    name: 'digests',
    read: (body) => {
      const value = deviceJson(body);
      if (value !== undefined) createHash('sha256').update(canonical(value)).digest('hex');
      recordsIn(dataOf(body));
    },
  },
  {
    name: 'audit bodies',
    read: (body) => {
      const value = deviceJson(body);
      if (value !== undefined) storableJson(redact(value, PATH, mark).value);
    },
  },
  { name: 'fan-out lines', read: lineOf },
  { name: 'backup reader', read: (body) => readBackup(gzipSync(body, { level: 1 })) },
  {
    name: 'backup reader, settings',
    read: (body) => readBackup(gzipSync(archiveOf('etc/config/network', body, '0'), { level: 1 })),
  },
  {
    name: 'backup reader, extended header',
    read: (body) => readBackup(gzipSync(archiveOf('x', body, 'x'), { level: 1 })),
  },
  { name: 'backup reader, long name', read: (body) => readBackup(gzipSync(archiveOf('x', body, 'L'), { level: 1 })) },
  {
    name: 'differences of backups',
    read: (body) => {
      const of = (content: Buffer) => [{ name: 'etc/config/network', content }];
      const other = Buffer.concat([body, Buffer.from('\noption a b')]);
      backupDifference(of(body), of(other), (value, path) => redact(value, path, mark).value as typeof value);
    },
  },
  {
    name: 'certificate reader',
    read: (body) => {
      const text = body.toString('latin1');
      bundleOf(text);
      examine(new Map([['ca.cert.pem', text], ['server.key.pem', text], ['dh.pem', text]]), 'simple', new Date()); // prettier-ignore
      try {
        publicKeyInfo(body);
      } catch (error) {
        if (!(error as Error).message.includes('certificate')) throw error;
      }
    },
  },
  {
    name: 'X-Forwarded-For',
    read: (body) => void callerAddress('10.0.0.1', body.toString('latin1'), (address) => address.startsWith('10.')),
  },
  {
    name: 'addresses as they are written',
    read: ofTexts((text) => [text, `https://${text}`, text.slice(0, 300), `https://${text.slice(0, 300)}`], misreading),
  },
  { name: 'cron', read: ofTexts((text) => [text, `${text.slice(0, 100)} * * * *`], cronProblem) },
  {
    name: 'MAC addresses',
    read: ofTexts(
      (text) => [text, text.slice(0, 17), `${text}*`, `${text.slice(0, 9)}*`],
      (text) => [canonicalMac(text), macPattern(text)],
    ),
  },
  {
    name: 'lines of CSV',
    read: async (body) => {
      const file = Buffer.concat([Buffer.from('sep=;\nname;base_url\n'), body]);
      await readFleetLines(file, 'csv', null).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
      });
    },
  },
  {
    name: 'versions',
    read: (body) => {
      const text = body.toString('latin1');
      firmwareVersion(text);
      isSameVersion(text, 'RUTX_R_00.07.16');
    },
  },
];

/** Reads a body as texts. */
function ofTexts(texts: (text: string) => string[], read: (text: string) => unknown): (body: Buffer) => void {
  return (body) => texts(body.toString('latin1')).forEach((text) => read(text));
}

/** What a body may be refused with is no fault. */
function inOrder(read: (body: Buffer) => unknown): (body: Buffer) => void {
  return (body) => {
    try {
      read(body);
    } catch (error) {
      if (!(error instanceof UnreadableJson)) throw error;
    }
  };
}

function lineOf(body: Buffer): void {
  const tally = new Tally({ concurrency: 1, perSite: 1, timeoutMs: 500, bodies: 'first' });
  const result: ResultLine = {
    type: 'result',
    deviceId: 'd',
    name: 'd',
    outcome: 'succeeded',
    reason: null,
    digest: createHash('sha256').update(body).digest('hex'),
    body: deviceJson(body) ?? body.toString('utf8'),
  };
  tally.add(result);
  JSON.stringify(result);
}

async function readBackup(bytes: Buffer): Promise<void> {
  try {
    contentDigest(await openBackup(Readable.from([bytes])));
  } catch (error) {
    if (!(error instanceof BackupUnreadable)) throw error;
  }
}

/** A tar archive with one entry of this type. */
function archiveOf(name: string, content: Buffer, type: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\x0000', 257);
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
  return Buffer.concat([header, content, padding, Buffer.alloc(1024)]);
}
