import { Inject, Injectable } from '@nestjs/common';
import { type Principal } from '../../auth/access/access.js';
import { Locks } from '../../auth/access/locks.service.js';
import { infoOf, type Permission } from '../../auth/rights/permissions.js';
import { type ErrorCode } from '../../platform/errors.js';
import { type PreviewInput, type PreviewView } from '../device-list.contract.js';
import { DevicesService } from '../registry/devices.service.js';
import { selectionDigest } from '../../selectors/selection.js';
import { type FleetMember, FleetService } from './fleet.service.js';

/** Devices that a preview names, of each kind. */
const SAMPLE = 10;

/** States in which no call can succeed, with the reason. */
export const REFUSED_STATES: Readonly<Record<string, ErrorCode>> = {
  credentials_refused: 'device_credentials_refused',
  trust_changed: 'device_trust_changed',
};

/** Why no call to a device can succeed now; null: it may. */
export function callRefusal({ hasAccount, state }: Pick<FleetMember, 'hasAccount' | 'state'>): ErrorCode | null {
  return hasAccount ? (REFUSED_STATES[state] ?? null) : 'device_has_no_credentials';
}

/** Shows the devices of a selector before a bulk action, and which of them the action would leave out. */
@Injectable()
export class FleetPreview {
  constructor(
    @Inject(FleetService) private readonly fleet: FleetService,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(Locks) private readonly locks: Pick<Locks, 'deviceLock'>,
  ) {}

  /** @throws AppError `invalid_selector` */
  async preview({ selector, permission }: PreviewInput, actor: Principal): Promise<PreviewView> {
    const members = await this.fleet.members(selector, actor.rights, [{ action: permission }]);
    const registered = await this.devices.getMany(members.map(({ id }) => id));
    const isLocked = ({ id }: FleetMember) => {
      const device = registered.get(id)?.device;
      return device !== undefined && this.locks.deviceLock(device) !== null;
    };
    const isStopped = changes(permission) || callsDevices(permission); // a lock stops reads from the device, too
    const taken: FleetMember[] = [];
    const excluded = new Map<ErrorCode, FleetMember[]>();
    for (const member of members) {
      const reason =
        (member.isAllowed ? null : 'forbidden') ??
        (isStopped && isLocked(member) ? 'locked' : null) ??
        (callsDevices(permission) ? callRefusal(member) : null);
      if (reason === null) taken.push(member);
      else add(excluded, reason, member);
    }
    return {
      matched: members.length,
      count: taken.length,
      sample: sampleOf(taken),
      excluded: [...excluded].map(([reason, those]) => ({ reason, count: those.length, sample: sampleOf(those) })),
      digest: selectionDigest(members),
    };
  }
}

function add(excluded: Map<ErrorCode, FleetMember[]>, reason: ErrorCode, member: FleetMember): void {
  const those = excluded.get(reason);
  if (those) those.push(member);
  else excluded.set(reason, [member]);
}

/** The first ones by their names, in one pass: a fleet may have 50,000. */
function sampleOf(members: readonly FleetMember[]) {
  const first: FleetMember[] = [];
  for (const member of members) {
    if (first.length === SAMPLE && member.name >= first.at(-1)!.name) continue;
    const at = first.findIndex(({ name }) => member.name < name);
    first.splice(at < 0 ? first.length : at, 0, member);
    if (first.length > SAMPLE) first.pop();
  }
  return first.map(({ id, name }) => ({ id, name }));
}

/** Whether its actions call devices, at once or as jobs. */
const callsDevices = (permission: Permission): boolean =>
  infoOf(permission).call !== undefined || permission.startsWith('job.start');

/** Whether its actions change the device in the registry or on the device itself. */
const changes = (permission: Permission): boolean =>
  !permission.endsWith('read') && permission !== 'device.read_secrets';
