import { hash, type X509Certificate } from 'node:crypto';
import { lookup as systemLookup } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { type buildConnector, Client } from 'undici';
import { ReadGate } from './read-gate.js';

/*
 * Connections to devices, for the exchanges of `exchange.ts`. Common clients use the proxy of the environment and resume
 * TLS sessions unasked. These connections do neither.
 *
 * The connector looks at the address before it connects and at the key of the certificate before it hands the socket over,
 * so that no byte of HTTP reaches another host than the device. One SecureContext serves all devices, with trust `ca` one
 * for each CA bundle: a context for each device costs half as much again per handshake (bench: 0.95 ms against 0.65 ms).
 * Why undici and not axios: docs/adr/0004-undici-for-device-calls.md.
 */

/** Why an exchange did not complete. */
export type Fault =
  | 'refused' // no listener, or an interrupted handshake: nothing was sent
  | 'unreachable' // no such name, no way there
  | 'address' // the name leads to an address that is never a device
  | 'tls' // the handshake failed
  | 'pin' // another key than the pinned one
  | 'timeout'
  | 'cut' // the connection ended before the answer did
  | 'too_large'
  | 'protocol' // the answer is not HTTP
  | 'aborted'; // by us: the caller left, or the request may not go on

export class ExchangeError extends Error {
  /** Whether a byte of the request may have reached the device. */
  sent = false;

  /** With the fault `pin`: the certificate (DER) that the device showed. */
  certificate: Buffer | null = null;

  constructor(
    readonly fault: Fault,
    readonly facts: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(`exchange with a device: ${fault}`, options);
    this.name = 'ExchangeError';
  }
}

/** How we know that it is the device. `pin` without a pin takes the key that is shown first, through `takePin`. */
export type Trust =
  | { readonly mode: 'pin'; readonly pin: string | null }
  | { readonly mode: 'ca'; readonly ca: string }
  | { readonly mode: 'insecure' };

/** What a connection passes, in this order. A name is looked up only where the address has one; only https has the last. */
export type ConnectStage = 'name' | 'tcp' | 'tls';

export interface ConnectRules {
  /** The reason why an address cannot be a device, or null. */
  forbids(address: string, port: number): string | null;
  /** Stores the key that a device showed first; resolves to the pin that counts (another process may have been quicker). */
  takePin(pin: string, certificate: X509Certificate): Promise<string>;
  /** Gets the certificate (DER) that a device showed, once for each handshake after which it counts as the device. */
  noteCertificate?(der: Buffer): void;
  /** Is told when a stage is passed. */
  notePassed?(stage: ConnectStage): void;
  /** How names become addresses; absent: as the system does it. */
  readonly lookup?: LookupFunction;
}

/** Mobile links take up to a second for a TCP handshake; beyond this the device is not there. */
const CONNECT_MS = 3_000;

/** The slowest devices sign for 1 to 2 s. */
const TLS_MS = 5_000;

/** For names with several addresses: Node's own 250 ms per address cuts off satellite links. */
const NEXT_ADDRESS_MS = 1_000;

/** Headers of a real device stay below 1 KB. */
const MAX_HEADER_BYTES = 32 * 1024;

/** Common servers close idle connections after 5 s; we do it before them, or when the device's own hint says so. */
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_LONGEST_MS = 60_000;

const sharedContext = createSecureContext({ minVersion: 'TLSv1.2' });

/** A fleet has few CA bundles. */
const MAX_CA_CONTEXTS = 64;

const caContexts = new LRUCache<string, SecureContext>({ max: MAX_CA_CONTEXTS });

/** SHA-256 of the public key (SPKI, RFC 7469), as `sha256/` and base64. */
export function pinOf(certificate: X509Certificate): string {
  return `sha256/${hash('sha256', publicKeyInfo(certificate.raw), 'base64')}`;
}

/** One connection to one device, opened when it is needed. Requests on it run one after the other. */
export class DeviceClient extends Client {
  constructor(
    origin: string,
    options: Client.Options,
    /** Runs before the reads of the connection. */
    readonly gate: ReadGate,
  ) {
    super(origin, options);
  }
}

