import { hash, type KeyObject, X509Certificate } from 'node:crypto';

/* Reads the certificate that a device shows in a TLS handshake. A device may show anything, so all parts are bounded. Pure. */

export interface HandshakeCertificate {
  /** SHA-256 of the certificate (DER), in hex. */
  readonly fingerprint: string;
  /** Such as `C=LT, CN=router`; cut at 256 characters, without control characters. */
  readonly subject: string;
  readonly issuer: string;
  /** Such as `rsa`, `ec` or `ed25519`. */
  readonly keyType: string;
  /** null: the type has one size only, or the curve is none of the usual ones. */
  readonly keyBits: number | null;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Certificates of devices have 0.5 to 2 kB. Another one is not read. */
const LONGEST = 16 * 1024;

const NAME_MAX = 256;

const CURVE_BITS: Readonly<Record<string, number>> = { prime256v1: 256, secp384r1: 384, secp521r1: 521 };

export const fingerprintOf = (der: Buffer): string => hash('sha256', der, 'hex');

/** @param der as it came in the handshake @returns null where it cannot be read */
export function readHandshakeCertificate(der: Buffer): HandshakeCertificate | null {
  if (der.length > LONGEST) return null;
  try {
    const certificate = new X509Certificate(der);
    const notBefore = dateOf(certificate.validFrom);
    const notAfter = dateOf(certificate.validTo);
    if (!notBefore || !notAfter) return null;
    return {
      fingerprint: fingerprintOf(der),
      subject: oneLine(certificate.subject),
      issuer: oneLine(certificate.issuer),
      ...keyOf(certificate.publicKey),
      notBefore,
      notAfter,
    };
  } catch {
    return null;
  }
}

/** Such as `Jan  1 00:00:00 2026 GMT`. JavaScript takes the year 49 for 2049. */
function dateOf(text: string): Date | null {
  const at = new Date(text);
  return / [1-9]\d{3} GMT$/.test(text) && !Number.isNaN(at.getTime()) ? at : null;
}

/** Node gives each part of a name a line, and nothing for an empty name. */
function oneLine(name: string | undefined): string {
  const text = (name ?? '').replaceAll('\n', ', ').replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '');
  return Array.from(text).slice(0, NAME_MAX).join('');
}

function keyOf({
  asymmetricKeyType,
  asymmetricKeyDetails,
}: KeyObject): Pick<HandshakeCertificate, 'keyType' | 'keyBits'> {
  const bits = asymmetricKeyDetails?.modulusLength ?? CURVE_BITS[asymmetricKeyDetails?.namedCurve ?? ''];
  return { keyType: asymmetricKeyType ?? 'unknown', keyBits: bits ?? null };
}
