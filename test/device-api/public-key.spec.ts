import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { publicKeyInfo } from '../../src/device-api/http.js';
import { selfSigned } from '../../src/simulator/device/certificates.js';

/* The public key in a certificate, beside what Node says it is: the authorities that Node trusts have keys of all kinds. */

const own = selfSigned({
  commonName: 'device',
  notBefore: new Date(Date.now() - 3_600_000),
  notAfter: new Date(Date.now() + 3_600_000),
  alternativeNames: ['127.0.0.1'],
});
const certificates = [own.certificatePem, ...rootCertificates].map((pem) => new X509Certificate(pem));

describe('the public key of a certificate', () => {
  it('is, byte by byte, what Node exports, for RSA and elliptic curves alike', () => {
    for (const certificate of certificates) {
      const exported = certificate.publicKey.export({ type: 'spki', format: 'der' });
      expect(publicKeyInfo(certificate.raw).equals(exported)).toBe(true);
    }
    expect(new Set(certificates.map(({ publicKey }) => publicKey.asymmetricKeyType)).size).toBeGreaterThan(1);
  });

  it('is refused where the bytes are cut off, never read beyond their end', () => {
    const { raw } = certificates[0]!;
    for (let length = 0; length < raw.length; length++) {
      expect(() => publicKeyInfo(raw.subarray(0, length))).toThrow(/certificate/);
    }
  });

  it('is refused where a length says more than there is', () => {
    for (const bytes of [
      [],
      [0x30],
      [0x30, 0x80],
      [0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
      [0x30, 0xff],
      [0x02, 0x01, 0],
    ]) {
      expect(() => publicKeyInfo(Buffer.from(bytes))).toThrow(/certificate/);
    }
  });
});