export function openClient(origin: string, trust: Trust, rules: ConnectRules): DeviceClient {
  const gate = new ReadGate();
  const options: Client.Options = {
    connect: connector(trust, rules, gate),
    pipelining: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_LONGEST_MS,
    headersTimeout: 0, // AnswerHandler has its own deadlines
    bodyTimeout: 0,
  };
  return new DeviceClient(origin, options, gate);
}

function connector(trust: Trust, rules: ConnectRules, gate: ReadGate): buildConnector.connector {
  return ({ hostname, protocol, port }, callback) => {
    const secure = protocol === 'https:';
    const portNumber = Number(port) || (secure ? 443 : 80);
    connect(hostname, portNumber, secure, trust, rules).then(
      (socket) => callback(null, gate.guard(socket)),
      (error: Error) => callback(error, null),
    );
  };
}

async function connect(host: string, port: number, secure: boolean, trust: Trust, rules: ConnectRules) {
  const literal = isIP(host) !== 0;
  const reason = literal ? rules.forbids(host, port) : null;
  if (reason) throw new ExchangeError('address', { address: host, reason });
  const target = { host, port, lookup: allowedOnly(port, rules), autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS };
  const socket = secure
    ? connectTls({
        ...target,
        secureContext: trust.mode === 'ca' ? caContext(trust.ca) : sharedContext,
        rejectUnauthorized: trust.mode === 'ca',
        ALPNProtocols: ['http/1.1'],
        ...(literal ? {} : { servername: host }),
      })
    : connectTcp(target);
  if (rules.notePassed) tellStages(socket, (stage) => rules.notePassed?.(stage));
  try {
    await opened(socket, port, secure, rules);
    if (secure) await checkCertificate(socket as TLSSocket, trust, rules);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return socket.setNoDelay(true);
}

/** Resolves a name and keeps the addresses that may be devices, so that no other is ever connected to. */
function allowedOnly(port: number, rules: ConnectRules): LookupFunction {
  const resolve = rules.lookup ?? systemLookup;
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, []);
      const addresses = found as { address: string; family: number }[];
      const judged = addresses.map(({ address }) => rules.forbids(address, port));
      const allowed = addresses.filter((_, index) => judged[index] === null);
      if (allowed.length === 0) {
        const facts = { address: addresses[0]?.address ?? null, reason: judged[0] ?? 'the name has no address' };
        return done(new ExchangeError('address', facts), []);
      }
      if (options.all) return done(null, allowed);
      return done(null, allowed[0]!.address, allowed[0]!.family);
    });
  };
}

function tellStages(socket: Socket, passed: (stage: ConnectStage) => void): void {
  socket.once('lookup', (error: Error | null) => {
    if (!error) passed('name');
  });
  socket.once('connect', () => passed('tcp'));
  socket.once('secureConnect', () => passed('tls'));
}

/** Waits until the socket can carry HTTP. The TCP connection and the TLS handshake each have a time limit. */
function opened(socket: Socket, port: number, secure: boolean, rules: ConnectRules): Promise<void> {
  return new Promise((resolve, reject) => {
    let connected = false;
    let isOver = false;
    let timer = setTimeout(() => fail(() => new ExchangeError('timeout', { phase: 'connect' })), CONNECT_MS);
    const end = () => {
      isOver = true;
      clearTimeout(timer);
    };
    // The error is made only when it is used: every connection closes at some time, and a stack trace costs time.
    const fail = (fault: () => ExchangeError) => {
      if (isOver) return;
      end();
      reject(fault());
    };
    const closed = () => new ExchangeError('refused', { reason: 'closed while connecting' });
    // This listener stays: an error between here and the first request must not be an uncaught one.
    socket.on('error', (error: NodeJS.ErrnoException) => fail(() => connectFault(error, connected)));
    socket.once('close', () => fail(closed));
    socket.once('connect', () => {
      connected = true;
      const address = socket.remoteAddress;
      // Reset before this turn of the event loop: the device is gone.
      if (address === undefined) return fail(closed);
      const reason = rules.forbids(address, port);
      if (reason) return fail(() => new ExchangeError('address', { address, reason }));
      clearTimeout(timer);
      if (secure) timer = setTimeout(() => fail(() => new ExchangeError('timeout', { phase: 'tls' })), TLS_MS);
      else succeed();
    });
    const succeed = () => {
      end();
      resolve();
    };
    socket.once('secureConnect', succeed);
  });
}

