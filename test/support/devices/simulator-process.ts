import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type DeviceSummary, type LedgerEntry } from '../../../src/simulator/device/ledger.js';
import { PROJECT } from '../source/project.js';

const MAIN = fileURLToPath(new URL('dist/src/simulator/main.js', PROJECT));

/**
 * A fleet as a process of its own, from the build, driven through its control API: for tests whose devices must have time
 * of their own, since thousands of handshakes in the process of the gateway are deadlines missed by the test itself.
 */
export class SimulatorProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly control: string,
  ) {}

  /** @param flags of `npm run simulator` */
  static start(...flags: string[]): Promise<SimulatorProcess> {
    return SimulatorProcess.startInside([], flags);
  }

  /** @param inside the command that runs it elsewhere, such as in another network; its control API is there, too */
  static async startInside(inside: readonly string[], flags: readonly string[]): Promise<SimulatorProcess> {
    const [program = process.execPath, ...args] = [...inside, process.execPath, MAIN, ...flags];
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: child.stdout })) {
      const control = /control\s+(\S+)\/devices/.exec(line)?.[1];
      if (!control) continue;
      child.stdout.resume();
      return new SimulatorProcess(child, control);
    }
    throw new Error('The simulator did not start');
  }

  /** What an import of the gateway takes. */
  async csv(): Promise<string> {
    return (await this.ask('/devices.csv')).text();
  }

  /** What each device counted, in the order of their names. */
  async summaries(): Promise<(DeviceSummary & { readonly device: number })[]> {
    return (await (await this.ask('/summary')).json()) as (DeviceSummary & { device: number })[];
  }

  /** Does something to all devices behind the gateway's back; docs/reference/simulator.md has the actions. */
  async act(action: string, body?: unknown): Promise<void> {
    await this.ask(`/devices/all/actions/${action}`, {
      method: 'POST',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** Adds a rule of faults. */
  async fault(device: number | 'all', rule: object): Promise<void> {
    await this.ask(`/devices/${device}/faults`, { method: 'POST', body: JSON.stringify(rule) });
  }

  /** Lines of the ledger. @param query as docs/reference/simulator.md has it */
  async ledger(query: string): Promise<LedgerEntry[]> {
    const lines = (await (await this.ask(`/ledger?${query}`)).text()).split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LedgerEntry);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }

  private async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const answer = await fetch(this.control + path, init);
    if (!answer.ok) throw new Error(`The simulator answered ${answer.status}: ${await answer.text()}`);
    return answer;
  }
}
