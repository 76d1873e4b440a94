import { type ReactNode } from 'react';
import { relativeText } from '../../../../src/api-client/relative-time.js';
import { countText } from '../../api/amount-text.js';
import { ENDS_SOON_DAYS, endOf, shortLife } from '../../api/limits/certificate-end.js';
import { Mark } from '../mark.js';
import { Ago, exactText, useNow } from '../time.js';

interface CertificateEndProps {
  at: string;
  /** When it began. Then one that was issued for fewer days than the rule asks for says so. */
  from?: string;
}

/** When a certificate ends, marked where that is soon or past. */
export function CertificateEnd({ at, from }: CertificateEndProps): ReactNode {
  const days = from === undefined ? null : shortLife(from, at);
  if (days === null) return <End at={at} />;
  return (
    <span>
      <End at={at} />
      <br />
      <span
        className="small quiet"
        title={`Shorter than the ${countText(ENDS_SOON_DAYS, 'day')} of the rule: it is marked from its first day. Reissue it for longer`}
      >
        {countText(days, 'day')} in all
      </span>
    </span>
  );
}

function End({ at }: { at: string }): ReactNode {
  const now = useNow();
  const end = endOf(at, now);
  if (end === 'later') return <Ago at={at} />;
  // So near, the days that are left say more than the date.
  if (end === 'soon')
    return (
      <Mark tone="warn">
        <time dateTime={at} title={exactText(at)}>
          {relativeText(Date.parse(at) - now)}
        </time>
      </Mark>
    );
  return (
    <Mark tone="bad">
      <span>
        ended <Ago at={at} />
      </span>
    </Mark>
  );
}
