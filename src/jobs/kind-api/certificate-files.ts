import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { type CERTIFICATE_TYPES, SIMPLE_CERTIFICATE_FILES } from '../../device-api/contract.js';
import { type SeenCertificate } from './step-context.js';

/* Checks that certificates, keys and parameters of a device are valid and belong together. Pure. */

export type CertificateType = (typeof CERTIFICATE_TYPES)[number];

const NAME_PARTS = /^(.+)\.(cert|key)\.pem$/;
const BUNDLE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The files of a generation (specification, Generated certificate files; observed-devices.md 3). */
export function filesOf(type: CertificateType, name: string | undefined): readonly string[] {
  if (type === 'simple') return SIMPLE_CERTIFICATE_FILES;
  if (type === 'dh') return [`${name ?? 'dh'}.pem`];
  return [`${name ?? type}.key.pem`, `${name ?? type}.cert.pem`];
}

export const isKey = (fullname: string) => fullname.endsWith('.key.pem');
export const isCertificate = (fullname: string) => fullname.endsWith('.cert.pem');

export interface ExaminedFiles {
  readonly certificates: readonly SeenCertificate[];
  /** Mismatches in words, without a secret; empty when there are none. */
  readonly problems: readonly string[];
}

/**
 * Parses files and compares them: each key with its certificate, each certificate with the authority among them, all
 * with the time.
 * @param texts by file name
 * @param typeOf the type of a file with a single type
 */
export function examine(texts: ReadonlyMap<string, string>, type: CertificateType, now: Date): ExaminedFiles {
  const problems: string[] = [];
  const certificates = new Map<string, X509Certificate>();
  for (const [fullname, text] of texts) {
    const certificate = isCertificate(fullname) ? parse(text) : null;
    if (certificate) certificates.set(fullname, certificate);
    else if (isCertificate(fullname)) problems.push(`${fullname} is not a certificate`);
    else if (!isKey(fullname) && !text.includes('-----BEGIN DH PARAMETERS-----')) {
      problems.push(`${fullname} has no Diffie-Hellman parameters`);
    }
  }
  const authority = certificates.get('ca.cert.pem');
  for (const [fullname, certificate] of certificates) {
    if (new Date(certificate.validTo) <= now) problems.push(`${fullname} has expired`);
    if (authority && !isIssuedBy(certificate, authority)) problems.push(`${fullname} is not issued by ca.cert.pem`);
    const key = texts.get(fullname.replace(/cert\.pem$/, 'key.pem'));
    if (key !== undefined && !isKeyOf(key, certificate)) problems.push(`the key does not match ${fullname}`);
  }
  if (authority && !authority.ca) problems.push('ca.cert.pem is not a certificate authority');
  return {
    certificates: [...certificates].map(([fullname, certificate]) =>
      seenOf(fullname, typeOf(fullname, type), certificate),
    ),
    problems,
  };
}

/** The certificates of a bundle, in order. */
export function bundleOf(text: string): X509Certificate[] {
  return (text.match(BUNDLE) ?? []).flatMap((pem) => parse(pem) ?? []);
}

/** Why a file is not a certificate authority that a device should trust, in words; null when it is one. */
export function problemOfAuthority(text: string | null, now: Date): string | null {
  if (text === null) return 'it is too large';
  if (text.includes('PRIVATE KEY')) return 'it contains a private key';
  const [first, ...others] = bundleOf(text);
  if (!first) return 'it contains no certificate';
  if (![first, ...others].every((certificate) => certificate.ca))
    return 'it contains a certificate that is not a certificate authority';
  return new Date(first.validTo) <= now ? 'it has ended' : null;
}

/** The registry's record of a certificate. */
export function seenOf(fullname: string, type: string, certificate: X509Certificate): SeenCertificate {
  return {
    fullname,
    type,
    subject: oneLine(certificate.subject),
    issuer: oneLine(certificate.issuer),
    notBefore: new Date(certificate.validFrom),
    notAfter: new Date(certificate.validTo),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}

function typeOf(fullname: string, type: CertificateType): string {
  return type === 'simple' ? (NAME_PARTS.exec(fullname)?.[1] ?? type) : type;
}

function parse(text: string): X509Certificate | null {
  try {
    return new X509Certificate(text);
  } catch {
    return null;
  }
}

function isIssuedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return certificate.issuer === authority.subject && certificate.verify(authority.publicKey);
}

function isKeyOf(keyText: string, certificate: X509Certificate): boolean {
  try {
    const mine = createPublicKey(createPrivateKey(keyText)).export({ type: 'spki', format: 'der' });
    return mine.equals(certificate.publicKey.export({ type: 'spki', format: 'der' }));
  } catch {
    return false;
  }
}

/** Node writes a name with one part on each line. */
function oneLine(name: string | undefined): string {
  return (name ?? '').split('\n').join(', ').slice(0, 500);
}
