import { type Schema } from '../../api/client.js';
import { CertificateEnd } from '../../ui/devices/certificate-end.js';
import { type Column } from '../../ui/list-table.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { typeText } from './reissue.js';
import styles from './certificates.module.css';

/** A name that is only `CN=…` without the field; others whole. */
const commonName = (name: string | null): string | null => name && (/^CN ?= ?([^,=]+)$/.exec(name)?.[1] ?? name);

/** What is known of a certificate: of one device, and of all of them. */
export const CERTIFICATE_COLUMNS: readonly Column<Schema<'DeviceCertificate'>>[] = [
  {
    title: 'File',
    narrow: 'line',
    cell: ({ file }) =>
      file === null ? (
        <span className={`quiet ${styles['kind']}`}>Web certificate</span>
      ) : (
        <code className="foreign cut">{file}</code>
      ),
  },
  {
    title: 'Type',
    narrow: 'line',
    cell: ({ type }) => (
      <span className={styles['kind']}>{type === 'tls' ? 'for its web pages and calls' : typeText(type)}</span>
    ),
  },
  {
    title: 'Subject',
    narrow: 'none',
    share: 26,
    cell: ({ subject }) => (
      <span className="foreign cut" title={subject ?? undefined}>
        {commonName(subject)}
      </span>
    ),
  },
  {
    title: 'Issuer',
    share: 14,
    brief: ({ issuer }) => (issuer === null ? '' : `by ${commonName(issuer)}`),
    cell: ({ issuer, subject }) => (
      <span className="foreign cut quiet" title={issuer ?? undefined}>
        {issuer !== null && issuer === subject ? 'itself' : commonName(issuer)}
      </span>
    ),
  },
  { title: 'Issued', narrow: 'none', cell: ({ notBefore }) => notBefore && <Ago at={notBefore} /> },
  {
    title: 'Ends',
    narrow: 'beside',
    cell: ({ notBefore, notAfter }) =>
      notBefore && notAfter ? (
        <CertificateEnd from={notBefore} at={notAfter} />
      ) : (
        <span className="quiet" title="A watch found the file, and could not read it">
          Unknown
        </span>
      ),
  },
  {
    title: 'Last seen',
    narrow: 'none',
    cell: ({ jobId, seenAt }) =>
      jobId === null ? <Ago at={seenAt} /> : <To to={`/jobs/${jobId}`}>{<Ago at={seenAt} />}</To>,
  },
];
