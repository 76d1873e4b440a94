import { type ReactNode, useState } from 'react';
import { TextArea } from '../../../ui/field.js';
import { type Method } from '../../device-api/operation.js';
import { MethodAndPath } from '../../device-api/request-fields.js';

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
  const [isOpen, setOpen] = useState(method !== 'GET');
  return (
    <details className="equivalent" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="small quiet">Advanced: any call of the device’s API</summary>
      <div className="stack">
        <MethodAndPath method={method} path={path} />
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
