import { z } from 'zod';
import { credentialsInput, registerInput } from '../devices/devices.contract.js';
import { instant } from '../http/endpoint.js';
import { pageOf, pageQuery } from '../http/page.js';
import { textSuchAs } from '../http/schemas.js';
import { ADDRESSES_MAX } from './networks.js';

/* Searches of networks for devices: what goes in, and what they found. */

const network = z
  .union([z.cidrv4(), z.cidrv6()])
  .describe('In CIDR form')
  .meta({ examples: ['192.0.2.0/24'] });

/** A device has its API at one port, and two or three firmwares moved it. */
const PORTS_MAX = 4;

/** A device blocks the gateway after 10 refused logins; its own account must keep most of them. */
const CREDENTIALS_MAX = 3;

/** Devices that one request registers, one after the other. */
const ACCEPTED_MAX = 200;

const pace = z.strictObject({
  atOnce: z.number().int().min(1).max(64).default(32).describe('Addresses that are asked at the same time'),
  perSecond: z.number().int().min(5).max(200).default(50).describe('Addresses whose turn begins in a second'),
});

export const discoveryInput = z
  .strictObject({
    networks: z.array(network).min(1).max(64).describe(`At most ${ADDRESSES_MAX} addresses in all, as in a /20`),
    ports: z
      .array(z.number().int().min(1).max(65_535))
      .min(1)
      .max(PORTS_MAX)
      .default([443, 80])
      .transform((ports) => [...new Set(ports)])
      .describe('In this order, until a device answers. Port 80 is asked by http, every other one by https'),
    credentials: z
      .array(credentialsInput)
      .min(1)
      .max(CREDENTIALS_MAX)
      .optional()
      .describe(
        'Sent once to each new device, in this order until one is accepted, and never over http. Absent: no login. ' +
          'Whatever answers like a device gets them, so use them only in networks that you trust',
      ),
    pace: pace.default(pace.parse({})),
  })
  .meta({ id: 'StartDiscovery' });
export type DiscoveryInput = z.output<typeof discoveryInput>;

export const DISCOVERY_STATES = ['queued', 'running', 'finished', 'cancelled', 'failed'] as const;

const count = z.number().int();

export const discoveryView = z
  .object({
    id: z.uuid(),
    state: z.enum(DISCOVERY_STATES),
    networks: z.array(textSuchAs('192.0.2.0/24')),
    ports: z.array(count),
    pace: z.object({ atOnce: count, perSecond: count }),
    addresses: count.describe('Addresses of the networks'),
    searched: count.describe('Of them, those that are done'),
    found: z.object({
      devices: count.describe('Addresses at which a device answered'),
      others: count.describe('Addresses at which something else answered'),
    }),
    logins: z.object({ granted: count, refused: count, unclear: count }).describe('Logins that were sent'),
    failure: z
      .enum(['starter_may_not', 'quarantined', 'secret_unreadable'])
      .nullable()
      .describe(
        'Why it failed: its starter may no longer search, three processes were lost with it, or its credentials do not open',
      ),
    createdByName: z.string(),
    createdAt: instant,
    startedAt: instant.nullable(),
    endedAt: instant.nullable(),
  })
  .meta({ id: 'Discovery' });
export type DiscoveryView = z.input<typeof discoveryView>;

export const discoveryPage = pageOf(discoveryView);

export const foundQuery = pageQuery.extend({
  kind: z.enum(['device', 'other']).optional().describe('What answered; absent: both'),
  known: z.stringbool().optional().describe('Whether it is a device of the registry that you see; absent: both'),
  login: z.enum(['granted', 'refused', 'unclear', 'none']).optional().describe('The last login; absent: any'),
});
export type FoundQuery = z.output<typeof foundQuery>;

const certificate = z.object({
  subject: textSuchAs('CN=192.0.2.7'),
  issuer: textSuchAs('CN=192.0.2.7'),
  notAfter: z.iso.datetime().nullable(),
  fingerprint: textSuchAs('9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08').describe(
    'SHA-256 of the certificate, in hex',
  ),
});

const findView = z
  .object({
    id: z.uuid(),
    address: textSuchAs('192.0.2.7'),
    port: count,
    baseUrl: textSuchAs('https://192.0.2.7'),
    kind: z.enum(['device', 'other']).describe('`other`: something answers that was not recognised as a device'),
    reason: z.string().nullable().describe('Why it was not recognised'),
    pin: textSuchAs('sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=')
      .nullable()
      .describe('Of the key that it showed'),
    certificate: certificate.nullable(),
    name: z.string().nullable().describe('As it calls itself'),
    model: textSuchAs('RUTX50').nullable(),
    identifier: textSuchAs('1112223334').nullable().describe('As it says without a login: mostly the serial number'),
    apiVersion: textSuchAs('1.9.2').nullable(),
    login: z.enum(['granted', 'refused', 'unclear']).nullable().describe('The last login; null: none was sent'),
    serial: textSuchAs('1112223334').nullable().describe('Shown after a login, as `mac` and `firmware`'),
    mac: textSuchAs('00:1e:42:00:00:01').nullable(),
    firmware: textSuchAs('RUTX_R_00.07.24.2').nullable(),
    known: z
      .object({
        deviceId: z.uuid(),
        by: z.enum(['baseUrl', 'serial', 'mac']),
        pinMatches: z.boolean().describe('Whether it showed the key that the registry has pinned'),
      })
      .nullable()
      .describe('The device of the registry that it is, or claims to be; null: none that you see'),
    seenAt: instant,
  })
  .meta({ id: 'DiscoveredAddress' });
export type FindView = z.input<typeof findView>;

export const findPage = pageOf(findView);

export const acceptInput = z
  .strictObject({
    found: z
      .array(z.uuid())
      .min(1)
      .max(ACCEPTED_MAX)
      .transform((ids) => [...new Set(ids)])
      .describe('Ids of what was found'),
    tags: registerInput.shape.tags,
    site: registerInput.shape.site,
    credentials: credentialsInput
      .optional()
      .describe('Of all these devices. Absent: those of your search that the device accepted, or none'),
  })
  .meta({ id: 'AcceptDiscovered' });
export type AcceptFindsInput = z.output<typeof acceptInput>;

export const acceptView = z
  .object({
    items: z.array(
      z.object({
        found: z.uuid(),
        outcome: z
          .enum(['accepted', 'known', 'refused'])
          .describe('`known`: it was a device of the registry already, and nothing changed'),
        deviceId: z.uuid().nullable(),
        code: textSuchAs('device_exists').nullable().describe('Why it was refused: docs/reference/errors.md'),
        detail: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'AcceptedDevices' });
export type AcceptedItem = z.input<typeof acceptView>['items'][number];
