import { type Fleet } from '../src/simulator/fleet.js';

/* What a rollout says, held against what the ledger of the fleet knows. */

/** A rollout, as the gateway tells it. */
export interface RolloutView {
  readonly state: string;
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly pause: { readonly sentence: string } | null;
}

/** A device in a rollout, as the gateway tells it. */
export interface TargetView {
  readonly deviceName: string;
  readonly state: string;
  readonly reason: string | null;
}

/**
 * The possible results of a device that has the new firmware: that it has; that the result is unknown; that it came back
 * and something went wrong afterwards, with its settings. Never that it was not flashed.
 */
const NEW: ReadonlySet<string> = new Set(['succeeded', 'unknown', 'failed (factory_settings)']);

/** @returns the rules that a look at the rollout breaks: its counts add up to all devices at every moment */
export function brokenByLook({ counts, total }: RolloutView, devices: number): string[] {
  const sum = Object.values(counts).reduce((all, count) => all + count, 0);
  return sum === total && total === devices
    ? []
    : [`the counts add up to ${sum} of ${total}, and there are ${devices}`];
}

/** @param ended the final state of the rollout; null when it did not end in time */
export function brokenByEnd(
  ended: RolloutView | null,
  targets: readonly TargetView[],
  fleet: Fleet,
  version: string,
): string[] {
  const broken: string[] = [];
  if (ended?.state !== 'finished') {
    broken.push(`it did not finish: ${ended ? `${ended.state}, ${ended.pause?.sentence ?? ''}` : 'the time was over'}`);
  }
  for (const [state, count] of Object.entries(ended?.counts ?? {})) {
    const listed = targets.filter((target) => target.state === state).length;
    if (listed !== count) broken.push(`${count} are counted as ${state}, and ${listed} are listed as such`);
  }
  const byName = new Map(targets.map((target) => [target.deviceName, target]));
  if (byName.size !== targets.length) broken.push(`${targets.length - byName.size} devices are listed twice`);
  for (const device of fleet.devices) {
    const flashes = fleet.ledger.summary(device.index).effects['flash'] ?? 0;
    const wrong = wrongAbout(byName.get(device.name), flashes, device.firmware.version.includes(version));
    if (wrong !== null) broken.push(`${device.name} ${wrong}`);
  }
  const { errors } = fleet;
  if (errors.length > 0) broken.push(`the simulator had ${errors.length} errors of its own: ${String(errors[0])}`);
  return broken;
}

/** What is wrong about one device; null when what is said of it is what happened to it. */
function wrongAbout(target: TargetView | undefined, flashes: number, isNew: boolean): string | null {
  if (!target) return 'is lost';
  const said = `is said to be ${endOf(target)}`;
  if (flashes > 1) return `was flashed ${flashes} times and ${said}`;
  if (target.state === 'succeeded' && !(isNew && flashes === 1)) {
    return `${said}, with the ${isNew ? 'new' : 'old'} firmware after ${flashes} flashes`;
  }
  if (isNew && !NEW.has(target.state === 'failed' ? endOf(target) : target.state))
    return `${said}, and has the new firmware`;
  return null;
}

/** `953 succeeded, 12 failed (nothing_flashed)`, the most frequent first. */
export function causesOf(targets: readonly TargetView[]): string[] {
  const causes = new Map<string, number>();
  for (const target of targets) causes.set(endOf(target), (causes.get(endOf(target)) ?? 0) + 1);
  return [...causes].sort(([, a], [, b]) => b - a).map(([cause, count]) => `${String(count).padStart(6)}  ${cause}`);
}

const endOf = ({ state, reason }: TargetView): string => (reason ? `${state} (${reason})` : state);

/** What the ledger holds, in the words of the counts. */
export function ledgerWords(fleet: Fleet, version: string): string {
  const flashed = fleet.devices.filter(({ index }) => (fleet.ledger.summary(index).effects['flash'] ?? 0) > 0);
  const isNew = fleet.devices.filter(({ firmware }) => firmware.version.includes(version));
  return `${flashed.length} devices were flashed, ${isNew.length} have the new firmware`;
}
