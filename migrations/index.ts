import { Availability1795514400000 } from './20261124-1000-availability.js';
import { Foundation1795428000000 } from './20261123-1000-foundation.js';
import { Secrets1795428600000 } from './20261123-1010-secrets.js';
import { Operators1795429200000 } from './20261123-1020-operators.js';
import { Rights1795429800000 } from './20261123-1030-rights.js';
import { Requests1795430400000 } from './20261123-1040-requests.js';
import { Audit1795431000000 } from './20261123-1050-audit.js';
import { Devices1795431600000 } from './20261123-1060-devices.js';
import { Jobs1795432200000 } from './20261123-1070-jobs.js';
import { Artifacts1795432800000 } from './20261123-1080-artifacts.js';
import { Backups1795433400000 } from './20261123-1090-backups.js';
import { Rollouts1795434000000 } from './20261123-1100-rollouts.js';
import { Events1795434600000 } from './20261123-1110-events.js';
import { Fleet1795435200000 } from './20261123-1120-fleet.js';
import { DeviceNotes1795435800000 } from './20261123-1130-device-notes.js';
import { Processes1795436400000 } from './20261123-1140-processes.js';
import { DeviceFields1795437000000 } from './20261123-1150-device-fields.js';
import { FanOuts1795437600000 } from './20261123-1160-fan-outs.js';
import { Discovery1795446600000 } from './20261123-1310-discovery.js';
import { NetworkOperator1795600800000 } from './20261125-1000-network-operator.js';

/** The schema of the first release, a file for each noun. Databases of before are taken for it: `squashed-migrations.ts`. */
export const BASELINE = [
  Foundation1795428000000,
  Secrets1795428600000,
  Operators1795429200000,
  Rights1795429800000,
  Requests1795430400000,
  Audit1795431000000,
  Devices1795431600000,
  Jobs1795432200000,
  Artifacts1795432800000,
  Backups1795433400000,
  Rollouts1795434000000,
  Events1795434600000,
  Fleet1795435200000,
];

/** Every migration, in the order of its name. docs/howto/add-a-migration.md says how one is added. */
export const MIGRATIONS = [
  ...BASELINE,
  DeviceNotes1795435800000,
  Processes1795436400000,
  DeviceFields1795437000000,
  FanOuts1795437600000,
  Discovery1795446600000,
  Availability1795514400000,
  NetworkOperator1795600800000,
];
