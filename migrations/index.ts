import { Foundation1795662060000 } from './20261126-0301-foundation.js';
import { Secrets1795662120000 } from './20261126-0302-secrets.js';
import { Operators1795662180000 } from './20261126-0303-operators.js';
import { Rights1795662240000 } from './20261126-0304-rights.js';
import { Requests1795662300000 } from './20261126-0305-requests.js';
import { Audit1795662360000 } from './20261126-0306-audit.js';
import { Devices1795662420000 } from './20261126-0307-devices.js';
import { Jobs1795662480000 } from './20261126-0308-jobs.js';
import { Artifacts1795662540000 } from './20261126-0309-artifacts.js';
import { Backups1795662600000 } from './20261126-0310-backups.js';
import { Rollouts1795662660000 } from './20261126-0311-rollouts.js';
import { Events1795662720000 } from './20261126-0312-events.js';
import { FanOuts1795662780000 } from './20261126-0313-fan-outs.js';
import { Fleet1795662840000 } from './20261126-0314-fleet.js';
import { AcceptedWaves1795748460000 } from './20261127-0301-accepted-waves.js';
import { Monitoring1795761000000 } from './20261127-0630-monitoring.js';
import { JobLog1795773600000 } from './20261127-1000-job-log.js';
import { SampleHistory1795784400000 } from './20261127-1300-sample-history.js';
import { Alerts1795785000000 } from './20261127-1310-alerts.js';
import { Notifications1795785600000 } from './20261127-1320-notifications.js';
import { ShownCertificates1795795200000 } from './20261127-1600-shown-certificates.js';
import { ForwardedAlerts1795806900000 } from './20261127-1915-forwarded-alerts.js';
import { FailingDeliveries1795808400000 } from './20261127-1940-failing-deliveries.js';
import { MailAddresses1795810200000 } from './20261127-2010-mail-addresses.js';
import { PlanField1795813200000 } from './20261127-2100-plan-field.js';
import { Watches1795834200000 } from './20261128-0250-watches.js';
import { SpareAddresses1795874400000 } from './20261128-1400-spare-addresses.js';
import { InstallationBackups1795875000000 } from './20261128-1410-installation-backups.js';
import { Templates1795875600000 } from './20261128-1420-templates.js';
import { TemplateStates1795888800000 } from './20261128-1800-template-states.js';
import { SuspendedTemplates1795889400000 } from './20261128-1810-suspended-templates.js';
import { IgnoredOptions1795936200000 } from './20261129-0710-ignored-options.js';
import { WatchedCertificates1795937400000 } from './20261129-0730-watched-certificates.js';
import { FirstFailedChecks1795960800000 } from './20261129-1400-first-failed-checks.js';
import { OfferedCertificates1796027400000 } from './20261130-0830-offered-certificates.js';

/** Every migration, in the order of its name. docs/howto/add-a-migration.md says how one is added. */
export const MIGRATIONS = [
  Foundation1795662060000,
  Secrets1795662120000,
  Operators1795662180000,
  Rights1795662240000,
  Requests1795662300000,
  Audit1795662360000,
  Devices1795662420000,
  Jobs1795662480000,
  Artifacts1795662540000,
  Backups1795662600000,
  Rollouts1795662660000,
  Events1795662720000,
  FanOuts1795662780000,
  Fleet1795662840000,
  AcceptedWaves1795748460000,
  Monitoring1795761000000,
  JobLog1795773600000,
  SampleHistory1795784400000,
  Alerts1795785000000,
  Notifications1795785600000,
  ShownCertificates1795795200000,
  ForwardedAlerts1795806900000,
  FailingDeliveries1795808400000,
  MailAddresses1795810200000,
  PlanField1795813200000,
  Watches1795834200000,
  SpareAddresses1795874400000,
  InstallationBackups1795875000000,
  Templates1795875600000,
  TemplateStates1795888800000,
  SuspendedTemplates1795889400000,
  IgnoredOptions1795936200000,
  WatchedCertificates1795937400000,
  FirstFailedChecks1795960800000,
  OfferedCertificates1796027400000,
];
