import { type ReactNode, useMemo } from 'react';
import { Button } from '../../ui/button.js';
import { SelectField, TextArea } from '../../ui/field.js';
import { effectOf } from '../jobs/acting/effects.js';
import { KIND_ACTS } from '../jobs/kinds.js';
import { type FormScene, SceneContext } from './form-scene.js';
import { asFields, asJson, type JobDraft, specIn, withJson, withKind, withSpec, wrongJson } from './job-draft.js';
import { fieldsOf, isJobKind } from './job-fields.js';
import { SpecFields } from './spec-fields.js';

interface JobFormProps extends Partial<FormScene> {
  draft: JobDraft;
  onDraft: (draft: JobDraft) => void;
  /** Between the kind and its parameters: on which devices. */
  children?: ReactNode;
}

/** The kind of a job and its parameters, in fields or as JSON: what is typed in one is in the other. */
export function JobForm({
  draft,
  onDraft,
  device = null,
  isFixed = false,
  sealedDays = 30,
  error,
  children,
}: JobFormProps): ReactNode {
  const scene = useMemo(() => ({ device, isFixed, sealedDays, error }), [device, isFixed, sealedDays, error]);
  const { kind, json } = draft;
  const fields = fieldsOf(kind);
  return (
    <SceneContext value={scene}>
      <SelectField
        label="What to do"
        hint={isFixed ? undefined : effectOf(kind).does}
        value={kind}
        groups={KIND_ACTS}
        onChange={({ target: { value } }) => isJobKind(value) && onDraft(withKind(draft, value))}
      />
      {children}
      {json === null ? (
        <SpecFields key={kind} fields={fields} spec={specIn(draft)} onSpec={(spec) => onDraft(withSpec(draft, spec))} />
      ) : (
        <TextArea
          label="Parameters as JSON"
          hint={isFixed ? undefined : 'Texts such as {{device.name}} and {{field.vlan}} are replaced on each device'}
          wrong={wrongJson(draft)}
          value={json}
          onChange={(event) => onDraft(withJson(draft, event.target.value))}
        />
      )}
      <div>
        {json === null ? (
          <Button kind="link" onClick={() => onDraft(asJson(draft))}>
            Edit as JSON
          </Button>
        ) : (
          <Button kind="quiet" disabled={wrongJson(draft) !== null} onClick={() => onDraft(asFields(draft))}>
            Edit in fields
          </Button>
        )}
      </div>
    </SceneContext>
  );
}
