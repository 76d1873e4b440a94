import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { isRefused } from '../../api/problems.js';
import { setFlags, shellWord } from '../../api/equivalents.js';
import { DeviceField } from '../../ui/devices/device-field.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { refOf } from '../../ui/devices/device-ref.js';
import { useSettled } from '../../ui/settled.js';
import { gapOf, isShownAtField, type JobDraft, newJob, readJob } from '../job-forms/job-draft.js';
import { JobForm } from '../job-forms/job-form.js';
import { ActEffect } from './acting/act-effect.js';
import { DeviceReady, useDeviceReady } from './acting/device-ready.js';
import { KnownOnDevice } from './acting/known-on-device.js';
import { useStartJob } from './use-start-job.js';

interface StartJobProps {
  /** The name of the only one; absent: a person types it. */
  device?: string;
  /** The kind that is chosen first. */
  kind?: JobDraft['kind'];
  onClose: () => void;
}

/** Starts a job of any kind on one device. */
export function StartJob({ device: fixed, kind = 'backup', onClose }: StartJobProps): ReactNode {
  const [typed, setTyped] = useState('');
  const [confirmed, setConfirmed] = useState('');
  const [draft, setDraft] = useState<JobDraft>(() => newJob(kind));
  const device = fixed ?? typed.trim();
  const ref = refOf(device);
  const known = useSettled(ref ?? null);
  const ready = useDeviceReady(known);
  const isUnknown = isRefused(ready.error, 'device_not_found');
  const { spec, problem } = readJob(draft);
  // It takes the settings of a device away, as in the backups.
  const name = draft.kind === 'restore' ? ready.device?.name : undefined;
  const gap = gapOf(problem);
  const body = { kind: draft.kind, spec: spec ?? {} } as Schema<'StartJob'>;
  const start = useStartJob({ device: ref ?? '', body, onClose, quiet: true });
  return (
    <FormDialog
      title={fixed === undefined ? 'Start a job' : `Start a job on ${fixed}`}
      size="wide"
      send={draft.kind === 'reboot' ? 'Restart' : 'Start job'}
      busy={start.isPending}
      disabled={!ref || isUnknown || !spec || ready.kept !== undefined || (name !== undefined && confirmed !== name)}
      missing={[(!ref || isUnknown) && (isUnknown ? 'a device that is registered' : 'a device'), gap ?? false]}
      onSend={() => start.mutate()}
      onClose={onClose}
    >
      {fixed === undefined && <DeviceField value={typed} autoFocus onValue={setTyped} />}
      <DeviceReady of={ready} />
      {draft.kind === 'move' && ready.device && (
        <p className="foreign">
          <span className="quiet">Present address:</span> {ready.device.baseUrl}
        </p>
      )}
      <JobForm draft={draft} onDraft={setDraft} device={known} isFixed error={start.error} />
      <KnownOnDevice deviceId={ready.device?.id} draft={draft} />
      <ActEffect kind={draft.kind} names={isUnknown ? [] : [device]} deviceId={ready.device?.id} />
      {name !== undefined && (
        <TextField
          label={`Type ${name} to confirm`}
          value={confirmed}
          autoComplete="off"
          onChange={(event) => setConfirmed(event.target.value)}
        />
      )}
      {problem && gap === null && <p className="small quiet">{problem}</p>}
      {start.error ? <Failure error={start.error} placed={isShownAtField(draft)} /> : null}
      {spec && (
        <EquivalentLines
          command={['job start', shellWord(device || 'DEVICE'), draft.kind, setFlags(spec), '--watch']
            .filter(Boolean)
            .join(' ')}
          method="POST"
          path={`/v1/devices/${encodeURIComponent(ref ?? 'DEVICE')}/jobs`}
          body={body}
        />
      )}
    </FormDialog>
  );
}
