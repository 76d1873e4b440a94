/*
 * Files under /etc/certificates and the generation that makes them in the background, one after the other. The listing
 * shows what is ready and what is not; there is no progress and no error report (observed-devices.md 3, Certificates).
 * Keys and certificates are real, but generated at the first read: a thousand devices would otherwise take minutes of
 * processor time that no listing shows.
 */
import { CERTIFICATE_DIRECTORY, SIMPLE_CERTIFICATE_FILES, type CertificateListing } from '../../device-api/contract.js';
import { diffieHellmanParameters, issueRsa, type Identity } from './certificates.js';
import type { SimulatorClock, Timer } from './clock.js';
import { DeviceRefusal } from './exchange.js';
import { DURATIONS } from './profile.js';
import type { Random, Range } from './random.js';

export interface GenerateOrder {
  readonly files: readonly string[];
  readonly bits: number;
  readonly days: number;
  readonly commonName: string | undefined;
}

interface StoredFile {
  readonly fullname: string;
  readonly madeAt: number;
  readonly order?: GenerateOrder;
  pem?: string;
}

const NAME_PARTS = /^(.+)\.(cert|key)\.pem$/;

export class CertificateStore {
  private files = new Map<string, StoredFile>();
  private pending: { fullname: string; order: GenerateOrder }[] = [];
  private readonly authorities = new Map<GenerateOrder, Promise<Identity>>();
  private timer: Timer | undefined;

  constructor(
    private readonly clock: SimulatorClock,
    private readonly random: () => Random,
  ) {}

  listing(): CertificateListing {
    return {
      generated: [...this.files.values()].map((file) => listed(file)),
      generating: this.pending.map(({ fullname }) => ({ fullname, type: typeOf(fullname) })),
    };
  }

  has(fullname: string): boolean {
    return this.files.has(fullname);
  }

  hasPath(path: string): boolean {
    return this.files.has(path.slice(CERTIFICATE_DIRECTORY.length));
  }

  /** Returns at once. @param stuckBefore the file before which it dies. @throws Refused 109 for a taken name */
  generate(order: GenerateOrder, stuckBefore: string | null, onFile: (fullname: string) => void): void {
    const taken = order.files.find(
      (name) => this.files.has(name) || this.pending.some(({ fullname }) => fullname === name),
    );
    if (taken !== undefined) throw new DeviceRefusal(109, { source: 'name', value: taken, error: 'The file exists' });
    const idle = this.pending.length === 0;
    this.pending.push(...order.files.map((fullname) => ({ fullname, order })));
    if (idle) this.next(stuckBefore, onFile);
  }

  /** The text of a file, generated now if it was not read before. */
  async read(fullname: string): Promise<string> {
    const file = this.files.get(fullname);
    if (!file) throw new DeviceRefusal(113, { source: 'fullname', section: fullname });
    file.pem ??= file.order ? await this.material(file.order, fullname) : '';
    return file.pem;
  }

  put(fullname: string, pem: string): void {
    this.files.set(fullname, { fullname, madeAt: this.clock.nowSeconds(), pem });
  }

  remove(fullname: string): void {
    const pending = this.pending.length;
    this.pending = this.pending.filter((item) => item.fullname !== fullname);
    if (!this.files.delete(fullname) && pending === this.pending.length) {
      throw new DeviceRefusal(113, { source: 'fullname', section: fullname });
    }
  }

  /** Every file with its text, as a backup and the state directory hold it. */
  async export(): Promise<Map<string, string>> {
    const texts = new Map<string, string>();
    for (const fullname of this.files.keys()) texts.set(fullname, await this.read(fullname));
    return texts;
  }

  restore(texts: ReadonlyMap<string, string>): void {
    this.interrupt();
    this.pending = [];
    this.files = new Map();
    for (const [fullname, pem] of texts) this.put(fullname, pem);
  }

  /** A reboot kills the generator: what was being made is gone. */
  interrupt(): void {
    this.timer?.cancel();
    this.pending = [];
  }

  private next(stuckBefore: string | null, onFile: (fullname: string) => void): void {
    const item = this.pending[0];
    if (!item || item.fullname === stuckBefore) return;
    this.timer = this.clock.after(this.random().integer(...durationOf(item.fullname)), () => {
      this.pending.shift();
      this.files.set(item.fullname, { fullname: item.fullname, madeAt: this.clock.nowSeconds(), order: item.order });
      onFile(item.fullname);
      this.next(stuckBefore, onFile);
    });
  }

  private async material(order: GenerateOrder, fullname: string): Promise<string> {
    const [, name, kind] = NAME_PARTS.exec(fullname) ?? [];
    if (name === undefined) return diffieHellmanParameters(order.bits);
    const authority = await this.authority(order);
    const isAuthority = name === 'ca' || order.files.length === 2;
    const identity = isAuthority
      ? authority
      : await issueRsa(order.bits, this.subject(order, name), {
          commonName: this.subject(order, 'ca').commonName,
          keyPem: authority.keyPem,
        });
    // A key and its certificate belong together: a read of one generates both.
    for (const [file, pem] of [
      [`${name}.key.pem`, identity.keyPem],
      [`${name}.cert.pem`, identity.certificatePem],
    ] as const) {
      const stored = this.files.get(file);
      if (stored) stored.pem ??= pem;
    }
    return kind === 'key' ? identity.keyPem : identity.certificatePem;
  }

  private authority(order: GenerateOrder): Promise<Identity> {
    let authority = this.authorities.get(order);
    if (!authority) {
      authority = issueRsa(order.bits, { ...this.subject(order, 'ca'), authority: true });
      this.authorities.set(order, authority);
    }
    return authority;
  }

  private subject(order: GenerateOrder, name: string) {
    const notBefore = new Date(this.clock.now());
    return {
      commonName: order.commonName ?? name,
      notBefore,
      notAfter: new Date(notBefore.getTime() + order.days * 86_400_000),
    };
  }
}

/** The files that a `type` makes; `name` is asked for unless the type is `simple` or `dh`. */
export function filesOf(type: string, name: string | undefined): readonly string[] {
  if (type === 'simple') return SIMPLE_CERTIFICATE_FILES;
  if (type === 'dh') return [`${name ?? 'dh'}.pem`];
  return [`${name ?? type}.key.pem`, `${name ?? type}.cert.pem`];
}

function durationOf(fullname: string): Range {
  if (fullname.endsWith('.cert.pem')) return DURATIONS.certificate;
  return fullname.endsWith('.key.pem') ? DURATIONS.certificateKey : DURATIONS.diffieHellman;
}

function typeOf(fullname: string): string {
  return NAME_PARTS.exec(fullname)?.[2] ?? 'dh';
}

function listed({ fullname, madeAt, order }: StoredFile): CertificateListing['generated'][number] {
  const type = typeOf(fullname) === 'cert' ? 'cert' : 'key';
  const name = NAME_PARTS.exec(fullname)?.[1] ?? fullname.replace(/\.pem$/, '');
  return {
    type,
    name,
    timestamp: type === 'cert' ? String(madeAt) : '-',
    cert_type: ['ca', 'server', 'client'].includes(name) ? name : type === 'cert' ? 'client' : name,
    key_size: String(order?.bits ?? 2048),
    fullname,
  };
}
