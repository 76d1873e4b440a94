import { FAULT_KINDS, OPERATION_FAULTS, type FaultInput } from '../src/simulator/device/faults.js';
import { type LedgerEntry } from '../src/simulator/device/ledger.js';
import { type SimulatedDevice } from '../src/simulator/device/device.js';
import { type Random } from '../src/simulator/device/random.js';

/** One device in so many misbehaves. */
const ONE_IN = 20;

const STATUS = '/api/system/device/status';
const UPLOAD = '/api/firmware/actions/upload_device_firmware';
const UPGRADE = '/api/firmware/actions/upgrade';

/** What a device that misbehaves does: one of these. */
const MISDEEDS: readonly (readonly FaultInput[])[] = [
  [{ kind: 'lost-answer', path: UPGRADE, count: 1 }],
  [{ kind: 'reset-before', path: UPGRADE, count: 1 }],
  [{ kind: 'reset-before', path: UPLOAD, count: 2 }],
  [{ kind: 'reset-mid-answer', count: 2 }],
  [{ kind: 'dead-token', path: STATUS, count: 2, skip: 3 }],
  [{ kind: 'tls-close', count: 4 }],
  [{ kind: 'flash-nothing' }],
  [{ kind: 'flash-old-version' }],
  [{ kind: 'flash-factory-settings' }],
  [{ kind: 'never-returns' }],
  [{ kind: 'image-invalid' }],
  [{ kind: 'out-of-space', path: UPLOAD }],
  [{ kind: 'error', path: STATUS, status: 500, count: 3 }],
  [{ kind: 'truncated-json', probability: 0.1 }],
  [{ kind: 'html', path: STATUS, count: 2 }],
  [{ kind: 'latency', ms: 400 }],
  [{ kind: 'lost-answer', probability: 0.05 }],
];

/**
 * Lets one device in twenty misbehave; the device and the fault are random. @returns how many, and each fault as often as
 * the others
 */
export function misbehave(devices: readonly SimulatedDevice[], random: Random): readonly SimulatedDevice[] {
  const ways = shuffled(MISDEEDS, random);
  const bad = shuffled(devices, random).slice(0, Math.ceil(devices.length / ONE_IN));
  bad.forEach((device, place) => ways[place % ways.length]!.forEach((fault) => device.faults.add(fault)));
  return bad;
}

/** Counts the faults that really struck. */
export class FaultCount {
  private readonly answers = new Map<string, number>();

  /** Sees each line of the ledger. */
  readonly onLine = ({ faults = [] }: LedgerEntry): void => {
    for (const kind of faults) this.answers.set(kind, (this.answers.get(kind) ?? 0) + 1);
  };

  /** `3 lost-answer, 1 flash-nothing`; those of operations are stored by the devices and not by the ledger. */
  words(bad: readonly SimulatedDevice[]): string {
    const all = new Map(this.answers);
    const operations: ReadonlySet<string> = new Set(OPERATION_FAULTS);
    for (const { rule, struck } of bad.flatMap(({ faults }) => faults.list())) {
      if (operations.has(rule.kind)) all.set(rule.kind, (all.get(rule.kind) ?? 0) + struck);
    }
    const told = FAULT_KINDS.flatMap((kind) => (all.get(kind) ? [`${all.get(kind)} ${kind}`] : []));
    return told.join(', ') || 'none';
  }
}

/** Fisher and Yates. */
function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const all = [...items];
  for (let last = all.length - 1; last > 0; last--) {
    const other = random.integer(0, last);
    [all[last], all[other]] = [all[other]!, all[last]!];
  }
  return all;
}
