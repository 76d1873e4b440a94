/*
 * One simulated device: its identity, its state, and its life (running, away, stopped). Its answers are in `services/`,
 * its bytes in `listener.ts`; both get this object, and it knows neither.
 */
import { SimulatedAccounts, type PasswordRules } from './accounts.js';
import { CertificateStore } from './certificate-store.js';
import { fingerprintOf, selfSigned, type Identity } from './certificates.js';
import type { SimulatorClock, Timer } from './clock.js';
import { Configuration, type Section } from './configuration.js';
import type { ServiceDeclaration } from './service-declaration.js';
import { EventsLog } from './events-log.js';
import { firmwareName, firmwareParts, NEWEST_VENDOR_FIRMWARE, type Family } from './families.js';
import { Faults } from './faults.js';
import type { FirmwareSlot } from './firmware.js';
import type { LedgerEffect, Ledger, LedgerEntry } from './ledger.js';
import { BOOT_S, lastBoot, scheduledBoot } from './live/boots.js';
import { Inbox } from './live/inbox.js';
import { SimulatedModem } from './live/modem.js';
import { SCENARIOS, type LiveMoment, type ScenarioName } from './live/scenarios.js';
import type { Uplinks } from './live/traffic.js';
import { DURATIONS, type Behaviour } from './profile.js';
import type { Random, Range } from './random.js';
import type { Recording } from './recording.js';
import { Sessions } from './sessions.js';

export interface DeviceSetup {
  readonly index: number;
  readonly serial: string;
  readonly mac: string;
  readonly name: string;
  readonly site: string;
  readonly tags: readonly string[];
  readonly family: Family;
  readonly behaviour: Behaviour;
  readonly firmware: string;
  readonly password: string;
  /** Null: answers at once. */
  readonly latencyMs: Range | null;
  /** Least and greatest size of a backup; null: only what the settings take. */
  readonly backupBytes: Range | null;
  readonly tokenLifetimeMs: number | undefined;
  /** Modulus of generated keys whatever is asked for; absent: what is asked for. */
  readonly rsaBits: number | undefined;
  readonly mustChangePassword: boolean;
  /** Absent: as from the factory. */
  readonly passwordRules?: PasswordRules | undefined;
  /** What its live values do. */
  readonly scenario: ScenarioName;
  readonly clock: SimulatorClock;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly declarations: ReadonlyMap<string, ServiceDeclaration>;
  /** Answers of a recorded router, which it imitates. */
  readonly recording?: Recording | undefined;
}

/** The network side of a device, as `listener.ts` gives it. */
export interface Listener {
  readonly host: string;
  port: number;
  open(): Promise<void>;
  /** Stops listening and resets what is connected. */
  close(): Promise<void>;
  /** Ends the open connections; new ones are taken. */
  dropConnections(): void;
  /** The next handshakes use the device's new certificate. */
  forgetCertificate(): void;
}

/** A file that was uploaded and stays on the device: only its size counts. */
export interface StoredUpload {
  readonly path: string;
  readonly size: number;
}

export interface Backup {
  readonly archive: Buffer;
  readonly name: string;
  readonly sha256: string;
  readonly md5: string;
}

export type LifeState = 'running' | 'away' | 'stopped';

export class SimulatedDevice {
  readonly index: number;
  readonly mac: string;
  readonly name: string;
  readonly username = 'admin';
  readonly family: Family;
  readonly behaviour: Behaviour;
  readonly sessions: Sessions;
  readonly faults: Faults;
  readonly clock: SimulatorClock;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly declarations: ReadonlyMap<string, ServiceDeclaration>;

  serial: string;
  life: LifeState = 'stopped';
  /** Connections are reset until this instant: the first seconds after a start. */
  resetsUntil = 0;
  firmware: FirmwareSlot;
  /** What the vendor's server offers this device. */
  vendorFirmware: string;
  backup: Backup | null = null;
  /** The settings that the user made the defaults, as an archive. */
  defaultBackup: Buffer | null = null;
  /** The archive of `backup/actions/upload`, until it is applied. */
  uploadedBackup: Buffer | null = null;
  uploads: StoredUpload[] = [];
  /** Something persistent changed since `saved`. */
  isChanged = false;

