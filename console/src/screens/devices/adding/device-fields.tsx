import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { fieldError } from '../../../api/problems.js';
import { summaryQuery } from '../../../api/queries.js';
import { PasswordField, TextField } from '../../../ui/field.js';
import { CustomFields } from '../../device/custom-fields.js';
import { type FieldChanges } from '../../device/device-change.js';
import { Suggestions } from '../../job-forms/suggestions.js';
import { AddressField } from './address-field.js';
import { takenError, useNamed } from './use-taken.js';

export type DeviceForm = Readonly<Record<'name' | 'baseUrl' | 'site' | 'tags' | 'username' | 'password', string>>;

/** Those that show their own errors. */
export const FIELDS_SHOWN: ReadonlySet<string> = new Set(['name', 'baseUrl', 'site', 'tags', 'username', 'password']);

interface DeviceFieldsProps {
  form: DeviceForm;
  onForm: (form: DeviceForm) => void;
  fields: FieldChanges;
  onFields: (fields: FieldChanges) => void;
  /** What the gateway has against the form. */
  error: unknown;
  /** Whether it is being registered: the device that has its name by now is itself. */
  isSent: boolean;
}

export function DeviceFields({ form, onForm, fields, onFields, error, isSent }: DeviceFieldsProps): ReactNode {
  const id = useId();
  const { sites, tags } = useKnown();
  const named = useNamed(isSent ? '' : form.name);
  const text = (field: keyof DeviceForm) => ({
    value: form[field],
    wrong: fieldError(error, field) ?? takenError(error, field),
    onChange: ({ target }: { target: { value: string } }) => onForm({ ...form, [field]: target.value }),
  });
  return (
    <>
      <TextField
        required
        autoFocus
        autoComplete="off"
        placeholder="pump-1"
        {...text('name')}
        label="Name"
        wrong={named ? 'Another device has this name already.' : text('name').wrong}
      />
      <AddressField
        field="baseUrl"
        label="Address"
        hint="An IP address or a host name; with a port where it is not 443"
        value={form.baseUrl}
        onValue={(baseUrl) => onForm({ ...form, baseUrl })}
        error={error}
        isOwn={isSent}
      />
      <div className="columns">
        <TextField
          label="Site"
          placeholder="vilnius/plant-2"
          autoComplete="off"
          list={`${id}-sites`}
          {...text('site')}
        />
        <TextField
          label="Tags"
          placeholder="pump, critical"
          hint="Separated by commas"
          autoComplete="off"
          list={`${id}-tags`}
          {...text('tags')}
        />
        <TextField label="User name on the device" autoComplete="off" {...text('username')} />
        <PasswordField
          label="Password on the device"
          autoComplete="new-password"
          hint="Stored sealed; it is never shown again"
          {...text('password')}
        />
        <CustomFields values={NOTHING} changes={fields} onChange={onFields} />
      </div>
      <Suggestions id={`${id}-sites`} of={sites} />
      <Suggestions id={`${id}-tags`} of={tagsAfter(form.tags, tags)} />
    </>
  );
}

const NOTHING = {};

/** The sites and tags of the fleet, the most frequent first. */
function useKnown(): Readonly<Record<'sites' | 'tags', readonly string[]>> {
  const groups = useQuery({ ...summaryQuery({ by: 'site,tag' }), staleTime: 60_000 }).data?.groups ?? [];
  const of = (name: string) =>
    groups.find(({ by }) => by === name)?.values.flatMap(({ value }) => (value === null ? [] : [value])) ?? [];
  return { sites: of('site'), tags: of('tag') };
}

/** Completions of the last of several tags: each is the whole text with it. */
function tagsAfter(typed: string, known: readonly string[]): readonly string[] {
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  const present = new Set(typed.split(',').map((tag) => tag.trim()));
  return known.filter((tag) => !present.has(tag)).map((tag) => (before === '' ? tag : `${before} ${tag}`));
}
