import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { shellWord } from '../../api/equivalents.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { SelectField, TextArea, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { useGo } from '../../ui/to.js';
import { refOf } from '../../ui/devices/device-ref.js';
import { KINDS } from './kinds.js';

/** Starts a job of any kind on one device. The gateway checks its parameters before anything is sent to the device. */
export function StartJob({ device: first = '', onClose }: { device?: string; onClose: () => void }): ReactNode {
  const [form, setForm] = useState({ device: first, kind: 'backup', spec: '{}' });
  const go = useGo();
  const ref = refOf(form.device.trim());
  const spec = objectOf(form.spec);
  const body = { kind: form.kind, spec: spec ?? {} } as Schema<'StartJob'>;
  const start = useAction({
    run: () => api.post('/v1/devices/{ref}/jobs', { params: { path: { ref: ref ?? '' } }, body }),
    done: 'Job started',
    refreshes: ['jobs'],
    after: ({ id }) => {
      onClose();
      go(`/jobs/${id}`);
    },
    quiet: true,
  });
  const change = (field: keyof typeof form) => (event: { target: { value: string } }) =>
    setForm({ ...form, [field]: event.target.value });
  return (
    <FormDialog
      title="Start a job"
      send="Start job"
      busy={start.isPending}
      disabled={!ref || !spec}
      onSend={() => start.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Device"
        hint="Its name, or serial:…, mac:…, its id"
        value={form.device}
        autoFocus
        onChange={change('device')}
      />
      <SelectField label="Kind" value={form.kind} options={KINDS} onChange={change('kind')} />
      <TextArea
        label="Parameters as JSON"
        hint="Backup and Reboot need none; docs/reference/jobs.md has those of each kind"
        wrong={spec ? null : 'This is not a JSON object.'}
        value={form.spec}
        onChange={change('spec')}
      />
      {start.error ? <Failure error={start.error} /> : null}
      <EquivalentLines
        command={`job start ${shellWord(form.device || 'DEVICE')} ${form.kind} --watch`}
        method="POST"
        path={`/v1/devices/${encodeURIComponent(ref ?? 'DEVICE')}/jobs`}
        body={body}
      />
    </FormDialog>
  );
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