  private listener: Listener | undefined;
  private identity: Identity | undefined;
  private lazyConfiguration: Configuration | undefined;
  private lazyCertificates: CertificateStore | undefined;
  private lazyAccounts: SimulatedAccounts | undefined;
  private lazyEvents: EventsLog | undefined;
  private lazyInbox: Inbox | undefined;
  private lazyModem: SimulatedModem | undefined;
  private startedAt: number;
  private hasRun = false;
  /** Seconds since 1970: planned restarts until then were carried out. */
  private caughtUpTo = 0;
  /** Of its live values. */
  private readonly seed: number;
  private absence: Timer[] = [];
  private pinOfIdentity: string | undefined;

  constructor(readonly setup: DeviceSetup) {
    ({ index: this.index, mac: this.mac, name: this.name, serial: this.serial } = setup);
    ({ family: this.family, behaviour: this.behaviour, clock: this.clock, ledger: this.ledger } = setup);
    ({ random: this.random, declarations: this.declarations } = setup);
    this.sessions = new Sessions(setup.clock, setup.behaviour, setup.tokenLifetimeMs);
    this.faults = new Faults(() => this.random);
    this.firmware = { version: firmwareName(setup.family, setup.firmware), image: null, download: null };
    this.vendorFirmware = firmwareName(setup.family, NEWEST_VENDOR_FIRMWARE);
    // Running for one hour to thirty days before the simulation began.
    this.startedAt = setup.clock.now() - setup.random.integer(3_600, 30 * 86_400) * 1000;
    this.seed = setup.random.fork('live').integer(0, 2 ** 31 - 1);
    this.startedAt = Math.max(this.startedAt, (lastBoot(this.moment) ?? 0) * 1000);
  }

  /** What live values are computed from: they are a function of this, and are stored nowhere. */
  get moment(): LiveMoment {
    return { seed: this.seed, scenario: SCENARIOS[this.setup.scenario], at: this.clock.now() / 1000 };
  }

  /** The name that its settings give it. */
  get shownName(): string {
    const given = this.usedSections('system')[0]?.['devicename'];
    return typeof given === 'string' ? given : this.name;
  }

  /** What carries its traffic beside the mobile connection. */
  get uplinks(): Uplinks {
    const { cable, dualSim, modem } = this.family.has;
    return { hasSocket: cable, hasTwoSims: dualSim, hasModem: modem };
  }

  get inbox(): Inbox {
    return (this.lazyInbox ??= new Inbox());
  }

  get modem(): SimulatedModem {
    return (this.lazyModem ??= new SimulatedModem({
      moment: () => this.moment,
      pace: this.clock.timeScale,
      uplinks: this.uplinks,
      modemId: this.family.modem.id,
      settings: (service) => this.usedSections(service),
    }));
  }

  get model(): string {
    return this.family.model;
  }

  /** Made on first use, like everything below that is large: ten thousand devices are in one process. */
  get accounts(): SimulatedAccounts {
    if (!this.lazyAccounts) {
      this.lazyAccounts = new SimulatedAccounts(this.behaviour, this.setup.password, this.setup.passwordRules);
      const admin = this.lazyAccounts.find(this.username);
      if (admin && this.setup.mustChangePassword) admin.mustChangePassword = true;
    }
    return this.lazyAccounts;
  }

  get configuration(): Configuration {
    return (this.lazyConfiguration ??= new Configuration(
      {
        random: this.random.fork('configuration'),
        facts: {
          serial: this.serial,
          mac: this.mac,
          name: this.name,
          modem: this.family.modem.id,
          secondModem: this.family.modems[1]?.id ?? '',
          banner: this.family.has.banner ? '1' : '0',
          // The newest generation is preferred (chosen).
          service: this.family.has.fiveG ? 'nr5g_pref' : 'lte_pref',
          lan: this.family.network.lanAddress,
          lanNetwork: this.family.network.lanAddress.split('.').slice(0, 3).join('.'),
        },
        has: this.family.has,
        hasFile: (path) => this.certificates.hasPath(path) || this.uploads.some((upload) => upload.path === path),
        fileSize: (path) => this.uploads.find((upload) => upload.path === path)?.size ?? 0,
        now: () => this.moment.at,
      },
      this.declarations,
    ));
  }

  /** The sections of a service, if it was ever used. A new device has its initial ones, which this does not make. */
  usedSections(service: string): readonly Section[] {
    return this.lazyConfiguration?.peek(service) ?? [];
  }

  get events(): EventsLog {
    return (this.lazyEvents ??= new EventsLog(this.random.fork('events'), this.startedAt, this.clock.now()));
  }

