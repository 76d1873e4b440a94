import { type Metric, pathsOf, type Wish } from './samples/sample-request.js';

/*
 * What a policy costs a device, and the interval that its budget allows.
 *
 * A session lives 299 seconds, and each use prolongs it. So a sample every 240 seconds or less needs no login of its own, and
 * one every 900 seconds or more has a login and a logout. What is between would log in for nearly each sample, and each login
 * costs a small router memory. Pure.
 */

/** The longest interval of samples that share one session: 299 s less the lag of a busy gateway. */
export const SHARED_SESSION_MAX_S = 240;

/** The shortest interval of samples with a login each. */
export const OWN_SESSION_MIN_S = 900;

export const EVERY_MIN_S = 60;
export const EVERY_MAX_S = 86_400;

/** A sample is fresh for so many intervals of its device. */
export const FRESH_INTERVALS = 3;

export const hasOwnSession = (everySeconds: number): boolean => everySeconds > SHARED_SESSION_MAX_S;

/** Besides the bodies: a TLS 1.3 handshake with RSA 2.3 kB, TCP/IP 0.8 kB, lines and headers 0.6 kB. */
export const EXCHANGE_BYTES = 3_700;

/** A login and a logout: two exchanges with small bodies. */
export const LOGIN_BYTES = 2 * (EXCHANGE_BYTES + 200);

/** Bodies as recorded, where no sample of the model says it better; of `data` in the middle of a month. */
const BODY_BYTES: Readonly<Record<Metric, number>> = {
  modem: 1_400,
  interface: 2_000,
  usage: 400,
  position: 300,
  data: 1_500,
};
const EXTRA_BYTES = 300;
const ITEM_BYTES = 70;

const MONTH_S = 30 * 86_400;
const DAY_S = 86_400;

export interface Price {
  readonly bytesPerSample: number;
  /** A month has 30 days. */
  readonly bytesPerMonth: number;
  readonly handshakesPerMonth: number;
  readonly loginsPerDay: number;
}

/** The bytes of one sample by the table. */
export function tableBytes(wish: Wish): number {
  const bodies = wish.metrics.reduce((sum, metric) => sum + BODY_BYTES[metric], 0) + wish.extra.length * EXTRA_BYTES;
  return EXCHANGE_BYTES + pathsOf(wish).length * ITEM_BYTES + bodies;
}

/**
 * The price for one device.
 * @param bytesPerSample without a login
 * @param logins of a month; absent: as a session of its own needs them
 */
export function priceOf(everySeconds: number, bytesPerSample: number, logins = ownLogins(everySeconds)): Price {
  const samples = MONTH_S / everySeconds;
  return {
    bytesPerSample,
    bytesPerMonth: Math.round(samples * bytesPerSample + logins * LOGIN_BYTES),
    handshakesPerMonth: Math.round(samples + 2 * logins),
    loginsPerDay: Math.round((logins * DAY_S) / MONTH_S),
  };
}

/** A shared session is lost when the router or the gateway restarts: one a day is reckoned with. */
function ownLogins(everySeconds: number): number {
  return MONTH_S / (hasOwnSession(everySeconds) ? everySeconds : DAY_S);
}

/** What devices sent in a month, and what a sample costs now. */
interface Spending {
  readonly everySeconds: number;
  /** The present interval in this month; `everySeconds` at its begin. */
  readonly intervalSeconds: number;
  /** null: no limit. */
  readonly budgetBytes: number | null;
  readonly usedBytes: number;
  /** Without a login. */
  readonly bytesPerSample: number;
  readonly now: Date;
}

/** A shorter interval comes back when it needs at most this part of the budget, so that the interval does not go to and fro. */
const SHORTER_AGAIN_SHARE = 0.9;

/**
 * The interval until the next sample. It doubles until the used bytes and those of the rest of the month (UTC) fit into the
 * budget; doubled intervals between 240 and 900 seconds are left out.
 */
export function allowedInterval(spending: Spending): number {
  const { everySeconds, intervalSeconds, budgetBytes, usedBytes, bytesPerSample, now } = spending;
  if (budgetBytes === null) return everySeconds;
  const leftS = (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - now.getTime()) / 1_000;
  let seconds = everySeconds;
  const fits = () => {
    const bytes = bytesPerSample + (hasOwnSession(seconds) ? LOGIN_BYTES : 0);
    const share = seconds < intervalSeconds ? SHORTER_AGAIN_SHARE : 1;
    return usedBytes + (leftS / seconds) * bytes <= budgetBytes * share;
  };
  while (seconds < EVERY_MAX_S && ((seconds > SHARED_SESSION_MAX_S && seconds < OWN_SESSION_MIN_S) || !fits()))
    seconds *= 2;
  return Math.min(seconds, EVERY_MAX_S);
}

/** When a device was read before, and what its month has cost since. */
export interface BudgetedRead {
  readonly intervalSeconds: number;
  readonly budgetMb: number | null;
  /** The month of that read (UTC), and the bytes in it. */
  readonly month: string | null;
  readonly monthBytes: number;
}

/** As `allowedInterval`, after a read: in another month all begins again. @param cost of the read @param now its time */
export function intervalAfter(
  before: BudgetedRead,
  everySeconds: number,
  { bytes, spentBytes }: { readonly bytes: number; readonly spentBytes: number },
  now: Date,
): number {
  const isSameMonth = before.month === monthOf(now);
  return allowedInterval({
    everySeconds,
    intervalSeconds: isSameMonth ? before.intervalSeconds : everySeconds,
    budgetBytes: bytesOfBudget(before.budgetMb),
    usedBytes: (isSameMonth ? before.monthBytes : 0) + spentBytes,
    bytesPerSample: bytes,
    now,
  });
}

/** Whether the budget of a whole month makes the interval longer. */
export function isOverBudget(
  everySeconds: number,
  budgetMb: number | null,
  bytesPerSample: number,
  now: Date,
): boolean {
  const begin = new Date(monthOf(now));
  const spending = { everySeconds, intervalSeconds: everySeconds, budgetBytes: bytesOfBudget(budgetMb), usedBytes: 0 };
  return allowedInterval({ ...spending, bytesPerSample, now: begin }) > everySeconds;
}

const bytesOfBudget = (budgetMb: number | null): number | null => (budgetMb === null ? null : budgetMb * 1e6);

/** What all devices of some models cost together, and the models. */
export function totalOf<Model extends Omit<Price, 'bytesPerSample'> & { readonly devices: number }>(models: Model[]) {
  const sum = (of: (model: Model) => number) => models.reduce((total, model) => total + model.devices * of(model), 0);
  return {
    devices: sum(() => 1),
    bytesPerMonth: sum(({ bytesPerMonth }) => bytesPerMonth),
    handshakesPerMonth: sum(({ handshakesPerMonth }) => handshakesPerMonth),
    loginsPerDay: sum(({ loginsPerDay }) => loginsPerDay),
    models,
  };
}

/** The first day of the month (UTC). */
export const monthOf = (at: Date): string => `${at.toISOString().slice(0, 7)}-01`;
