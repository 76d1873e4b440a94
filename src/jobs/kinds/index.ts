import { backup } from './backup.js';
import { call } from './call.js';
import { certificates } from './certificates.js';
import { configure } from './configure.js';
import { credentials } from './credentials.js';
import { firmware } from './firmware.js';
import { type JobKind } from './kind.js';
import { reboot } from './reboot.js';
import { restore } from './restore.js';
import { upload } from './upload.js';
import { users } from './users.js';

export type JobKinds = ReadonlyMap<string, JobKind>;

/** Every kind of job. A start fails when a job that has not ended is of a kind that is not here. */
export const JOB_KINDS: JobKinds = new Map(
  [backup, call, certificates, configure, credentials, firmware, reboot, restore, upload, users].map((kind) => [
    kind.name,
    kind,
  ]),
);
