/*
 * X.509 certificates written as DER by hand. A device certificate is 400 bytes of fixed shape, and a general library takes
 * 15 ms for one where this takes a fraction of a millisecond: 1,000 devices have to be ready in seconds.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  getDiffieHellman,
  randomBytes,
  sign,
  type KeyPairKeyObjectResult,
} from 'node:crypto';
import { promisify } from 'node:util';

export interface Identity {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface Subject {
  readonly commonName: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** IPv4 addresses and names for the subject alternative name. */
  readonly alternativeNames?: readonly string[];
  readonly authority?: boolean;
}

const OID = {
  commonName: '55 04 03',
  basicConstraints: '55 1d 13',
  keyUsage: '55 1d 0f',
  alternativeName: '55 1d 11',
  ecdsaWithSha256: '2a 86 48 ce 3d 04 03 02',
  rsaWithSha256: '2a 86 48 86 f7 0d 01 01 0b',
} as const;

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const octets = (content: Uint8Array): Buffer => der(0x04, content);
const bits = (content: Uint8Array, unused = 0): Buffer => der(0x03, Buffer.from([unused]), content);

/** A positive INTEGER: a leading zero where the first bit is set. */
function integer(content: Buffer): Buffer {
  return der(0x02, content[0]! & 0x80 ? Buffer.concat([Buffer.from([0]), content]) : content);
}

/** RFC 5280, 4.1.2.5: UTCTime through 2049, GeneralizedTime from then on. */
function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, '').slice(0, 14);
  const generalized = date.getUTCFullYear() >= 2050;
  return der(generalized ? 0x18 : 0x17, Buffer.from(`${generalized ? digits : digits.slice(2)}Z`));
}

const commonName = (name: string): Buffer =>
  sequence(der(0x31, sequence(oid(OID.commonName), der(0x0c, Buffer.from(name)))));

function extensions(subject: Subject): Buffer {
  const critical = der(0x01, Buffer.from([0xff]));
  const list = [
    sequence(
      oid(OID.basicConstraints),
      critical,
      octets(sequence(...(subject.authority ? [der(0x01, Buffer.from([0xff]))] : []))),
    ),
    // digitalSignature for an end entity, keyCertSign and cRLSign for an authority (RFC 5280, 4.2.1.3)
    sequence(
      oid(OID.keyUsage),
      critical,
      octets(subject.authority ? bits(Buffer.from([0x06]), 1) : bits(Buffer.from([0xa0]), 5)),
    ),
  ];
  const names = subject.alternativeNames ?? [];
  if (names.length > 0) {
    const general = names.map((name) =>
      /^\d+(\.\d+){3}$/.test(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name)),
    );
    list.push(sequence(oid(OID.alternativeName), octets(sequence(...general))));
  }
  return der(0xa3, sequence(...list));
}

const pem = (label: string, content: Buffer): string =>
  `-----BEGIN ${label}-----\n${content
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n')}\n-----END ${label}-----\n`;

/** Signs `subject` with the issuer's key, or with its own when there is no issuer. */
function identityOf(
  subject: Subject,
  { publicKey, privateKey }: KeyPairKeyObjectResult,
  issuer = { commonName: subject.commonName, privateKey },
): Identity {
  const serial = randomBytes(12);
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  const algorithm =
    issuer.privateKey.asymmetricKeyType === 'rsa'
      ? sequence(oid(OID.rsaWithSha256), der(0x05))
      : sequence(oid(OID.ecdsaWithSha256));
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    algorithm,
    commonName(issuer.commonName),
    sequence(time(subject.notBefore), time(subject.notAfter)),
    commonName(subject.commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions(subject),
  );
  return {
    certificatePem: pem('CERTIFICATE', sequence(body, algorithm, bits(sign('sha256', body, issuer.privateKey)))),
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** A self-signed P-256 certificate, as each device makes one for itself. */
export function selfSigned(subject: Subject): Identity {
  return identityOf(subject, generateKeyPairSync('ec', { namedCurve: 'P-256' }));
}

/** `sha256/<base64>` of the subject public key info: the form in which a gateway pins a device (RFC 7469, 2.4). */
export function fingerprintOf(certificatePem: string): string {
  const spki = createPublicKey(certificatePem).export({ type: 'spki', format: 'der' });
  return `sha256/${createHash('sha256').update(spki).digest('base64')}`;
}

const newRsaKey = promisify(generateKeyPair);

/** A new RSA key of `bits`, and the certificate that `issuer` (or, absent, the key itself) signs for it. */
export async function issueRsa(
  bits: number,
  subject: Subject,
  issuer?: { commonName: string; keyPem: string },
): Promise<Identity> {
  const signer = issuer && { commonName: issuer.commonName, privateKey: createPrivateKey(issuer.keyPem) };
  return identityOf(subject, await newRsaKey('rsa', { modulusLength: bits }), signer);
}

/** Smallest group of RFC 2409 and RFC 3526 that has at least `bits`: finding a new safe prime takes minutes of processor time. */
export function diffieHellmanParameters(bits: number): string {
  const group = bits <= 1024 ? 'modp2' : bits <= 2048 ? 'modp14' : bits <= 3072 ? 'modp15' : 'modp16';
  const parameters = getDiffieHellman(group);
  return pem('DH PARAMETERS', sequence(integer(parameters.getPrime()), integer(parameters.getGenerator())));
}

/** The X25519 pair of a WireGuard interface for 32 random bytes (RFC 7748, 5: the private key is clamped). */
export function wireguardKeys(seed: Buffer): { privateKey: string; publicKey: string } {
  const secret = Buffer.from(seed);
  secret[0] = secret[0]! & 248;
  secret[31] = (secret[31]! & 127) | 64;
  const key = createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), secret]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return { privateKey: secret.toString('base64'), publicKey: spki.subarray(-32).toString('base64') };
}
