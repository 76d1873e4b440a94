import { type ReactNode } from 'react';
import { RestoreDifference } from '../../backups/restoring/restore-difference.js';
import { CertificatesNow } from '../../certificates/certificates-now.js';
import { type JobDraft, restoredBy } from '../../job-forms/job-draft.js';

/** What a job finds on its device, or changes there, where the gateway knows it before. @param deviceId undefined: no device is chosen yet */
export function KnownOnDevice({ deviceId, draft }: { deviceId: string | undefined; draft: JobDraft }): ReactNode {
  const restored = restoredBy(draft);
  if (deviceId === undefined) return null;
  if (draft.kind === 'certificates') return <CertificatesNow deviceId={deviceId} />;
  return restored !== null && <RestoreDifference key={restored} deviceId={deviceId} backupId={restored} />;
}
