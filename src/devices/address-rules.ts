import { lookup } from 'node:dns/promises';
import { Inject, Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { type DatabaseUrls } from '../platform/database.js';
import { DATABASE_URLS } from '../platform/platform.module.js';
import { type AddressPolicy } from './base-url.js';

/** The address rules of this installation: what is configured, and where the gateway's own parts listen. */
@Injectable()
export class AddressRules {
  private readonly own = new Set<string>();

  constructor(
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(DATABASE_URLS) private readonly urls: DatabaseUrls,
  ) {}

  /** Looks up where Postgres and Redis are, so that no device can be registered in their place. */
  async onModuleInit(): Promise<void> {
    await this.addUrl(this.urls.appUrl, 5432);
    if (this.config.REDIS_URL) await this.addUrl(this.config.REDIS_URL, 6379);
  }

  /** Adds the gateway's own listener, once its port is known. */
  addOwn(address: string, port: number): void {
    const wildcard = address === '0.0.0.0' || address === '::';
    for (const host of wildcard ? ['127.0.0.1', '::1'] : [address])
      this.own.add(`${ipaddr.process(host).toString()}:${port}`);
  }

  policy(): AddressPolicy {
    return {
      allowLoopback: this.config.DEVICE_ALLOW_LOOPBACK,
      allowedCidrs: this.config.DEVICE_ALLOWED_CIDRS,
      ownEndpoints: this.own,
    };
  }

  private async addUrl(text: string, defaultPort: number): Promise<void> {
    const url = new URL(text);
    const port = Number(url.port) || defaultPort;
    const addresses = await lookup(url.hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
    for (const { address } of addresses) this.addOwn(address, port);
  }
}
