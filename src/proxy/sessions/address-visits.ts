import { type X509Certificate } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Limits } from '../../device-api/exchange.js';
import { type DeviceClient, openClient } from '../../device-api/http.js';
import { AddressRules } from '../../devices/registry/address-rules.js';
import { isForbiddenAddress } from '../../devices/registry/base-url.js';
import { Admission } from '../admission/admission.js';
import { Cancellation } from '../connections/cancellation.js';
import { type Collector } from '../connections/collector.js';
import { send, type SessionRequest } from '../connections/session-requests.js';

/** The TLS handshake of a slow device takes up to 5 s after 3 s of connecting; then it answers at once. */
const LIMITS: Limits = { firstByteMs: 8_500, totalMs: 9_000, maxBytes: 64 * 1024, bytesPerSecond: 64 * 1024 };

/** Calls of jobs that people started go first. */
const PRIORITY = { isBulk: true, hasConnection: false };

/** How other modules reach an address that is not in the registry. */
@Injectable()
export class AddressVisits {
  constructor(
    @Inject(AddressRules) private readonly addresses: Pick<AddressRules, 'policy'>,
    @Inject(Admission) private readonly admission: Pick<Admission, 'acquire' | 'release'>,
  ) {}

  /**
   * Visits an address: waits for admission, and closes the connection at the end.
   * @param signal ends a visit in progress
   */
  async visit<Result>(
    baseUrl: string,
    signal: AbortSignal,
    work: (visit: AddressVisit) => Promise<Result>,
  ): Promise<Result> {
    const permit = await this.admission.acquire(PRIORITY, new Cancellation());
    const visit = new AddressVisit(baseUrl, (address, port) =>
      isForbiddenAddress(address, port, this.addresses.policy()),
    );
    const close = (): void => void visit.close();
    signal.addEventListener('abort', close);
    try {
      return await work(visit);
    } finally {
      signal.removeEventListener('abort', close);
      this.admission.release(permit);
      await visit.close();
    }
  }
}

/**
 * A connection to one address. All of it uses one key: after the first handshake another key ends the visit, so that a
 * password goes only to what was recognised.
 */
export class AddressVisit {
  /** Of the first handshake; null before, and over http. */
  pin: string | null = null;
  certificate: X509Certificate | null = null;
  private readonly client: DeviceClient;

  constructor(baseUrl: string, forbids: (address: string, port: number) => string | null) {
    this.client = openClient(
      baseUrl,
      { mode: 'pin', pin: null },
      {
        forbids,
        takePin: (pin, certificate) => {
          this.certificate ??= certificate;
          return Promise.resolve((this.pin ??= pin));
        },
      },
    );
  }

  /** One request. @throws ExchangeError */
  send(request: SessionRequest): Promise<Collector> {
    return send(this.client, request, LIMITS);
  }

  async close(): Promise<void> {
    await this.client.destroy();
  }
}
