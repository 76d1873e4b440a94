/* The modem of one device as far as callers change it: which SIM it uses, and when they kept it from its network. */
import {
  ACTION_TAKES_S,
  MOBILE_STAGES,
  mobileLinkAt,
  type MobileLink,
  type ModemAction,
  type SimPosition,
} from './mobile-link.js';
import { outageIn, overlap, slotOf, SWITCH_AFTER_S, SWITCH_TAKES_S, type Span } from './outages.js';
import type { LiveMoment } from './scenarios.js';
import { bytesBetween, type Bytes, type Uplinks } from './traffic.js';

/** What a modem asks of its device. */
export interface ModemOwner {
  readonly moment: () => LiveMoment;
  /** Simulated seconds that pass in a second. */
  readonly pace: number;
  readonly uplinks: Uplinks;
  readonly modemId: string;
  /** The sections of a service that was used. */
  settings(service: string): readonly Readonly<Record<string, string | string[]>>[];
}

/** Attempts that a card allows. */
const PIN_ATTEMPTS = 3;
const PUK_ATTEMPTS = 10;

/** The SIM card's secrets as they leave the factory (chosen). */
const [FACTORY_PIN, FACTORY_PUK] = ['1234', '12345678'];

/** The PIN of a card: three wrong ones block it until its PUK is used. */
class SimCard {
  pin = FACTORY_PIN;
  pinLeft = PIN_ATTEMPTS;
  pukLeft = PUK_ATTEMPTS;
  /** Whether it asks for its PIN after each start. */
  isLocked = false;
  /** Whether it waits for its PIN. */
  needsPin = false;

  /** @returns whether it is the PIN; a wrong one costs an attempt */
  tryPin(pin: string): boolean {
    const isRight = this.pinLeft > 0 && pin === this.pin;
    this.pinLeft = isRight ? PIN_ATTEMPTS : Math.max(0, this.pinLeft - 1);
    if (isRight) this.needsPin = false;
    return isRight;
  }

  /** As after a start of the modem. @param known the PIN in the settings, which the modem tries */
  restart(known: string | undefined): void {
    this.needsPin = this.isLocked;
    if (this.isLocked && known !== undefined) this.tryPin(known);
  }

  /** What a restart of the simulator must not lose. */
  export() {
    const { pin, pinLeft, pukLeft, isLocked } = this;
    return { pin, pinLeft, pukLeft, isLocked };
  }

  restore(stored: ReturnType<SimCard['export']>): void {
    Object.assign(this, stored);
  }

  /** Sets a new PIN. @returns whether the PUK was right; a wrong one costs an attempt */
  unblock(puk: string, pin: string): boolean {
    const isRight = this.pukLeft > 0 && puk === FACTORY_PUK;
    this.pukLeft = isRight ? PUK_ATTEMPTS : Math.max(0, this.pukLeft - 1);
    if (!isRight) return false;
    this.pin = pin;
    this.pinLeft = PIN_ATTEMPTS;
    this.needsPin = false;
    return true;
  }
}

/** Spans that a modem remembers: older ones count as connected. */
const MAX_SPANS = 500;

export class SimulatedModem {
  readonly card = new SimCard();
  /** Seconds since 1970, of the last search for operators. */
  lastScan: number | null = null;
  /** Seconds since 1970, when a caller last cleared the counters of the data limits. */
  limitsClearedAt = 0;
  /** The cards that were chosen since the device started, each from an instant on. */
  private cards: { readonly from: number; readonly sim: SimPosition }[] = [];
  private action: ModemAction | null = null;
  /** When callers kept it from its network, in order and without overlap; the last one may have no end yet. */
  private kept: Span[] = [];

  constructor(private readonly owner: ModemOwner) {}

  /** The connection now. */
  get link(): MobileLink {
    const { sim } = this;
    const stage = this.heldAt();
    if (stage !== null) return { isUp: false, sim, stage, isRegistered: false, since: null };
    const link = mobileLinkAt(this.owner.moment(), sim, this.owner.uplinks.hasTwoSims, this.action);
    const releasedAt = this.kept.at(-1)?.to ?? 0;
    return link.isUp ? { ...link, since: Math.max(link.since ?? 0, releasedAt) } : link;
  }

  /** Whether a network had accepted the SIM at an instant. */
  wasRegistered(at: number): boolean {
    if (this.kept.some(({ from, to }) => from <= at && at < to)) return false;
    return mobileLinkAt({ ...this.owner.moment(), at }, 1, this.owner.uplinks.hasTwoSims, null).isRegistered;
  }

