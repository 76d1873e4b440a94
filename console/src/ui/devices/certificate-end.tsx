import { type ReactNode } from 'react';
import { relativeText } from '../../../../src/api-client/relative-time.js';
import { endOf } from '../../api/limits/certificate-end.js';
import { Mark } from '../mark.js';
import { Ago, exactText, useNow } from '../time.js';

/** When a certificate ends, marked where that is soon or past. */
export function CertificateEnd({ at }: { at: string }): ReactNode {
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
        expired <Ago at={at} />
      </span>
    </Mark>
  );
}
