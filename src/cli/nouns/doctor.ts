import { type Command } from 'commander';
import { ApiError, ConnectionError } from '../../api-client/api-client.js';
import { ownCommand, type OpenContext } from '../command.js';
import { type Context } from '../context.js';
import { EXIT, UsageError } from '../exit-codes.js';
import { deviceRef } from '../operations/request.js';
import { record, type RecordFlags } from '../recording/record.js';
import {
  callFinding,
  clockFinding,
  connectionFinding,
  deviceFindings,
  keyFinding,
  nodeFinding,
  readyFinding,
  refusedFinding,
  selfFindings,
  skipped,
  storageFinding,
  systemFindings,
  tlsFinding,
  type DoctorFinding,
} from './doctor-findings.js';

/* `fleetgate doctor`: what can be wrong between this terminal and a device, each finding with its remedy. */

/** Of the longest state, and a gap. */
const STATE_WIDTH = 9;

export const doctorCommand = (open: OpenContext): Command =>
  ownCommand<RecordFlags>(open, {
    words: 'doctor [device]',
    summary: 'Checks this machine, the gateway, your key, and one device, and says what to do',
    examples: [
      'fleetgate doctor',
      'fleetgate doctor pump-1',
      'fleetgate doctor -o json',
      'fleetgate doctor --record pump-1 --to rutx50.json --with-model',
    ],
    more: 'The exit code is 1 when something is wrong.',
    options: [
      ['--record', 'records how the device answers, without what it says, for the simulator; changes nothing'],
      ['--to <file>', 'of the recording (router-recording.json); it must not exist'],
      ['--with-model', 'the recording has model and firmware of the device, too'],
      ['-y, --yes', 'writes the recording without a question'],
    ],
    run: async (context, flags, device) => {
      if (!flags.record && (flags.to !== undefined || flags.withModel || flags.yes))
        throw new UsageError('--to, --with-model and --yes belong to --record');
      if (!flags.record) return doctor(context, device);
      if (device === undefined) throw new UsageError('Name the device: fleetgate doctor --record <device>');
      await record(context, flags, device);
    },
  });

async function doctor(context: Context, device?: string): Promise<void> {
  let isWrong = false;
  async function* checks(): AsyncGenerator<DoctorFinding & Record<string, unknown>> {
    for await (const finding of examine(context, device)) {
      isWrong ||= finding.state === 'wrong';
      yield { ...finding };
    }
  }
  // A table would cut what to do.
  if (context.screenLines !== null && context.flags.fields === undefined) {
    for await (const { check, state, finding, remedy } of checks()) {
      context.out(`${state.padEnd(STATE_WIDTH)}${check}: ${finding}`);
      if (remedy !== '') context.out(`${' '.repeat(STATE_WIDTH)}${remedy}`);
    }
  } else await context.rows(checks(), ['check', 'state', 'finding', 'remedy']);
  if (isWrong) context.endWith(EXIT.error);
}

/** From this machine to the device; what needs an earlier check that failed is left out. */
async function* examine(context: Context, device?: string): AsyncGenerator<DoctorFinding> {
  yield nodeFinding(process.versions.node);
  const { url, key } = await context.gateway();
  let isReachable = false;
  for await (const finding of reach(context, url)) {
    isReachable ||= finding.check === 'clock';
    yield finding;
  }
  if (!isReachable) return;
  if (key === undefined) {
    const remedy = 'fleetgate login, or set FLEETGATE_API_KEY';
    yield { check: 'login', state: 'wrong', finding: 'There is no API key for this address', remedy };
    return;
  }
  try {
    yield* selfFindings(await (await context.api()).get('/v1/self'));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    yield keyFinding(error);
    return;
  }
  yield* gatewayFindings(context);
  if (device !== undefined) yield* examineDevice(context, deviceRef(device));
}

async function* reach(context: Context, url: string): AsyncGenerator<DoctorFinding> {
  try {
    const answer = await context.client(url).request('GET', '/health/ready', { signal: context.interrupted });
    yield readyFinding(answer.status, url);
    yield clockFinding(answer.headers.get('date'), Date.now());
    yield tlsFinding(url);
  } catch (error) {
    if (error instanceof ConnectionError) yield connectionFinding(error, url);
    else if (error instanceof ApiError) yield readyFinding(error.status, url);
    else throw error;
  }
}

async function* gatewayFindings(context: Context): AsyncGenerator<DoctorFinding> {
  try {
    const system = await (await context.api()).get('/v1/system');
    yield* systemFindings(system);
    // A gateway of an earlier version has no such part.
    if ('storage' in system) yield storageFinding(system.storage, Date.now());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    yield skipped('gateway', `Its state cannot be read: ${error.title}`, error.detail ?? '');
  }
}

/** A device: how the gateway knows it, its login, and a call. */
async function* examineDevice(context: Context, ref: string): AsyncGenerator<DoctorFinding> {
  const api = await context.api();
  try {
    const device = await api.get('/v1/devices/{ref}', { params: { path: { ref } } });
    yield* deviceFindings(device);
    const path = `/v1/devices/${encodeURIComponent(ref)}/api/system/device/status`;
    const call = await context.send('GET', path, { takesErrors: true }).catch(refusalIn);
    yield callFinding(device, call instanceof ApiError ? call : null, call.status);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    yield refusedFinding('device', error);
  }
}

/** @throws what is no refusal */
function refusalIn(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
