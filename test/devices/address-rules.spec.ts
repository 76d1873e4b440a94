import 'reflect-metadata';
import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { AddressRules } from '../../src/devices/registry/address-rules.js';
import { isForbiddenAddress } from '../../src/devices/registry/base-url.js';
import { type GatewayConfig } from '../../src/platform/config.js';

const config = { DEVICE_ALLOW_LOOPBACK: true, DEVICE_ALLOWED_CIDRS: [] as string[] } as unknown as GatewayConfig;
const rules = () => new AddressRules(config, { appUrl: '', ownerUrl: '' });

it.each(['0.0.0.0', '::'])('a gateway that listens at %s is found at every address of its machine', (wildcard) => {
  const own = rules();
  own.addOwn(wildcard, 8080);
  const addresses = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  for (const address of [...addresses, '127.0.0.1', '::1', '127.0.0.1']) {
    const verdict = isForbiddenAddress(address, 8080, own.policy());
    expect([address, verdict]).toEqual([address, 'it is an address of the gateway itself']);
  }
});

it('a gateway that listens at one address is found there alone', () => {
  const own = rules();
  own.addOwn('127.0.0.1', 8080);
  expect([...own.policy().ownEndpoints]).toEqual(['127.0.0.1:8080']);
});
