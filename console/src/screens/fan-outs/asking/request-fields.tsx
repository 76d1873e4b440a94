import { type ReactNode, useState } from 'react';
import { SelectField, TextArea, TextField } from '../../../ui/field.js';
import { useSearchText } from '../../../ui/to.js';
import { type Method, METHODS } from '../requests.js';
import css from './asking.module.css';

interface RequestFieldsProps {
  method: Method;
  path: string;
  bodyText: string;
  /** What is wrong with the body. */
  wrong: string | null;
  onBody: (text: string) => void;
}

/** Any call of the device’s API. Open from the start where it is not a read. */
export function RequestFields({ method, path, bodyText, wrong, onBody }: RequestFieldsProps): ReactNode {
  const [, change] = useSearchText();
  const [isOpen, setOpen] = useState(method !== 'GET');
  return (
    <details className="equivalent" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="small quiet">Advanced: any call of the device’s API</summary>
      <div className="stack">
        <div className={css.requestFields}>
          <SelectField
            label="Method"
            value={method}
            options={METHODS.map((one) => [one, one] as const)}
            onChange={(event) => change({ method: event.target.value })}
          />
          <TextField
            label="Path"
            className="input mono"
            placeholder="/api/system/device/status"
            spellCheck={false}
            autoComplete="off"
            value={path}
            onChange={(event) => change({ path: event.target.value || undefined })}
          />
        </div>
        {method !== 'GET' && (
          <TextArea
            label="Body"
            hint="JSON, as the device expects it"
            placeholder='{"data": {"interval": "7200"}}'
            wrong={wrong}
            value={bodyText}
            onChange={(event) => onBody(event.target.value)}
          />
        )}
      </div>
    </details>
  );
}
