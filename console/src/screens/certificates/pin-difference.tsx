import { Fragment, type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { exactText } from '../../ui/time.js';
import styles from './certificates.module.css';

interface PinDifferenceProps {
  trust: Schema<'Device'>['trust'];
  /** The certificate that the device showed while it had the known key. */
  known?: Schema<'DeviceCertificate'> | undefined;
}

/** Two fingerprints below each other in groups, with the place marked from which on they differ. */
export function PinDifference({ trust, known }: PinDifferenceProps): ReactNode {
  const { pin, offeredPin, offeredCertificate: offered } = trust;
  const at = firstDifference(pin ?? '', offeredPin ?? '');
  return (
    <dl className={styles['pins']}>
      <dt>Known</dt>
      <dd>
        <Pin of={pin} at={at} />
        {known && <About certificate={known} />}
      </dd>
      <dt>Offered</dt>
      <dd>
        <Pin of={offeredPin} at={at} />
        {offered && <About certificate={offered} />}
      </dd>
    </dl>
  );
}

const GROUP = 4;

/** In groups by space alone, so that it is copied and read out as one. */
function Pin({ of, at }: { of: string | null; at: number }): ReactNode {
  if (!of) return <span className="quiet">none</span>;
  const start = of.startsWith(SHA) ? SHA.length : 0;
  const groups = Array.from({ length: Math.ceil((of.length - start) / GROUP) }, (_, group) => start + group * GROUP);
  return (
    <code className="foreign" title={of}>
      {start > 0 && <span className={styles['group']}>{SHA}</span>}
      {groups.map((from) => (
        <Fragment key={from}>
          <wbr />
          <span className={styles['group']}>
            <Marked text={of.slice(from, from + GROUP)} at={at - from} />
          </span>
        </Fragment>
      ))}
    </code>
  );
}

const SHA = 'sha256/';

function Marked({ text, at }: { text: string; at: number }): ReactNode {
  if (at < 0 || at >= text.length) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text[at]}</mark>
      {text.slice(at + 1)}
    </>
  );
}

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

function firstDifference(one: string, other: string): number {
  const length = Math.max(one.length, other.length);
  for (let at = 0; at < length; at++) if (one[at] !== other[at]) return at;
  return length;
}
