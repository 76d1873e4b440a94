import { Foundation1795633200000 } from './20261125-1900-foundation.js';
import { Secrets1795633800000 } from './20261125-1910-secrets.js';
import { Operators1795634400000 } from './20261125-1920-operators.js';
import { Rights1795635000000 } from './20261125-1930-rights.js';
import { Requests1795635600000 } from './20261125-1940-requests.js';
import { Audit1795636200000 } from './20261125-1950-audit.js';
import { Devices1795636800000 } from './20261125-2000-devices.js';
import { Jobs1795637400000 } from './20261125-2010-jobs.js';
import { Artifacts1795638000000 } from './20261125-2020-artifacts.js';
import { Backups1795638600000 } from './20261125-2030-backups.js';
import { Rollouts1795639200000 } from './20261125-2040-rollouts.js';
import { Events1795639800000 } from './20261125-2050-events.js';
import { FanOuts1795640400000 } from './20261125-2100-fan-outs.js';
import { Fleet1795641000000 } from './20261125-2110-fleet.js';
import { DeviceConflicts1795654800000 } from './20261126-0100-device-conflicts.js';
import { FirmwareVersions1795655200000 } from './20261126-0100-firmware-versions.js';
import { Storage1795656600000 } from './20261126-0130-storage.js';
import { FailedChecks1795657200000 } from './20261126-0140-failed-checks.js';
import { RolloutStops1795660200000 } from './20261126-0230-rollout-stops.js';
import { DeviceMoves1795660800000 } from './20261126-0240-device-moves.js';
import { FirmwareVersionsThatCanBeTold1795661100000 } from './20261126-0245-firmware-versions-told.js';
import { FirmwareVersionsAtSpeed1795661400000 } from './20261126-0250-firmware-versions-at-speed.js';
import { DeviceChangesChecked1795661700000 } from './20261126-0255-device-changes-checked.js';
import { ArtifactForms1795662000000 } from './20261126-0300-artifact-forms.js';

/** The schema of the first release, a file for each noun. Databases of before are taken for it: `squashed-migrations.ts`. */
export const BASELINE = [
  Foundation1795633200000,
  Secrets1795633800000,
  Operators1795634400000,
  Rights1795635000000,
  Requests1795635600000,
  Audit1795636200000,
  Devices1795636800000,
  Jobs1795637400000,
  Artifacts1795638000000,
  Backups1795638600000,
  Rollouts1795639200000,
  Events1795639800000,
  FanOuts1795640400000,
  Fleet1795641000000,
];

/** Every migration, in the order of its name. docs/howto/add-a-migration.md says how one is added. */
export const MIGRATIONS = [
  ...BASELINE,
  DeviceConflicts1795654800000,
  FirmwareVersions1795655200000,
  Storage1795656600000,
  FailedChecks1795657200000,
  RolloutStops1795660200000,
  DeviceMoves1795660800000,
  FirmwareVersionsThatCanBeTold1795661100000,
  FirmwareVersionsAtSpeed1795661400000,
  DeviceChangesChecked1795661700000,
  ArtifactForms1795662000000,
];
