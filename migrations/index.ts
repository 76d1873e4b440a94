import { Foundation1763719200000 } from './20261121-1000-foundation.js';
import { Audit1763719800000 } from './20261121-1010-audit.js';
import { Auth1763720400000 } from './20261121-1020-auth.js';
import { Devices1763721000000 } from './20261121-1030-devices.js';
import { Jobs1763721600000 } from './20261121-1040-jobs.js';
import { Selectors1763722800000 } from './20261121-1100-selectors.js';
import { Idempotency1763723400000 } from './20261121-1110-idempotency.js';
import { DeviceHistory1763724000000 } from './20261121-1120-device-history.js';
import { SavedSelectors1763724600000 } from './20261121-1130-saved-selectors.js';
import { SessionPools1763725200000 } from './20261121-1140-session-pools.js';
import { Notices1763725800000 } from './20261121-1150-notices.js';
import { DeviceNotices1763726400000 } from './20261121-1200-device-notices.js';
import { LoginReservations1763727000000 } from './20261121-1210-login-reservations.js';
import { SignIn1763730000000 } from './20261121-1300-sign-in.js';
import { Roles1763733600000 } from './20261121-1400-roles.js';
import { Locks1763734200000 } from './20261121-1410-locks.js';
import { Approvals1763734800000 } from './20261121-1420-approvals.js';
import { JobOperator1763735400000 } from './20261121-1430-job-operator.js';
import { AuditLog1763737200000 } from './20261121-1500-audit-log.js';
import { KeyRotation1763740800000 } from './20261121-1600-key-rotation.js';
import { IdempotentAnswers1763741400000 } from './20261121-1610-idempotent-answers.js';
import { Artifacts1763744400000 } from './20261121-1700-artifacts.js';
import { SealedValues1763748000000 } from './20261121-1800-sealed-values.js';
import { DeviceCertificates1763748600000 } from './20261121-1810-device-certificates.js';
import { PasswordRotation1763751600000 } from './20261121-1900-password-rotation.js';
import { BackupPolicies1763752200000 } from './20261121-1910-backup-policies.js';
import { Rollouts1763758800000 } from './20261121-2100-rollouts.js';
import { BulkJobs1763759400000 } from './20261121-2110-bulk-jobs.js';
import { Events1763762400000 } from './20261121-2200-events.js';
import { RollBacks1763763000000 } from './20261121-2210-roll-backs.js';
import { DispatchOrder1763764200000 } from './20261121-2230-dispatch-order.js';
import { SealedValueOperator1763765400000 } from './20261121-2250-sealed-value-operator.js';
import { WebhookAuthor1763766600000 } from './20261121-2310-webhook-author.js';
import { ApprovedDevices1763766660000 } from './20261121-2311-approved-devices.js';
import { IdempotentRights1763766720000 } from './20261121-2312-idempotent-rights.js';
import { ReadAccounts1763766780000 } from './20261121-2313-read-accounts.js';
import { LeaseUpdates1763766840000 } from './20261121-2314-lease-updates.js';
import { AuditServer1763807400000 } from './20261122-1030-audit-server.js';
import { Issuers1763836200000 } from './20261122-1830-issuers.js';
import { IdempotentFailures1763838000000 } from './20261122-1900-idempotent-failures.js';
import { JobQuarantine1763863200000 } from './20261123-0200-job-quarantine.js';
import { WorkMarks1763863800000 } from './20261123-0210-work-marks.js';
import { QuietTrials1763866800000 } from './20261123-0300-quiet-trials.js';
import { PolicyPassphrases1763874000000 } from './20261123-0500-policy-passphrases.js';
import { BackupAccounts1763874600000 } from './20261123-0510-backup-accounts.js';
import { SchemaReleases1763877600000 } from './20261123-0600-schema-releases.js';
import { AuditOrder1763881200000 } from './20261123-0700-audit-order.js';
import { FleetImports1763884800000 } from './20261123-0800-fleet-imports.js';

/** Every migration, in the order of its name. docs/howto/add-a-migration.md says how one is added. */
export const MIGRATIONS = [
  Foundation1763719200000,
  Audit1763719800000,
  Auth1763720400000,
  Devices1763721000000,
  Jobs1763721600000,
  Selectors1763722800000,
  Idempotency1763723400000,
  DeviceHistory1763724000000,
  SavedSelectors1763724600000,
  SessionPools1763725200000,
  Notices1763725800000,
  DeviceNotices1763726400000,
  LoginReservations1763727000000,
  SignIn1763730000000,
  Roles1763733600000,
  Locks1763734200000,
  Approvals1763734800000,
  JobOperator1763735400000,
  AuditLog1763737200000,
  KeyRotation1763740800000,
  IdempotentAnswers1763741400000,
  Artifacts1763744400000,
  SealedValues1763748000000,
  DeviceCertificates1763748600000,
  PasswordRotation1763751600000,
  BackupPolicies1763752200000,
  Rollouts1763758800000,
  BulkJobs1763759400000,
  Events1763762400000,
  RollBacks1763763000000,
  DispatchOrder1763764200000,
  SealedValueOperator1763765400000,
  WebhookAuthor1763766600000,
  ApprovedDevices1763766660000,
  IdempotentRights1763766720000,
  ReadAccounts1763766780000,
  LeaseUpdates1763766840000,
  AuditServer1763807400000,
  Issuers1763836200000,
  IdempotentFailures1763838000000,
  JobQuarantine1763863200000,
  WorkMarks1763863800000,
  QuietTrials1763866800000,
  PolicyPassphrases1763874000000,
  BackupAccounts1763874600000,
  SchemaReleases1763877600000,
  AuditOrder1763881200000,
  FleetImports1763884800000,
];
