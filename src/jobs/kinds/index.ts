import { backup } from './backup/backup.js';
import { call } from './call/call.js';
import { certificates } from './certificates/certificates.js';
import { configure } from './configure/configure.js';
import { credentials } from './credentials/credentials.js';
import { firmware } from './firmware/firmware.js';
import { type JobKind } from '../kind-api/kind.js';
import { move } from './move/move.js';
import { reboot } from './reboot/reboot.js';
import { reconcile } from './reconcile/reconcile.js';
import { restore } from './restore/restore.js';
import { upload } from './upload/upload.js';
import { users } from './users/users.js';

export type JobKinds = ReadonlyMap<string, JobKind>;

/** Every kind of job. A start fails when a job that has not ended is of a kind that is not here. */
export const JOB_KINDS: JobKinds = new Map(
  [backup, call, certificates, configure, credentials, firmware, move, reboot, reconcile, restore, upload, users].map(
    (kind) => [kind.name, kind],
  ),
);
