import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { api } from '../../api/client.js';
import { modelText } from '../../api/device-texts.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { TextField } from '../field.js';
import { stateText } from '../mark.js';
import { useSettled } from '../settled.js';

/** Completions at once: of more a person types further. */
const FOUND = 12;

const COMPLETE_AFTER_MS = 150;

interface DeviceFieldProps {
  value: string;
  autoFocus?: boolean;
  wrong?: string | null | undefined;
  onValue: (value: string) => void;
}

/** One device by its name, which is completed; `refOf` reads what is in it. */
export function DeviceField({ value, onValue, ...rest }: DeviceFieldProps): ReactNode {
  const id = useId();
  const asked = useSettled(value.trim(), COMPLETE_AFTER_MS);
  const { data } = useQuery({
    queryKey: KEYS.devices.completed(asked),
    queryFn: ({ signal }) => {
      const fields = 'name,state,model,site';
      return api.get('/v1/devices', {
        params: { query: { ...(asked ? { q: asked } : {}), limit: FOUND, fields, sort: 'name' } },
        signal,
      });
    },
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <TextField
        label="Device"
        hint="Its name, completed as you type; or serial:…, mac:…, its id"
        spellCheck={false}
        autoComplete="off"
        list={`${id}-names`}
        value={value}
        onChange={(event) => onValue(event.target.value)}
        {...rest}
      />
      <datalist id={`${id}-names`}>
        {data?.items.map(({ name = '', state, model, site }) => (
          <option key={name} value={name}>
            {[state && stateText(state), model && modelText(model), site].filter(Boolean).join(' · ')}
          </option>
        ))}
      </datalist>
    </>
  );
}
