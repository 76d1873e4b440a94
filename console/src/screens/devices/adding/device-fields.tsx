import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { fieldError, isRefused, tell } from '../../../api/problems.js';
import { summaryQuery } from '../../../api/queries.js';
import { TextField } from '../../../ui/field.js';
import { CustomFields, type FieldChanges } from '../../device/custom-fields.js';
import { Suggestions } from '../../job-forms/suggestions.js';
import { type TypedAddress } from './device-address.js';
import { useAddressed, useNamed } from './use-taken.js';

export type DeviceForm = Readonly<Record<'name' | 'baseUrl' | 'site' | 'tags' | 'username' | 'password', string>>;

/** Those that show their own errors. */
export const FIELDS_SHOWN: ReadonlySet<string> = new Set(['name', 'baseUrl', 'site', 'tags', 'username', 'password']);

interface DeviceFieldsProps {
  form: DeviceForm;
  onForm: (form: DeviceForm) => void;
  fields: FieldChanges;
  onFields: (fields: FieldChanges) => void;
  /** What was typed; null: nothing. */
  address: TypedAddress | null;
  /** What the gateway has against the form. */
  error: unknown;
  /** Whether it is being registered: the device that has its name by now is itself. */
  isSent: boolean;
}

export function DeviceFields({ form, onForm, fields, onFields, address, error, isSent }: DeviceFieldsProps): ReactNode {
  const id = useId();
  const { sites, tags } = useKnown();
  const named = useNamed(isSent ? '' : form.name);
  const addressed = useAddressed(isSent ? null : (address?.url ?? null));
  const text = (field: keyof DeviceForm) => ({
    value: form[field],
    wrong: fieldError(error, field) ?? takenError(error, field),
    onChange: ({ target }: { target: { value: string } }) => onForm({ ...form, [field]: target.value }),
  });
  const wrongAddress = address?.wrong ?? (addressed && `${addressed} has this address already.`);
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
      <TextField
        required
        autoComplete="off"
        spellCheck={false}
        placeholder="192.0.2.7"
        {...text('baseUrl')}
        label="Address"
        hint={addressHint(form.baseUrl, address)}
        wrong={wrongAddress || text('baseUrl').wrong}
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
        <TextField
          label="Password on the device"
          type="password"
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

const addressHint = (typed: string, address: TypedAddress | null): string =>
  address?.url && address.url !== typed.trim()
    ? `The gateway reaches it at ${address.url}`
    : 'An IP address or a host name; with a port where it is not 443';

/** What the gateway says of one field, where another device has its value or it may not be an address of a device. */
function takenError(error: unknown, field: string): string | null {
  if (isRefused(error, 'device_exists') && error.problem['field'] === field) return tell(error).title;
  if (!isRefused(error, 'base_url_refused') || field !== 'baseUrl') return null;
  const { reason } = error.problem;
  return typeof reason === 'string' ? `A device cannot have this address: ${reason}` : tell(error).title;
}

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
