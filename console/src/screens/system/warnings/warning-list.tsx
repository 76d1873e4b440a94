import { type ReactNode, useState } from 'react';
import { Button } from '../../../ui/button.js';
import { Mark } from '../../../ui/mark.js';
import { Marked } from '../../../ui/marked.js';
import { Card } from '../../../ui/page.js';
import { Ago } from '../../../ui/time.js';
import { To } from '../../../ui/to.js';
import { acknowledged, keepAcknowledged } from './acknowledged.js';
import css from '../system.module.css';
import { type InstallationWarning, UNPROTECTED, useWarnings } from './warnings.js';

/** `root_key_without_copy` → `Root key without copy`. */
const sentence = (code: string): string => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ');

/** What is wrong with the installation itself, a line each, with what to do. One that a person knows can be put away. */
export function WarningList({ title }: { title: string }): ReactNode {
  const [known, setKnown] = useState(acknowledged);
  const [isAll, setAll] = useState(false);
  const warnings = useWarnings();
  const isKnown = ({ code, text }: InstallationWarning) => known[code] === text;
  const put = warnings.filter(isKnown).length;
  if (warnings.length === 0) return null;
  return (
    <Card title={title} flush>
      <ul className={css.warnings} aria-label="Warnings of the installation">
        {(isAll ? warnings : warnings.filter((warning) => !isKnown(warning))).map((warning) => (
          <Line
            key={warning.code}
            warning={warning}
            onAcknowledge={isKnown(warning) ? null : () => setKnown(keepAcknowledged(warning))}
          />
        ))}
      </ul>
      {put > 0 && (
        <p className={`row small quiet ${css.put}`}>
          {put} acknowledged in this browser
          <Button kind="quiet" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? 'Hide' : 'Show'}
          </Button>
        </p>
      )}
    </Card>
  );
}

interface LineProps {
  warning: InstallationWarning;
  /** null: it is known. */
  onAcknowledge: (() => void) | null;
}

function Line({ warning: { code, text, since }, onAcknowledge }: LineProps): ReactNode {
  return (
    <li>
      <Mark tone={onAcknowledge ? 'warn' : 'plain'}>
        <span className="visually-hidden">{onAcknowledge ? 'Warning' : 'Known'}</span>
      </Mark>
      <span className="foreign">
        <Marked text={text} />
      </span>
      <span className="row end small">
        {code === UNPROTECTED && (
          <To to="/access" search={{ tab: 'account' }}>
            Set up your own
          </To>
        )}
        {since !== null && (
          <span className="quiet">
            <Ago at={since} />
          </span>
        )}
        {onAcknowledge && (
          <Button kind="quiet" aria-label={`Acknowledge: ${sentence(code)}`} onClick={onAcknowledge}>
            Acknowledge
          </Button>
        )}
      </span>
    </li>
  );
}
