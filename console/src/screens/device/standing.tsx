import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { Mark } from '../../ui/mark.js';
import { CertificateEnd } from '../../ui/devices/certificate-end.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { phaseWords, sessionQuery } from './session-phases.js';

/* How the session and the trust of a device are, in a line each. */

/** The phase of its main session, and since when. */
export function SessionText({ device: { id, state } }: { device: Schema<'Device'> }): ReactNode {
  const { data, error } = useQuery(sessionQuery(id));
  const main = data?.sessions.find(({ account }) => account === 'main');
  if (error) return <span className="quiet">cannot be read</span>;
  if (!main) return <span className="quiet">…</span>;
  const [tone, text] = phaseWords(main.phase, state);
  return (
    <span className="row">
      <Mark tone={tone}>{text}</Mark>
      {main.grantedAt && (
        <span className="quiet">
          <Ago at={main.grantedAt} />
        </span>
      )}
      <To to="." search={{ tab: 'sessions' }}>
        Sessions
      </To>
    </span>
  );
}

const MODES = { pin: 'The known key', ca: 'Signed by your authority', insecure: 'Not checked' } as const;

/** Whether it shows the certificate that the gateway expects. */
export function TrustText({ trust: { mode, pin, offeredPin, expiresAt } }: Pick<Schema<'Device'>, 'trust'>): ReactNode {
  const isFirst = mode === 'pin' && pin === null;
  return (
    <span className="row">
      {offeredPin ? (
        <Mark tone="strange">Changed</Mark>
      ) : (
        <Mark tone={mode === 'insecure' ? 'warn' : isFirst ? 'plain' : 'good'}>
          {isFirst ? 'Is learned at the first contact' : MODES[mode]}
        </Mark>
      )}
      {expiresAt && (
        <span className="quiet">
          ends <CertificateEnd at={expiresAt} />
        </span>
      )}
      <To to="." search={{ tab: 'trust' }}>
        {offeredPin ? 'Compare' : 'Certificates'}
      </To>
    </span>
  );
}
