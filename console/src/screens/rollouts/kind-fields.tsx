import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { CheckField, SelectField, TextArea } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { To } from '../../ui/to.js';
import { KINDS } from '../jobs/kinds.js';
import { type Change, type PlanForm } from './plan-form.js';

const EXAMPLES: Readonly<Record<string, string>> = {
  call: '{"method": "PUT", "path": "/api/ntp/global", "data": {"interval": "7200"}}',
  configure: '{"changes": [{"action": "update", "path": "/api/ntp/global", "data": {"interval": "7200"}}]}',
};

interface Props {
  form: PlanForm;
  change: Change;
  artifacts: readonly Schema<'Artifact'>[];
  /** Why the list of artifacts could not be read. */
  refusal: unknown;
}

/** What each device does, and with which parameters. */
export function KindFields({ form, change, artifacts, refusal }: Props): ReactNode {
  return (
    <>
      <SelectField
        label="Kind of job"
        value={form.kind}
        options={KINDS}
        onChange={(event) => change({ kind: event.target.value })}
      />
      {form.kind === 'firmware' ? (
        <FirmwareFields form={form} change={change} artifacts={artifacts} refusal={refusal} />
      ) : (
        <TextArea
          label="Parameters"
          hint="JSON, as the spec of a single job; {{device.name}} and similar are replaced on each device."
          placeholder={EXAMPLES[form.kind] ?? '{}'}
          value={form.spec}
          onChange={(event) => change({ spec: event.target.value })}
        />
      )}
    </>
  );
}

function FirmwareFields({ form, change, artifacts, refusal }: Props): ReactNode {
  if (refusal) return <Failure error={refusal} />;
  if (artifacts.length === 0)
    return (
      <p className="quiet">
        No firmware is stored. <To to="/artifacts">Upload an image</To> first.
      </p>
    );
  const chosen = artifacts.find(({ id }) => id === form.artifactId);
  return (
    <>
      <SelectField
        label="Firmware"
        hint={
          chosen ? `${chosen.models.join(', ') || 'any model'} · SHA-256 ${chosen.sha256.slice(0, 12)}…` : undefined
        }
        value={form.artifactId}
        options={[
          ['', 'Choose …'],
          ...artifacts.map(({ id, name, version }) => [id, version ? `${version} · ${name}` : name] as const),
        ]}
        onChange={(event) => change({ artifactId: event.target.value })}
      />
      <CheckField
        label="Keep the settings of the devices"
        checked={form.keepSettings}
        onChange={(event) => change({ keepSettings: event.target.checked })}
      />
      <CheckField
        label="Allow an older version"
        checked={form.allowDowngrade}
        onChange={(event) => change({ allowDowngrade: event.target.checked })}
      />
      <CheckField
        label="Do not require a backup of the last 24 hours"
        checked={form.withoutBackup}
        onChange={(event) => change({ withoutBackup: event.target.checked })}
      />
    </>
  );
}
