import { type ReactNode } from 'react';
import { endOf } from '../../api/limits/certificate-end.js';
import { Mark } from '../mark.js';
import { Ago, useNow } from '../time.js';

/** When a certificate ends, marked where that is soon or past. */
export function CertificateEnd({ at }: { at: string }): ReactNode {
  const end = endOf(at, useNow());
  if (end === 'later') return <Ago at={at} />;
  return (
    <Mark tone={end === 'past' ? 'bad' : 'warn'}>
      <span>
        {end === 'past' && 'expired '}
        <Ago at={at} />
      </span>
    </Mark>
  );
}
