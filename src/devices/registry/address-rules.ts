import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { type DatabaseUrls, DATABASE_URLS } from '../../database/database.js';
import { type AddressPolicy } from './base-url.js';

/** Addresses of the machine change; they are read again after this time. */
const INTERFACES_MS = 60_000;

/** The address rules of this installation: the configuration, and the gateway's own endpoints. */
@Injectable()
export class AddressRules {
  private readonly own = new Set<string>();
  /** The port when the gateway listens at all addresses of its machine; else null. */
  private everywhere: number | null = null;
  private interfacesReadAt = 0;

  constructor(
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(DATABASE_URLS) private readonly urls: DatabaseUrls,
  ) {}

  /** Resolves the addresses of Postgres and Redis, so that no device can be registered there. */
  async onModuleInit(): Promise<void> {
    const { appUrl, ownerUrl, sessionUrl = appUrl } = this.urls;
    for (const url of new Set([appUrl, sessionUrl, ownerUrl])) await this.addUrl(url, 5432);
    if (this.config.REDIS_URL) await this.addUrl(this.config.REDIS_URL, 6379);
  }

  addOwn(address: string, port: number): void {
    if (address !== '0.0.0.0' && address !== '::') return this.add(address, port);
    this.everywhere = port;
    this.readInterfaces(port);
  }

  policy(): AddressPolicy {
    const isOld = performance.now() - this.interfacesReadAt > INTERFACES_MS;
    if (this.everywhere !== null && isOld) this.readInterfaces(this.everywhere);
    return {
      allowLoopback: this.config.DEVICE_ALLOW_LOOPBACK,
      allowedCidrs: this.config.DEVICE_ALLOWED_CIDRS,
      ownEndpoints: this.own,
    };
  }

  /** Receivers of webhooks need not be in the networks of the devices. */
  forWebhooks(): AddressPolicy {
    return { ...this.policy(), allowedCidrs: [] };
  }

  private add(address: string, port: number): void {
    this.own.add(`${ipaddr.process(address).toString()}:${port}`);
  }

  /** A listener at the wildcard address is reachable at every address of the machine. */
  private readInterfaces(port: number): void {
    this.interfacesReadAt = performance.now();
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    for (const host of ['127.0.0.1', '::1', ...addresses.map(({ address }) => address)]) this.add(host, port);
  }

  private async addUrl(text: string, defaultPort: number): Promise<void> {
    const url = new URL(text);
    const port = Number(url.port) || defaultPort;
    const addresses = await lookup(url.hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
    for (const { address } of addresses) this.addOwn(address, port);
  }
}
