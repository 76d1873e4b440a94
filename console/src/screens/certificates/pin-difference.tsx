import { Fragment, type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { exactText } from '../../ui/time.js';
import styles from './certificates.module.css';

interface PinDifferenceProps {
  trust: Schema<'Device'>['trust'];
  /** The certificate that the device showed while it had the known key. */
  known?: Schema<'DeviceCertificate'> | undefined;
}

/** Two fingerprints below each other in groups; those that differ are marked. */
export function PinDifference({ trust, known }: PinDifferenceProps): ReactNode {
  const { pin, offeredPin, offeredCertificate: offered } = trust;
  return (
    <dl className={styles['pins']}>
      <dt>Known</dt>
      <dd>
        <Pin of={pin} other={offeredPin} />
        {known && <About certificate={known} />}
      </dd>
      <dt>Offered</dt>
      <dd>
        <Pin of={offeredPin} other={pin} />
        {offered && <About certificate={offered} />}
      </dd>
    </dl>
  );
}

const GROUP = 4;

interface PinProps {
  of: string | null;
  /** What it is compared with; absent: nothing. */
  other?: string | null;
}

/** In groups by space alone, so that it is copied and read out as one. */
export function Pin({ of, other = null }: PinProps): ReactNode {
  if (!of) return <span className="quiet">none</span>;
  const start = of.startsWith(SHA) ? SHA.length : 0;
  const groups = Array.from({ length: Math.ceil((of.length - start) / GROUP) }, (_, group) => start + group * GROUP);
  return (
    <code className="foreign" title={of}>
      {start > 0 && <span className={styles['group']}>{SHA}</span>}
      {groups.map((from) => {
        const [text, beside] = [of, other].map((pin) => pin?.slice(from, from + GROUP));
        const isMarked = other !== null && text !== beside;
        return (
          <Fragment key={from}>
            <wbr />
            <span className={styles['group']}>{isMarked ? <mark>{text}</mark> : text}</span>
          </Fragment>
        );
      })}
    </code>
  );
}

const SHA = 'sha256/';

function About({
  certificate: { subject, issuer, notBefore, notAfter },
}: {
  certificate: Schema<'DeviceCertificate'> | Schema<'OfferedCertificate'>;
}) {
  return (
    <span className="small quiet foreign">
      {subject}, issued by {issuer === subject ? 'itself' : issuer}
      {notBefore && notAfter && `, valid from ${exactText(notBefore)} to ${exactText(notAfter)}`}
    </span>
  );
}
