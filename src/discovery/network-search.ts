import { setMaxListeners } from 'node:events';
import { isIPv6 } from 'node:net';
import { type Clock } from '../platform/clock.js';
import { type AddressVisit, type AddressVisits } from '../proxy/sessions/address-visits.js';
import { identifyAndLogOut, logIn, recognize, shownCertificate, type Recognition } from './address-probe.js';
import { type DiscoveryFind, type DiscoveryRun } from './discovery.entity.js';
import { type CredentialSet, type DiscoveryRows } from './discovery-rows.js';
import { AddressRange } from './networks.js';

/*
 * A run of a search in this process: addresses in their order, so many at once and so many in a second. `searched` is the
 * number of addresses before the first one that is not done, so a process that goes on visits at most `atOnce` addresses
 * twice. A second visit sends no second login, because each is a row before it is sent.
 */

/** How often progress is stored, and a cancel noticed. */
const SAVE_EVERY_MS = 1_000;

interface SearchTools {
  readonly rows: DiscoveryRows;
  readonly visits: AddressVisits;
  readonly clock: Clock;
  /** Whether the starter may still search. */
  readonly mayContinue: (run: DiscoveryRun) => Promise<boolean>;
}

/** `lost`: it was cancelled, another process has it, or this process stops. */
type SearchEnd = 'finished' | 'not_allowed' | 'lost';

interface Sight {
  readonly baseUrl: string;
  readonly port: number;
  readonly recognition: Recognition;
  readonly visit: AddressVisit;
}

export class NetworkSearch {
  private readonly range: AddressRange;
  private readonly stopping = new AbortController();
  private readonly begun = new Set<number>();
  private next: number;
  private credentials: readonly CredentialSet[] = [];
  private end: SearchEnd = 'finished';
  private readonly startedAtMs = performance.now();
  private readonly from: number;

  constructor(
    private readonly run: DiscoveryRun,
    private readonly tools: SearchTools,
  ) {
    this.range = new AddressRange(run.networks);
    this.from = this.next = run.searched;
    setMaxListeners(0, this.stopping.signal);
  }

  /** Gives the run up; another process goes on with it. */
  stop(end: SearchEnd = 'lost'): void {
    if (this.stopping.signal.aborted) return;
    this.end = end;
    this.stopping.abort();
  }

  /** @throws errors of the database; the run then goes on later */
  async search(): Promise<SearchEnd> {
    this.credentials = await this.tools.rows.credentials(this.run.id);
    const saved = this.saveWhileRunning();
    const fail = (error: unknown) => {
      this.stop();
      throw error;
    };
    const workers = Array.from({ length: this.run.atOnce }, () => this.work().catch(fail));
    const ended = await Promise.allSettled(workers);
    const { end } = this;
    this.stop();
    await saved;
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
    return end;
  }

  private async work(): Promise<void> {
    while (this.next < this.range.count && !this.stopping.signal.aborted) {
      const position = this.next++;
      this.begun.add(position);
      await this.awaitTurn(position);
      if (this.stopping.signal.aborted) return;
      await this.searchAddress(position);
      if (!this.stopping.signal.aborted) this.begun.delete(position);
    }
  }

  /** The turn of each address has its time, so that no delay is followed by a rush. */
  private async awaitTurn(position: number): Promise<void> {
    const dueMs = this.startedAtMs + ((position - this.from) / this.run.perSecond) * 1_000;
    await this.tools.clock.sleep(dueMs - performance.now(), this.stopping.signal);
  }

  private async saveWhileRunning(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.tools.clock.sleep(SAVE_EVERY_MS, signal);
      const isMine = await this.tools.rows.saveProgress(this.run, this.searched).catch(() => true); // the next save tells
      if (!isMine) this.stop();
      else if (!signal.aborted && !(await this.tools.mayContinue(this.run).catch(() => true))) this.stop('not_allowed');
    }
  }

  /** All addresses before this one are done. */
  private get searched(): number {
    return Math.min(this.next, ...this.begun);
  }

  /** The first port where a device answers; else the first one where anything does. */
  private async searchAddress(position: number): Promise<void> {
    const address = this.range.at(position);
    const others: Sight[] = [];
    for (const port of this.run.ports) {
      const baseUrl = baseUrlOf(address, port);
      const isDevice = await this.tools.visits.visit(baseUrl, this.stopping.signal, async (visit) => {
        const recognition = await recognize(visit);
        if (recognition === null) return false;
        const sight = { baseUrl, port, recognition, visit };
        if (recognition.kind === 'device') await this.meet(position, address, sight);
        else others.push(sight);
        return recognition.kind === 'device';
      });
      if (isDevice || this.stopping.signal.aborted) return;
    }
    if (others[0]) await this.save(position, address, others[0]);
  }

  /** Logs in on a device that the registry does not know, if the run has credentials. */
  private async meet(position: number, address: string, sight: Sight): Promise<void> {
    const find = await this.save(position, address, sight);
    if (!find || find.knownDeviceId !== null || find.pin === null) return;
    for (const set of this.credentials) {
      if (!(await this.tools.mayContinue(this.run))) return this.stop('not_allowed');
      if (!(await this.tools.rows.reserveLogin(this.run, set.id, find))) continue;
      if (await this.logIn(find, set, sight)) return;
    }
  }

  /** @returns whether no other credentials are tried: the device accepted these, or it is not clear what it did */
  private async logIn(find: DiscoveryFind, set: CredentialSet, { recognition, visit }: Sight): Promise<boolean> {
    const profile = recognition.kind === 'device' ? recognition.profile : 'spec';
    const login = await logIn(visit, profile, set.username, this.tools.rows.openPassword(set));
    const identity = login.outcome === 'granted' ? await identifyAndLogOut(visit, login.token) : null;
    await this.tools.rows.saveLogin(find, set.id, login.outcome, identity);
    return login.outcome !== 'refused';
  }

  /** Null: the run is lost. */
  private async save(position: number, address: string, sight: Sight): Promise<DiscoveryFind | null> {
    const { baseUrl, port, recognition, visit } = sight;
    const said = { profile: null, name: null, model: null, identifier: null, apiVersion: null, reason: null };
    if (this.stopping.signal.aborted) return null;
    const find = await this.tools.rows.saveSighting(this.run, {
      ...said,
      ...recognition,
      position,
      address,
      port,
      baseUrl,
      pin: visit.pin,
      certificate: visit.certificate && shownCertificate(visit.certificate),
    });
    if (!find) this.stop();
    return find;
  }
}

/** As `new URL().origin` writes it, as in the registry. */
function baseUrlOf(address: string, port: number): string {
  const host = isIPv6(address) ? `[${address}]` : address;
  return new URL(`${port === 80 ? 'http' : 'https'}://${host}:${port}`).origin;
}
