import { type ReactNode } from 'react';
import { fieldError } from '../../../api/problems.js';
import { TextField } from '../../../ui/field.js';
import { readAddress } from './device-address.js';
import { takenError, useAddressed } from './use-taken.js';

interface AddressFieldProps {
  /** Its name in what is sent. */
  field: 'baseUrl' | 'spareUrl';
  label: string;
  hint: string;
  /** What was typed. */
  value: string;
  onValue: (value: string) => void;
  /** What the gateway has against the form. */
  error: unknown;
  /** The device itself has this address by now. */
  isOwn: boolean;
}

/** The address of a device: an IP address or a host name is enough. Says how it is read, and what is wrong with it. */
export function AddressField({ field, label, hint, value, onValue, error, isOwn }: AddressFieldProps): ReactNode {
  const { url, wrong } = isOwn || value.trim() === '' ? { url: null, wrong: null } : readAddress(value);
  const addressed = useAddressed(url);
  const read = url !== null && url !== value.trim() ? `The gateway reaches it at ${url}` : hint;
  return (
    <TextField
      label={label}
      hint={read}
      wrong={
        wrong ??
        (addressed && `${addressed} has this address already.`) ??
        fieldError(error, field) ??
        takenError(error, field)
      }
      required={field === 'baseUrl'}
      autoComplete="off"
      spellCheck={false}
      placeholder="192.0.2.7"
      value={value}
      onChange={({ target }) => onValue(target.value)}
    />
  );
}
