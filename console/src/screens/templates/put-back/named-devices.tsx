import { type ReactNode, useState } from 'react';
import { countText, numberText, pluralText } from '../../../api/amount-text.js';
import { Button } from '../../../ui/button.js';
import { To } from '../../../ui/to.js';
import styles from '../templates.module.css';

const NAMES = 3;

interface NamedDevicesProps {
  readonly of: readonly { readonly deviceId: string; readonly device: string }[];
}

/** `12 devices`, and their names: the first ones, or all. */
export function NamedDevices({ of }: NamedDevicesProps): ReactNode {
  const [isAll, setAll] = useState(false);
  const more = of.length - NAMES;
  return (
    <div className={styles['names']}>
      <strong>{countText(of.length, 'device')}</strong>
      {of.slice(0, isAll ? undefined : NAMES).map(({ deviceId, device }) => (
        <To key={deviceId} to={`/devices/${deviceId}`} search={{ tab: 'templates' }} className="foreign">
          {device}
        </To>
      ))}
      {more > 0 && (
        <Button kind="link" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? 'Show fewer' : `${numberText(more)} ${pluralText(more, 'other')}`}
        </Button>
      )}
    </div>
  );
}