  get certificates(): CertificateStore {
    return (this.lazyCertificates ??= new CertificateStore(this.clock, () => this.random));
  }

  /** Stores a file at a path, in place of an older one. */
  keepUpload(path: string, size: number): void {
    this.uploads = [...this.uploads.filter((upload) => upload.path !== path), { path, size }];
  }

  get freeBytes(): number {
    return this.family.freeBytes - this.uploads.reduce((sum, { size }) => sum + size, 0);
  }

  get host(): string {
    return this.network.host;
  }

  get port(): number {
    return this.network.port;
  }

  get baseUrl(): string {
    return `https://${this.host}:${this.port}`;
  }

  /** The password of `admin` as it is now. */
  get password(): string {
    return this.accounts.find(this.username)?.password ?? this.setup.password;
  }

  /** The certificate that the device shows, made when first asked for. */
  get tls(): Identity {
    if (!this.identity) {
      this.identity = this.newIdentity();
      this.isChanged = true;
    }
    return this.identity;
  }

  set tls(identity: Identity) {
    this.identity = identity;
    this.pinOfIdentity = undefined;
  }

  get hasTls(): boolean {
    return this.identity !== undefined;
  }

  get certificatePem(): string {
    return this.tls.certificatePem;
  }

  /** `sha256/<base64>` of the subject public key info. */
  get fingerprint(): string {
    return (this.pinOfIdentity ??= fingerprintOf(this.certificatePem));
  }

  /** Wall seconds since the device last started: a client counts them too, so no time scale applies. */
  get uptimeSeconds(): number {
    this.catchUp();
    return Math.max(0, Math.floor((this.clock.now() - this.startedAt) / 1000));
  }

  /** Seconds since 1970. */
  get bootedAt(): number {
    this.catchUp();
    return Math.floor(this.startedAt / 1000);
  }

  /** Carries out the restart that the device planned for an instant that has passed. Called when a client comes. */
  catchUp(): void {
    const { at } = this.moment;
    // What was set after an instant has passed plans nothing for it.
    const schedules = this.usedSections(SCHEDULER);
    const scheduled = schedules.length > 0 ? scheduledBoot(schedules, this.caughtUpTo, at) : null;
    this.caughtUpTo = at;
    const boot = Math.max(lastBoot(this.moment) ?? 0, scheduled ?? 0) * 1000;
    if (boot <= this.startedAt || this.life !== 'running') return;
    this.startedAt = boot;
    this.resetsUntil = boot + (BOOT_S * 1000) / this.clock.timeScale;
    this.sessions.endAll();
    this.lazyModem?.restart();
    this.lazyCertificates?.interrupt();
    this.listener?.dropConnections();
    this.didLater('reboot', 'planned');
  }

  /** `[7, 16, 3]` of the running firmware. */
  get firmwareParts(): [number, number, number] {
    return firmwareParts(this.firmware.version);
  }

  /** Writes an effect to the ledger, on the line of the request that has it. */
  did(entry: LedgerEntry, effect: LedgerEffect, detail?: string): void {
    this.isChanged = true;
    this.modem.changed();
    this.ledger.effect(entry, effect, detail);
    this.events.add(this.clock.now(), effect, detail);
  }

  /** Writes an effect that happens after its request was answered. */
  didLater(effect: LedgerEffect, detail?: string, cause?: LedgerEntry): void {
    this.isChanged = true;
    this.lazyModem?.changed();
    this.events.add(this.clock.now(), effect, detail);
    this.ledger.background(this.index, this.clock.now(), effect, detail, cause);
  }

  attach(listener: Listener): void {
    this.listener = listener;
    this.faults.onChange = (rule, added) => {
      if (rule.kind === 'refuse') void (added ? this.network.close() : this.life === 'running' && this.network.open());
      else if (added && this.faults.hasWire) this.network.dropConnections();
    };
  }

  /** Opens the listener. */
  async start(): Promise<void> {
    if (this.life === 'running') return;
    if (this.hasRun) this.powerOn();
    this.hasRun = true;
    this.life = 'running';
    await this.network.open();
  }

  /** Closes the listener and resets what is connected, as a power cut would; sessions end. */
  async stop(): Promise<void> {
    this.cancelAbsence();
    this.life = 'stopped';
    this.sessions.endAll();
    await this.network.close();
  }