async function checkCertificate(socket: TLSSocket, trust: Trust, rules: ConnectRules): Promise<void> {
  const certificate = socket.getPeerX509Certificate();
  if (trust.mode === 'pin') await checkPin(certificate, trust.pin, rules);
  if (certificate) rules.noteCertificate?.(certificate.raw);
}

async function checkPin(certificate: X509Certificate | undefined, pin: string | null, rules: ConnectRules) {
  if (!certificate) throw new ExchangeError('tls', { reason: 'no certificate was shown' });
  const offered = pinOf(certificate);
  const expected = pin ?? (await rules.takePin(offered, certificate));
  if (offered === expected) return;
  throw Object.assign(new ExchangeError('pin', { pinned: expected, offered }), { certificate: certificate.raw });
}

function caContext(ca: string): SecureContext {
  const known = caContexts.get(ca);
  if (known) return known;
  const context = createSecureContext({ ca, minVersion: 'TLSv1.2' });
  caContexts.set(ca, context);
  return context;
}

const CONNECT_FAULTS: Readonly<Record<string, Fault>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'refused',
  EPIPE: 'refused',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'timeout',
};

function connectFault(error: NodeJS.ErrnoException, connected: boolean): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const fault = CONNECT_FAULTS[error.code ?? ''] ?? (connected ? 'tls' : 'unreachable');
  return new ExchangeError(fault, { reason: error.code ?? error.message }, { cause: error });
}

/*
 * The public key of a certificate as its exact bytes (RFC 5280, section 4.1): the input of pins. Node's own way,
 * `publicKey.export`, builds a key to write it out again and takes 0.17 ms, a quarter of a handshake; this walk takes
 * 0.002 ms. It reads only what OpenSSL has read before.
 */

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const VERSION = 0xa0;

/** Where an element of DER begins, where its content does, and where it ends. */
interface Element {
  readonly tag: number;
  readonly from: number;
  readonly content: number;
  readonly end: number;
}

/** The SubjectPublicKeyInfo of a certificate, both in DER. @throws Error when the bytes are no certificate */
export function publicKeyInfo(certificate: Buffer): Buffer {
  const signed = elementAt(certificate, elementAt(certificate, 0, SEQUENCE).content, SEQUENCE);
  let next = elementAt(certificate, signed.content);
  if (next.tag === VERSION) next = elementAt(certificate, next.end);
  if (next.tag !== INTEGER) throw new Error('a certificate has a serial number');
  // Signature algorithm, issuer, validity, subject; then the key.
  for (let passed = 0; passed < 4; passed++) next = elementAt(certificate, next.end, SEQUENCE);
  const key = elementAt(certificate, next.end, SEQUENCE);
  return certificate.subarray(key.from, key.end);
}

/** X.690, section 8.1: a tag of one byte, a length of one byte or of as many as the first says, the content. */
function elementAt(der: Buffer, from: number, expected?: number): Element {
  const tag = der[from];
  const first = der[from + 1];
  if (tag === undefined || first === undefined || (expected !== undefined && tag !== expected)) {
    throw new Error(`not a certificate at byte ${from}`);
  }
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const content = from + 2 + lengthBytes;
  if (lengthBytes > 4 || content > der.length) throw new Error(`not a certificate at byte ${from}`);
  const length = lengthBytes === 0 ? first : der.readUIntBE(from + 2, lengthBytes);
  if (first === 0x80 || content + length > der.length) throw new Error(`not a certificate at byte ${from}`);
  return { tag, from, content, end: content + length };
}
