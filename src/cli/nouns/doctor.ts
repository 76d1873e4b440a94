import { type Command } from 'commander';
import { ApiError, ConnectionError } from '../../api-client/api-client.js';
import { gatewayCommand, type Open } from '../command.js';
import { type Context } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { deviceRef } from '../operations/request.js';

/* `fleetgate doctor`: what can be wrong between this terminal and a device, each finding with its remedy. */

interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'wrong' | 'skipped';
  readonly finding: string;
  /** What to do; empty when nothing is wrong. */
  readonly remedy: string;
}

/** A clock that differs by more than this breaks one-time codes and certificates. */
const CLOCK_OFF_MAX_MS = 30_000;
const NODE_MIN = [20, 19] as const;

export function doctorCommand(open: Open): Command {
  const command = gatewayCommand({
    words: 'doctor [device]',
    summary: 'Checks this machine, the gateway, your key, and one device, and says what to do',
    examples: ['fleetgate doctor', 'fleetgate doctor pump-1', 'fleetgate doctor -o json'],
    more: 'The exit code is 1 when something is wrong.',
  });
  return command.action((device?: string) => doctor(open(command.opts()), device));
}

async function doctor(context: Context, device?: string): Promise<void> {
  const findings: Finding[] = [];
  async function* checks(): AsyncGenerator<Finding & Record<string, unknown>> {
    for await (const finding of examine(context, device)) {
      findings.push(finding);
      yield { ...finding };
    }
  }
  await context.rows(checks(), ['check', 'state', 'finding', 'remedy']);
  if (findings.some(({ state }) => state === 'wrong')) context.endWith(EXIT.error);
}

async function* examine(context: Context, device?: string): AsyncGenerator<Finding> {
  yield nodeFinding(process.versions.node);
  const { url, key } = await context.gateway();
  const reached = await reach(context, url);
  yield* reached.findings;
  if (!reached.isReachable) return;
  if (key === undefined) {
    yield {
      check: 'key',
      state: 'wrong',
      finding: 'There is no API key',
      remedy: 'fleetgate login, or set FLEETGATE_API_KEY',
    };
    return;
  }
  const self = await selfFinding(context);
  yield self;
  if (self.state === 'wrong') return;
  yield* systemFindings(context);
  if (device !== undefined) yield* deviceFindings(context, device);
}

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1]);
  const remedy = isOld ? `Install Node ${NODE_MIN.join('.')} or newer` : '';
  return { check: 'node', state: isOld ? 'wrong' : 'ok', finding: `Node ${version}`, remedy };
}

async function reach(context: Context, url: string): Promise<{ findings: Finding[]; isReachable: boolean }> {
  try {
    const answer = await context.client(url).request('GET', '/health/ready', { signal: context.interrupted });
    const findings = [readyFinding(answer.status, url), clockFinding(answer.headers.get('date')), tlsFinding(url)];
    return { findings, isReachable: true };
  } catch (error) {
    if (error instanceof ApiError) return { findings: [readyFinding(error.status, url)], isReachable: true };
    if (!(error instanceof ConnectionError)) throw error;
    const remedy = 'Start the gateway, or give its address with --url; behind a proxy, check its certificate and port';
    return { findings: [{ check: 'gateway', state: 'wrong', finding: error.message, remedy }], isReachable: false };
  }
}

function readyFinding(status: number, url: string): Finding {
  if (status < 400) return { check: 'gateway', state: 'ok', finding: `${url} is ready`, remedy: '' };
  const remedy = 'fleetgate system ready says which part is not; check the database, Redis and the disk';
  return { check: 'gateway', state: 'wrong', finding: `${url} answers, and is not ready (status ${status})`, remedy };
}

function clockFinding(date: string | null): Finding {
  const offMs = date === null ? Number.NaN : Date.now() - Date.parse(date);
  if (Number.isNaN(offMs))
    return { check: 'clock', state: 'skipped', finding: 'The gateway sends no date', remedy: '' };
  const seconds = Math.round(offMs / 1_000);
  const isOff = Math.abs(offMs) > CLOCK_OFF_MAX_MS;
  const remedy = isOff ? 'Set both clocks by NTP: one-time codes and certificates depend on them' : '';
  return { check: 'clock', state: isOff ? 'wrong' : 'ok', finding: `${seconds} s from the gateway's clock`, remedy };
}

function tlsFinding(url: string): Finding {
  const { protocol, hostname } = new URL(url);
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  if (protocol === 'https:') return { check: 'tls', state: 'ok', finding: 'The connection is encrypted', remedy: '' };
  if (isLocal)
    return { check: 'tls', state: 'ok', finding: 'Not encrypted; it does not leave this machine', remedy: '' };
  return {
    check: 'tls',
    state: 'wrong',
    finding: 'Your key travels unencrypted',
    remedy: 'Put a TLS proxy before the gateway, and use https',
  };
}

async function selfFinding(context: Context): Promise<Finding> {
  try {
    const { name, permissions } = await (await context.api()).get('/v1/self');
    const finding = `You are ${name}, with ${permissions.length} permissions`;
    const remedy = permissions.length === 0 ? 'Ask an administrator for a role' : '';
    return { check: 'key', state: permissions.length === 0 ? 'wrong' : 'ok', finding, remedy };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const remedy = error.detail ?? 'Issue another key, and sign in with fleetgate login';
    return { check: 'key', state: 'wrong', finding: error.title, remedy };
  }
}

/** The warnings of the gateway itself: its keys, its Node, its disk, its Redis. */
async function* systemFindings(context: Context): AsyncGenerator<Finding> {
  try {
    const { warnings } = await (await context.api()).get('/v1/system');
    for (const warning of warnings) {
      yield { check: 'gateway', state: 'warning', finding: warning.code, remedy: warning.text };
    }
    if (warnings.length === 0) yield { check: 'gateway', state: 'ok', finding: 'It has no warnings', remedy: '' };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    yield {
      check: 'gateway',
      state: 'skipped',
      finding: `Its warnings cannot be read: ${error.title}`,
      remedy: error.detail ?? '',
    };
  }
}

/** A device: how the gateway knows it, its session, and a call. */
async function* deviceFindings(context: Context, written: string): AsyncGenerator<Finding> {
  const api = await context.api();
  const ref = deviceRef(written);
  try {
    const device = await api.get('/v1/devices/{ref}', { params: { path: { ref } } });
    yield stateFinding(written, device.state, device.stateReason);
    const answer = await api.request('GET', `/v1/devices/${encodeURIComponent(ref)}/api/system/device/status`);
    const isOk = answer.status < 400;
    const remedy = isOk ? '' : 'Check the rights of its account on the device, and its firmware';
    yield {
      check: 'call',
      state: isOk ? 'ok' : 'wrong',
      finding: `It answers a read with status ${answer.status}`,
      remedy,
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    yield { check: 'device', state: 'wrong', finding: error.title, remedy: error.detail ?? '' };
  }
}

const STATE_REMEDIES: Readonly<Record<string, string>> = {
  offline: 'Check its power, its link, and that the gateway reaches its address',
  credentials_refused: 'Give its password: fleetgate device credentials <device>',
  trust_changed: 'Compare its certificate, and accept it: fleetgate device trust <device>',
};

function stateFinding(device: string, state: string, reason: string | null): Finding {
  const remedy = STATE_REMEDIES[state] ?? '';
  return {
    check: 'device',
    state: remedy === '' ? 'ok' : 'wrong',
    finding: `${device} is ${state}${reason ? `: ${reason}` : ''}`,
    remedy,
  };
}