  /** Another password for `admin` and `root`, behind the gateway's back; as on a real device all sessions end. */
  setPassword(password: string): void {
    this.accounts.overwritePassword(password);
    this.sessions.endAll();
    this.isChanged = true;
  }

  /** All tokens end now. */
  expireTokens(): void {
    this.sessions.endAll();
  }

  /** Another key and certificate from the next handshake on; open connections end. */
  replaceCertificate(): void {
    this.tls = this.newIdentity();
    this.network.forgetCertificate();
    this.network.dropConnections();
    this.isChanged = true;
  }

  /** Another device is at this address from now on. */
  replaceSerial(serial = String(Number(this.serial) + 500_000_000)): void {
    this.serial = serial;
    this.isChanged = true;
  }

  dropConnections(): void {
    this.network.dropConnections();
  }

  /** Goes away after some seconds and comes back after about a minute, in device time. */
  reboot(cause?: LedgerEntry, whileAway: () => void = () => undefined): void {
    const isLost = this.faults.strikeOperation('never-returns') !== null;
    this.leave(DURATIONS.rebootBegins, DURATIONS.rebootAway, whileAway, isLost, cause);
  }

  /** Listens at another port from its next start on. */
  moveTo(port: number): void {
    this.network.port = port;
  }

  /** Flashes `version` and comes back after minutes of device time, unless a fault makes it otherwise. */
  flash(version: string, keepSettings: boolean, cause?: LedgerEntry): void {
    if (this.faults.strikeOperation('flash-nothing')) return;
    const keepsOld = this.faults.strikeOperation('flash-old-version') !== null;
    const isLost = this.faults.strikeOperation('never-returns') !== null;
    const forgets = this.faults.strikeOperation('flash-factory-settings') !== null || !keepSettings;
    this.leave(
      DURATIONS.flashBegins,
      DURATIONS.flashAway,
      () => {
        this.firmware = { version: keepsOld ? this.firmware.version : version, image: null, download: null };
        if (!keepsOld) this.didLater('flash', version, cause);
        if (forgets) this.factoryReset(cause);
      },
      isLost,
      cause,
    );
  }

  /** Everything is as from the factory, the password too; certificate and serial stay. */
  factoryReset(cause?: LedgerEntry): void {
    this.accounts.reset(FACTORY_PASSWORD);
    const admin = this.accounts.find(this.username);
    if (admin) admin.mustChangePassword = this.behaviour.passwordProof;
    this.configuration.reset();
    this.certificates.restore(new Map());
    this.uploads = [];
    this.backup = null;
    this.defaultBackup = null;
    this.sessions.endAll();
    this.didLater('factory-reset', undefined, cause);
  }

  private leave(begins: Range, away: Range, whileAway: () => void, isLost: boolean, cause?: LedgerEntry): void {
    if (this.absence.length > 0) return;
    this.absence.push(
      this.clock.after(this.random.integer(...begins), () => {
        this.life = 'away';
        this.sessions.endAll();
        this.lazyCertificates?.interrupt();
        this.didLater('reboot', undefined, cause);
        void this.network.close().then(() => {
          if (this.life !== 'away') return;
          this.absence.push(
            this.clock.after(this.random.integer(...away), () => {
              whileAway();
              this.absence = [];
              if (!isLost) this.comeBack();
            }),
          );
        });
      }),
    );
  }

  /** Uptime and all that is counted since a start begins again. */
  powerOn(): void {
    this.startedAt = this.clock.now();
    this.lazyModem?.restart();
  }

  private comeBack(): void {
    this.powerOn();
    this.resetsUntil = this.clock.now() + this.random.integer(...DURATIONS.resets) / this.clock.timeScale;
    this.life = 'running';
    void this.network.open();
  }

  private cancelAbsence(): void {
    for (const timer of this.absence) timer.cancel();
    this.absence = [];
  }

  private newIdentity(): Identity {
    const now = this.clock.now();
    return selfSigned({
      commonName: `${this.model} ${this.serial}`,
      notBefore: new Date(now - 86_400_000),
      notAfter: new Date(now + 10 * 365 * 86_400_000),
      alternativeNames: [this.host, 'router.lan'],
    });
  }

  private get network(): Listener {
    if (!this.listener) throw new Error(`Device ${this.index} has no listener yet`);
    return this.listener;
  }
}

/** The password on the label of a device that lost its settings (chosen). */
const FACTORY_PASSWORD = 'admin01';

const SCHEDULER = 'auto_reboot/scheduler';
