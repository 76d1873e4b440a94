import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.js';
import { Mark } from '../../ui/mark.js';
import { Marked } from '../../ui/marked.js';
import { Card } from '../../ui/page.js';
import { useWarnings } from '../system/warnings.js';
import { acknowledged, keepAcknowledged } from './acknowledged.js';
import styles from './overview.module.css';

/** `root_key_without_copy` → `Root key without copy`. */
const sentence = (code: string): string => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ');

/** Warnings about the installation itself, apart from what devices need. One that a person knows can be put away. */
export function InstallationWarnings(): ReactNode {
  const [known, setKnown] = useState(acknowledged);
  const [isAll, setAll] = useState(false);
  const warnings = useWarnings();
  const isKnown = ({ code, text }: { code: string; text: string }) => known[code] === text;
  const shown = isAll ? warnings : warnings.filter((warning) => !isKnown(warning));
  const put = warnings.length - warnings.filter((warning) => !isKnown(warning)).length;
  if (warnings.length === 0) return null;
  return (
    <Card title="Warnings of the installation" flush>
      <ul className={styles['attention']} aria-label="Warnings of the installation">
        {shown.map((warning) => (
          <li key={warning.code}>
            <span>
              <Mark tone={isKnown(warning) ? 'plain' : 'warn'}>{isKnown(warning) ? 'Known' : 'Warning'}</Mark>
            </span>
            <span className={`foreign ${styles['text']}`}>
              <strong>{sentence(warning.code)}</strong>
              <span className="quiet small">
                <Marked text={warning.text} />
              </span>
            </span>
            {isKnown(warning) ? null : (
              <Button
                aria-label={`Acknowledge: ${sentence(warning.code)}`}
                onClick={() => setKnown(keepAcknowledged(warning))}
              >
                Acknowledge
              </Button>
            )}
          </li>
        ))}
      </ul>
      {put > 0 && (
        <p className={`row small quiet ${styles['beside']}`}>
          {put} acknowledged in this browser
          <Button kind="quiet" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? 'Hide' : 'Show'}
          </Button>
        </p>
      )}
    </Card>
  );
}
