import { createHash, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { readHandshakeCertificate } from '../../src/device-api/handshake-certificate.js';
import { issueRsa, selfSigned } from '../../src/simulator/device/certificates.js';
import { sizeOf } from '../support/forms.js';

/* What a device shows in a handshake may be anything: all of it is read within bounds, or not at all. */

const times = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2030-12-31T23:59:59Z') };
const derOf = (pem: string) => new X509Certificate(pem).raw;
const shown = (commonName: string, its = times) =>
  readHandshakeCertificate(derOf(selfSigned({ commonName, ...its }).certificatePem));

describe('a certificate that a device shows', () => {
  it('is read with its names, key, times and digest', () => {
    const der = derOf(selfSigned({ commonName: 'router', ...times }).certificatePem);
    expect(readHandshakeCertificate(der)).toEqual({
      fingerprint: createHash('sha256').update(der).digest('hex'),
      subject: 'CN=router',
      issuer: 'CN=router',
      keyType: 'ec',
      keyBits: 256,
      ...times,
    });
  });

  it('says the bits of an RSA key, and who signed it', async () => {
    const authority = selfSigned({ commonName: 'office', ...times });
    const issuer = { commonName: 'office', keyPem: authority.keyPem };
    const { certificatePem } = await issueRsa(1024, { commonName: 'router', ...times }, issuer);
    expect(readHandshakeCertificate(derOf(certificatePem))).toMatchObject({
      subject: 'CN=router',
      issuer: 'CN=office',
      keyType: 'rsa',
      keyBits: 1024,
    });
  });

  it('is read as authorities of all kinds have it, in one line', () => {
    for (const pem of rootCertificates) {
      const read = readHandshakeCertificate(derOf(pem))!;
      expect(read).toMatchObject({ subject: expect.stringMatching(/^[^\n]+$/), keyBits: expect.any(Number) });
      expect(read.notAfter.getTime()).toBeGreaterThan(read.notBefore.getTime());
    }
  });

  it('has short names without control characters, whatever it says', () => {
    expect(Array.from(shown('x'.repeat(5_000))!.subject)).toHaveLength(256);
    expect(Array.from(shown('\u{1f600}'.repeat(300))!.subject)).toHaveLength(256);
    for (const name of ['a\nCN=b', 'a\u0000b', '\u001b[31mred', 'left\u202eright', 'a\u200bb'])
      expect(shown(name)!.subject).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(shown('')!.subject.length).toBeLessThanOrEqual(256);
  });

  it('is not read where it is too large or its times cannot be stored', () => {
    expect(shown('x'.repeat(17_000))).toBeNull();
    expect(shown('router', { ...times, notAfter: new Date('9999-12-31T23:59:59Z') })).not.toBeNull();
    const late = { ...times, notAfter: new Date('2060-01-01T00:00:00Z') };
    const der = derOf(selfSigned({ commonName: 'router', ...late }).certificatePem);
    for (const year of ['0000', '0500', '20x0']) {
      const changed = Buffer.from(der.toString('latin1').replace('20600101', `${year}0101`), 'latin1');
      expect(changed.equals(der)).toBe(false);
      expect(readHandshakeCertificate(changed)).toBeNull();
    }
  });

  it('is nothing where the bytes are cut off or changed, and no byte makes it fail', () => {
    const der = derOf(selfSigned({ commonName: 'router', ...times }).certificatePem);
    for (let length = 0; length < der.length; length++)
      expect(readHandshakeCertificate(der.subarray(0, length))).toBeNull();
    for (let seed = 0; seed < sizeOf({ short: 300, long: 3_000, nightly: 30_000 }); seed++) {
      const changed = Buffer.from(der);
      changed[(seed * 7_919) % der.length] = (seed * 31) & 0xff;
      const read = readHandshakeCertificate(changed);
      if (read) expect(Array.from(read.subject).length).toBeLessThanOrEqual(256);
    }
  });
});