  /** Bytes between two instants in seconds since 1970: none while a caller kept the modem from its network. */
  bytesBetween(from: number, to: number): Bytes {
    const { moment, uplinks } = this.owner;
    const now = moment();
    let { rx, tx } = bytesBetween(now, 'mobile', uplinks, from, to);
    for (const span of this.kept) {
      const shared = overlap(span, { from, to });
      if (!shared) continue;
      const unsent = bytesBetween(now, 'mobile', uplinks, shared.from, shared.to);
      [rx, tx] = [rx - unsent.rx, tx - unsent.tx];
    }
    return { rx, tx };
  }

  /** Bytes between two instants that went over one of the cards. */
  bytesOf(sim: SimPosition, from: number, to: number): Bytes {
    let [rx, tx] = [0, 0];
    if (this.cards.length === 0) void this.sim;
    this.cards.forEach((card, index) => {
      const span = overlap({ from: card.from, to: this.cards[index + 1]?.from ?? Infinity }, { from, to });
      if (!span) return;
      const spare = this.onSpareCard(span);
      const all = this.bytesBetween(span.from, span.to);
      const own = card.sim === sim ? { rx: all.rx - spare.rx, tx: all.tx - spare.tx } : spare;
      [rx, tx] = [rx + own.rx, tx + own.tx];
    });
    return { rx, tx };
  }

  /** Bytes that went over the card that was not chosen, while the other one had no network. */
  private onSpareCard({ from, to }: Span): Bytes {
    let [rx, tx] = [0, 0];
    if (!this.owner.uplinks.hasTwoSims) return { rx, tx };
    for (let slot = slotOf(from); slot <= slotOf(to); slot++) {
      const outage = outageIn(this.owner.moment(), 'mobile', slot);
      const spare = outage && { from: outage.from + SWITCH_AFTER_S + SWITCH_TAKES_S, to: outage.to };
      const span = overlap(spare, { from, to });
      const bytes = span && this.bytesBetween(span.from, span.to);
      if (bytes) [rx, tx] = [rx + bytes.rx, tx + bytes.tx];
    }
    return { rx, tx };
  }

  /** The card that is chosen now. */
  private get sim(): SimPosition {
    if (this.cards.length === 0) this.cards.push({ from: 0, sim: this.primarySim() });
    return this.cards.at(-1)!.sim;
  }

  /** Starts an action; the connection comes back after some simulated seconds. */
  act(kind: ModemAction['kind']): void {
    const { moment, pace, uplinks } = this.owner;
    const used = this.link.sim;
    const at = Math.floor(moment().at);
    const sim = kind === 'switch' && uplinks.hasTwoSims ? (used === 1 ? 2 : 1) : this.primarySim();
    if (sim !== this.sim) this.cards.push({ from: at, sim });
    if (this.cards.length > MAX_SPANS) this.cards.shift();
    this.action = { kind, at: moment().at, pace };
    if (kind === 'reboot') this.card.restart(this.storedPin());
    if (this.kept.at(-1)?.to === Infinity) return;
    this.endSpan(at);
    this.beginSpan({ from: at, to: at + ACTION_TAKES_S[kind] / pace });
  }

  /** Notes when flight mode, or a card that is blocked, begins and ends to keep it from its network. */
  changed(): void {
    const isHeld = this.heldAt() !== null;
    const wasHeld = this.kept.at(-1)?.to === Infinity;
    if (isHeld === wasHeld) return;
    const at = Math.floor(this.owner.moment().at);
    this.endSpan(at);
    if (isHeld) this.beginSpan({ from: at, to: Infinity });
  }

  private beginSpan(span: Span): void {
    this.kept.push(span);
    if (this.kept.length > MAX_SPANS) this.kept.shift();
  }

  private endSpan(at: number): void {
    const last = this.kept.pop();
    if (last) this.kept.push({ from: last.from, to: Math.min(last.to, at) });
  }

  /** The SIM that the settings call the primary one. */
  private primarySim(): SimPosition {
    return this.primaryCard()?.['position'] === '2' ? 2 : 1;
  }

  private primaryCard() {
    const { modemId } = this.owner;
    const isOwn = (card: Readonly<Record<string, unknown>>): boolean => (card['modem'] ?? modemId) === modemId;
    return this.owner.settings('sim_cards').find((card) => card['primary'] === '1' && isOwn(card));
  }

  private storedPin(): string | undefined {
    const pin = this.primaryCard()?.['pincode'];
    return typeof pin === 'string' ? pin : undefined;
  }

  /** The stage at which the modem is held until a caller changes something; null: it is not. */
  private heldAt(): number | null {
    if (this.owner.settings(`modems/${this.owner.modemId}`)[0]?.['flight_mode'] === '1') return MOBILE_STAGES.flight;
    if (this.card.pinLeft === 0) return MOBILE_STAGES.puk;
    return this.card.needsPin ? MOBILE_STAGES.pin : null;
  }

  /** As after a start of the device. */
  restart(): void {
    this.cards = [];
    this.action = null;
    this.card.restart(this.storedPin());
    this.changed();
  }
}
