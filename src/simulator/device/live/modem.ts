/* The modem of one device as far as callers change it: which SIM it uses, and what they made it do last. */
import { MOBILE_STAGES, mobileLinkAt, type MobileLink, type ModemAction, type SimPosition } from './mobile-link.js';
import type { LiveMoment } from './scenarios.js';

/** What a modem asks of its device. */
export interface ModemOwner {
  readonly moment: () => LiveMoment;
  /** Simulated seconds that pass in a second. */
  readonly pace: number;
  readonly hasTwoSims: boolean;
  readonly modemId: string;
  /** The sections of a service that was used. */
  settings(service: string): readonly Readonly<Record<string, string | string[]>>[];
}

/** Attempts that a card allows. */
const PIN_ATTEMPTS = 3;

/** The SIM card's secrets as they leave the factory (chosen). */
const [FACTORY_PIN, FACTORY_PUK] = ['1234', '12345678'];

/** The PIN of a card: three wrong ones block it until its PUK is used. */
class SimCard {
  pin = FACTORY_PIN;
  pinLeft = PIN_ATTEMPTS;

  /** @returns whether it is the PIN; a wrong one costs an attempt */
  tryPin(pin: string): boolean {
    const isRight = this.pinLeft > 0 && pin === this.pin;
    this.pinLeft = isRight ? PIN_ATTEMPTS : Math.max(0, this.pinLeft - 1);
    return isRight;
  }

  /** Sets a new PIN. @returns whether the PUK was right */
  unblock(puk: string, pin: string): boolean {
    if (puk !== FACTORY_PUK) return false;
    this.pin = pin;
    this.pinLeft = PIN_ATTEMPTS;
    return true;
  }
}

export class SimulatedModem {
  readonly card = new SimCard();
  /** Seconds since 1970, of the last search for operators. */
  lastScan: number | null = null;
  private sim: SimPosition | null = null;
  private action: ModemAction | null = null;

  constructor(private readonly owner: ModemOwner) {}

  /** The connection now. */
  get link(): MobileLink {
    this.sim ??= this.primarySim();
    if (this.isInFlightMode()) {
      return { isUp: false, sim: this.sim, stage: MOBILE_STAGES.flight, isRegistered: false, since: null };
    }
    return mobileLinkAt(this.owner.moment(), this.sim, this.owner.hasTwoSims, this.action);
  }

  /** Starts an action; the connection comes back after some simulated seconds. */
  act(kind: ModemAction['kind']): void {
    const { moment, pace, hasTwoSims } = this.owner;
    const used = this.link.sim;
    if (kind !== 'switch') this.sim = this.primarySim();
    else if (hasTwoSims) this.sim = used === 1 ? 2 : 1;
    this.action = { kind, at: moment().at, pace };
  }

  /** The SIM that the settings call the primary one. */
  private primarySim(): SimPosition {
    const primary = this.owner.settings('sim_cards').find((card) => card['primary'] === '1');
    return primary?.['position'] === '2' ? 2 : 1;
  }

  private isInFlightMode(): boolean {
    return this.owner.settings(`modems/${this.owner.modemId}`)[0]?.['flight_mode'] === '1';
  }

  /** As after a start of the device. */
  restart(): void {
    this.sim = null;
    this.action = null;
  }
}
