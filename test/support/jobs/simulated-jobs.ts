import { DevicesService } from '../../../src/devices/registry/devices.service.js';
import { type JobRow } from '../../../src/jobs/rows/job.entity.js';
import { AppError } from '../../../src/platform/errors.js';
import { Secrets } from '../../../src/secrets/secrets.js';
import { DeviceCalls, type CallContext, type DeviceRequest } from '../../../src/proxy/calls/device-calls.js';
import { SingleLogins } from '../../../src/proxy/sessions/single-logins.js';
import { PasswordRotation } from '../../../src/jobs/password-rotation/password-rotation.js';
import { type Fleet, type FleetOptions } from '../../../src/simulator/fleet.js';
import { startOwnFleet } from '../devices/own-fleet.js';
import { AheadClock, register } from '../../proxy/proxy-world.js';
import { startTestGateway, type TestGateway } from '../gateway.js';
import { makeJobWorld, type JobWorld } from './job-world.js';
import { JOB_KINDS } from '../../../src/jobs/kinds/index.js';
import { type Mishap } from '../devices/scripted-device.js';

/*
 * The engine in front of simulated devices: the real `DeviceCalls`, a clock that does not wait, and answers that get lost on the
 * way back. A request whose answer is lost was carried out, as the simulator's ledger shows.
 */

export interface SimulatedJobs {
  readonly world: JobWorld;
  readonly gateway: TestGateway;
  readonly fleet: Fleet;
  /** Ids in the gateway, in the order of `fleet.devices`. */
  readonly ids: readonly string[];
  readonly lossyCalls: LossyCalls;
  /** Runs a job of the first device to its end. */
  run(kind: string, spec: unknown): Promise<JobRow>;
  close(): Promise<void>;
}

/** Starts a gateway that runs no jobs by itself, the devices, and an engine whose jobs the tests run. */
export async function startSimulatedJobs(options: FleetOptions): Promise<SimulatedJobs> {
  const clock = new AheadClock();
  const [gateway, fleet] = await Promise.all([startTestGateway({ ROLE: 'api' }, clock), startOwnFleet(options)]);
  const ids: string[] = [];
  for (const { name, baseUrl, username, password } of fleet.devices) {
    ids.push(await register(gateway, name, baseUrl, username, password));
  }
  const { app } = gateway.gateway;
  const lossyCalls = new LossyCalls(app.get(DeviceCalls));
  const parts = {
    databaseUrl: gateway.databaseUrl,
    secrets: app.get(Secrets),
    calls: lossyCalls.calls,
    devices: app.get(DevicesService),
    logins: app.get(SingleLogins),
    rotation: app.get(PasswordRotation),
  };
  const world = await makeJobWorld(JOB_KINDS, undefined, parts);
  // Who waits for the device lets it work: its time, and that of the calls, passes with that of the engine.
  world.clock.onSleep = (ms) => {
    clock.pass(ms);
    fleet.clock.advance(ms);
  };
  world.worker.consume();
  return {
    world,
    gateway,
    fleet,
    ids,
    lossyCalls,
    run: async (kind, spec) => world.runToEnd((await world.start(ids[0]!, kind, spec)).id),
    async close() {
      await world.close();
      await gateway.close();
      await fleet.close();
    },
  };
}

/** Calls to devices, of which chosen answers get lost. */
class LossyCalls {
  /** Answers so far; the next one has this number. */
  answers = 0;
  /** What becomes of the answer with that number. */
  mishap: (answer: number, request: DeviceRequest) => Mishap | null = () => null;
  /** Runs when a request was carried out, before its answer is known. */
  after: (request: DeviceRequest) => Promise<void> = () => Promise.resolve();
  /** Every request that was sent, as method and path. */
  readonly sent: string[] = [];

  constructor(private readonly real: DeviceCalls) {}

  /** Nothing has happened, and nothing will. */
  reset(): void {
    this.answers = 0;
    this.sent.length = 0;
    this.mishap = () => null;
    this.after = () => Promise.resolve();
  }

  get calls(): DeviceCalls {
    const { real } = this;
    return {
      call: (deviceId: string, request: DeviceRequest, context: CallContext) =>
        this.pass(request, () => real.call(deviceId, request, context)),
      stream: (deviceId: string, request: DeviceRequest, context: CallContext) =>
        this.pass(request, () => real.stream(deviceId, request, context)),
      endSessions: (deviceId: string) => real.endSessions(deviceId),
    } as unknown as DeviceCalls;
  }

  private async pass<Answer>(request: DeviceRequest, go: () => Promise<Answer>): Promise<Answer> {
    const mishap = this.mishap(this.answers++, request);
    if (mishap === 'unreachable') throw new AppError('device_unreachable');
    this.sent.push(`${request.method} ${request.path}`);
    const answer = go();
    await Promise.allSettled([answer]);
    await this.after(request);
    if (mishap === null) return answer;
    // What the device says is lost, whatever it is.
    await answer.then(drain, () => undefined);
    throw new AppError(request.method === 'GET' ? 'device_answer_cut' : 'device_outcome_unknown');
  }
}

function drain(answer: unknown): void {
  const { body } = answer as { body?: { destroy?: () => void } };
  body?.destroy?.();
}
