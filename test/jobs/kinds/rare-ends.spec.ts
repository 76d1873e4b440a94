import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PATHS } from '../../../src/device-api/contract.js';
import { type JobKind } from '../../../src/jobs/kind-api/kind.js';
import { type OwnAccount, type StoredArtifact } from '../../../src/jobs/kind-api/step-context.js';
import { JOB_KINDS } from '../../../src/jobs/kinds/index.js';
import { AppError } from '../../../src/platform/errors.js';
import { FAMILIES, NEWEST_VENDOR_FIRMWARE, firmwareName } from '../../../src/simulator/device/families.js';
import { PaperDevice, refused, unknown } from '../../support/devices/paper-device.js';
import { PROJECT } from '../../support/source/project.js';

/*
 * Ends of jobs that no simulated device comes to by itself, each on a device on paper. The last test goes through
 * docs/reference/job-kinds.md: an end that is promised there has a test that names it.
 */

const ARTIFACT_ID = '7c0f7f4a-5f0e-4d0e-9a55-0d5f5b1c2f10';
const SHA256 = 'a'.repeat(64);
const NEW = firmwareName(FAMILIES.RUTX50, NEWEST_VENDOR_FIRMWARE);
const SERVICE = '/api/interfaces/status';

const kindOf = (name: string): JobKind => JOB_KINDS.get(name)!;
const lost = () => {
  throw new AppError('device_outcome_unknown');
};
const nothing = () => ({});

function artifact(fields: Partial<StoredArtifact>): StoredArtifact {
  return {
    id: ARTIFACT_ID,
    sha256: SHA256,
    bytes: 1_000,
    kind: 'file',
    name: 'file.bin',
    deviceId: 'device-1',
    jobId: null,
    version: null,
    models: [],
    hardware: [],
    minimumVersion: null,
    isImage: null,
    signedBy: null,
    signature: null,
    createdBy: null,
    createdByName: null,
    confirmedAt: null,
    createdAt: new Date(0),
    ...fields,
  };
}

/** One way to end: `outcome code`, and how the device gets there. */
interface Row {
  readonly ends: string;
  readonly when: string;
  readonly given: (device: PaperDevice) => unknown;
  readonly spec?: object;
}

/** Says which test of a table fails by the end that it is about. */
function itEnds(name: string, prepare: (device: PaperDevice) => object, rows: readonly Row[]): void {
  it.each(rows.map((row) => [row.ends, row.when, row] as const))('%s: %s', async (_ends, _when, row) => {
    const device = new PaperDevice();
    const spec = { ...prepare(device), ...row.spec };
    row.given(device);
    const { ends, end } = await device.run(kindOf(name), spec);
    expect(ends).toBe(row.ends);
    expect(end.failure!.message).not.toBe('');
  });
}

/** What meets a gateway whose device went away and came back otherwise, after the request that sent it away. */
const RETURNS: readonly (Omit<Row, 'given'> & { readonly back: (device: PaperDevice) => unknown })[] = [
  {
    ends: 'failed factory_settings',
    when: 'it asks for a first password',
    back: (device) => (device.trouble = () => refused(403, 125)),
  },
  {
    ends: 'unknown never_came_back',
    when: 'nothing answers',
    back: (device) => (device.trouble = () => new AppError('device_unreachable')),
  },
  {
    ends: 'unknown came_back_broken',
    when: 'it answers nonsense',
    back: (device) => (device.trouble = () => new AppError('device_answer_invalid')),
  },
  {
    ends: 'unknown another_certificate',
    when: 'it shows another key',
    back: (device) => (device.trouble = () => new AppError('device_trust_changed')),
  },
];

describe('an upgrade of the firmware ends as', () => {
  const report = { valid: '1', hw_support: '1', authorized: '1', newer: '1', allow_backup: '1', fw_version: NEW };

  const prepare = (device: PaperDevice) => {
    device.artifact = artifact({ kind: 'firmware', name: 'image.bin' });
    device.on(`POST ${PATHS.uploadFirmware}`, () => report).on(`POST ${PATHS.deleteFirmware}`, nothing);
    return { artifactId: ARTIFACT_ID, backup: 'skip' };
  };
  const upgraded = (device: PaperDevice, after: () => unknown) =>
    device.on(`POST ${PATHS.upgradeFirmware}`, () => {
      after();
      return {};
    });
  const VENDOR = { source: 'vendor', artifactId: undefined };

  itEnds('firmware', prepare, [
    ...RETURNS.map(({ back, ...row }) => ({
      ...row,
      given: (device: PaperDevice) => upgraded(device, () => back(device)),
    })),
    {
      ends: 'failed came_back_other',
      when: 'it runs a version that nobody wanted',
      given: (device) => upgraded(device, () => device.restart('RUTX_R_00.07.99.1')),
    },
    {
      ends: 'failed fell_back',
      when: 'the new version was there for a moment',
      given: (device) => {
        const { version } = device;
        device.onLogin = () => device.restart(version);
        return upgraded(device, () => device.restart(NEW));
      },
    },
    {
      ends: 'failed services_missing',
      when: 'a service that answered before does not any more',
      given: (device) => {
        device.on(`GET ${SERVICE}`, () => []);
        return upgraded(device, () => {
          device.restart(NEW);
          device.on(`GET ${SERVICE}`, () => {
            throw unknown();
          });
        });
      },
    },
    {
      ends: 'unknown version_unreadable',
      when: 'it does not tell its version',
      given: (device) =>
        upgraded(device, () => {
          device.restart();
          device.version = null;
        }),
    },
    {
      ends: 'not_executed image_broken_on_the_way',
      when: 'other bytes arrive each time',
      given: (device) => device.on(`POST ${PATHS.uploadFirmware}`, () => ({ ...report, sha256: 'b'.repeat(64) })),
    },
    {
      ends: 'not_executed settings_not_kept',
      when: 'it cannot keep its settings',
      given: (device) => device.on(`POST ${PATHS.uploadFirmware}`, () => ({ ...report, allow_backup: '0' })),
    },
    {
      ends: 'not_executed nothing_to_fetch',
      when: 'the vendor has none after all',
      spec: VENDOR,
      given: (device) =>
        device
          .on(`GET ${PATHS.firmwareUpdates}`, () => ({ device: { version: NEW } }))
          .on(`POST ${PATHS.fetchFirmware}`, () => {
            throw refused(422, 7);
          }),
    },
    {
      ends: 'not_executed no_internet',
      when: 'the device never has a way to its vendor',
      spec: VENDOR,
      given: (device) =>
        device.on(`GET ${PATHS.firmwareUpdates}`, () => {
          throw refused(422, 15);
        }),
    },
  ]);
});

describe('a restart ends as', () => {
  const restarted = (device: PaperDevice, after: () => unknown) =>
    device.on(`POST ${PATHS.reboot}`, () => {
      after();
      return {};
    });

  itEnds('reboot', () => ({}), [
    ...RETURNS.map(({ back, ...row }) => ({
      ...row,
      given: (device: PaperDevice) => restarted(device, () => back(device)),
    })),
    {
      ends: 'failed factory_settings',
      when: 'it refuses the credentials',
      given: (device) => restarted(device, () => (device.trouble = () => new AppError('device_credentials_refused'))),
    },
    {
      ends: 'not_executed restart_not_begun',
      when: 'the answer was lost and it runs on',
      given: (device) => device.on(`POST ${PATHS.reboot}`, lost),
    },
    { ends: 'failed nothing_restarted', when: 'it said OK and runs on', given: (device) => restarted(device, nothing) },
    {
      ends: 'unknown another_device',
      when: 'another one answers',
      given: (device) => restarted(device, () => (device.serial = 'S-2')),
    },
    {
      ends: 'unknown no_uptime',
      when: 'it does not tell its uptime',
      given: (device) => {
        device.tellsUptime = false;
        return restarted(device, nothing);
      },
    },
  ]);
});

describe('a restore ends as', () => {
  const prepare = (device: PaperDevice) => {
    device.artifact = artifact({ kind: 'backup', name: 'backup.tar.gz' });
    device.on(`POST ${PATHS.uploadBackup}`, nothing);
    return { artifactId: ARTIFACT_ID };
  };
  const restored = (device: PaperDevice, after: () => unknown) =>
    device.on(`POST ${PATHS.applyBackup}`, () => {
      after();
      return {};
    });
  const damaged = (code: 'artifact_damaged' | 'artifact_changed'): Row => ({
    ends: `not_executed ${code}`,
    when: 'the store says so',
    given: (device) =>
      device.on(`POST ${PATHS.uploadBackup}`, () => {
        throw new AppError(code);
      }),
  });

  itEnds('restore', prepare, [
    ...RETURNS.map(({ back, ...row }) => ({
      ...row,
      given: (device: PaperDevice) => restored(device, () => back(device)),
    })),
    damaged('artifact_damaged'),
    damaged('artifact_changed'),
    {
      ends: 'not_executed artifact_not_found',
      when: 'the backup is not in the store any more',
      given: (device) => (device.artifact = null),
    },
    {
      ends: 'not_executed backup_broken_on_the_way',
      when: 'other bytes arrive',
      given: (device) => device.on(`POST ${PATHS.uploadBackup}`, () => ({ sha256: 'b'.repeat(64) })),
    },
    {
      ends: 'unknown another_device',
      when: 'another one takes the login in the end',
      given: (device) => {
        device.onLogin = () => (device.serial = 'S-2');
        return restored(device, () => device.restart());
      },
    },
    {
      ends: 'unknown no_uptime',
      when: 'it does not tell its uptime',
      given: (device) => {
        device.tellsUptime = false;
        return restored(device, nothing);
      },
    },
  ]);
});

describe('a guarded change ends as', () => {
  const NTP = '/api/ntp/global';
  const update = { action: 'update', path: NTP, data: { interval: '7200' } };
  const TWO = [update, { action: 'update', path: '/api/snmp/global', data: { port: '161' } }];

  /** Its configuration, read and written by bulk requests; `take` decides what becomes of a write. */
  const holding = (device: PaperDevice, items: Record<string, object>, take: (path: string) => boolean) =>
    device.on(`POST ${PATHS.bulk}`, ({ json }) => {
      const { data } = json as { data: { method: string; endpoint: string; data?: object }[] };
      return data.map(({ method, endpoint, data: options }) => {
        const said = { ...items[endpoint], ...options };
        if (method === 'GET') return { success: true, data: items[endpoint] ?? [] };
        if (take(endpoint)) items[endpoint] = said;
        return { success: true, data: said };
      });
    });
  const items = () => ({ [NTP]: { interval: '3600' }, '/api/snmp/global': { port: '160' } });

  itEnds('configure', () => ({ changes: [update] }), [
    {
      ends: 'not_executed cannot_be_undone',
      when: 'an option holds secrets in a list',
      spec: { changes: [{ action: 'delete', path: '/api/wireguard/config/site' }] },
      given: (device) =>
        holding(device, { '/api/wireguard/config/site': { id: 'site', password: ['one', 'two'] } }, () => true),
    },
    {
      ends: 'not_executed too_much_to_keep',
      when: 'a service has too many items to find a new one among them',
      spec: { changes: [{ action: 'create', path: '/api/ntp/servers/config', data: { hostname: 'time.test' } }] },
      given: (device) => {
        const many = Array.from({ length: 600 }, (_, id) => ({ id: String(id), hostname: `${id}.test` }));
        return holding(device, { '/api/ntp/servers/config': many }, () => true);
      },
    },
    {
      ends: 'not_executed too_much_to_keep',
      when: 'what is there is larger than a job may hold',
      spec: { changes: [{ action: 'delete', path: '/api/wireguard/config/site' }], acceptRisk: true },
      given: (device) =>
        holding(device, { '/api/wireguard/config/site': { id: 'site', notes: 'n'.repeat(500_000) } }, () => true),
    },
    {
      ends: 'failed did_not_hold',
      when: 'it accepts all and takes a part',
      spec: { changes: TWO },
      given: (device) => {
        let writes = 0;
        return holding(device, items(), () => ++writes !== 2);
      },
    },
    {
      ends: 'failed answer_lost',
      when: 'the answer was lost, and a part took place',
      spec: { changes: TWO },
      given: (device) => {
        const mine: Record<string, object> = items();
        let hasLost = false;
        device.on(`POST ${PATHS.bulk}`, ({ json }) => {
          const { data } = json as { data: { method: string; endpoint: string; data?: object }[] };
          const isFirstWrite = !hasLost && data[0]!.method !== 'GET';
          if (isFirstWrite) {
            hasLost = true;
            mine[NTP] = { ...mine[NTP], ...data[0]!.data };
            throw new AppError('device_outcome_unknown');
          }
          return data.map(({ method, endpoint, data: options }) => {
            if (method !== 'GET') mine[endpoint] = { ...mine[endpoint], ...options };
            return { success: true, data: mine[endpoint] ?? [] };
          });
        });
      },
    },
    {
      ends: 'unknown another_device',
      when: 'another one answers since the change',
      given: (device) =>
        holding(device, items(), () => {
          device.serial = 'S-2';
          return true;
        }),
    },
  ]);
});

describe('another password ends as', () => {
  const account: OwnAccount = { username: 'admin', isRefused: false, hasLeftover: false };

  const prepare = (device: PaperDevice) => {
    device.on(`GET ${PATHS.users}`, () => [{ id: '2', username: 'admin', group: 'admin' }]);
    const done = () => Promise.resolve();
    device.rotation = {
      account: () => Promise.resolve(account),
      prepare: done,
      change: done,
      prove: () => Promise.resolve('accepted'),
      activate: () => Promise.resolve(true),
      isActivated: () => Promise.resolve(false),
      drop: done,
      stop: done,
      noteRefused: done,
    };
    return {};
  };
  const withAccount = (device: PaperDevice, found: OwnAccount | null) =>
    (device.rotation = { ...device.rotation, account: () => Promise.resolve(found) });

  itEnds('credentials', prepare, [
    { ends: 'not_executed no_account', when: 'there is none', given: (device) => withAccount(device, null) },
    {
      ends: 'not_executed account_is_root',
      when: 'it is root',
      given: (device) => withAccount(device, { ...account, username: 'root' }),
    },
    {
      ends: 'not_executed account_not_on_device',
      when: 'the device lists none of this name',
      given: (device) => device.on(`GET ${PATHS.users}`, () => []),
    },
    {
      ends: 'not_executed logins_spent',
      when: 'a job before left two passwords, and its logins are spent',
      given: (device) => {
        withAccount(device, { ...account, hasLeftover: true });
        device.rotation = { ...device.rotation, prove: () => Promise.resolve('spent') };
      },
    },
    {
      ends: 'unknown logins_spent',
      when: 'both logins had no answer',
      given: (device) => (device.rotation = { ...device.rotation, prove: () => Promise.resolve('spent') }),
    },
    {
      ends: 'failed did_not_hold',
      when: 'the device said OK and takes the old one',
      given: (device) =>
        (device.rotation = {
          ...device.rotation,
          prove: (_purpose, which) => Promise.resolve(which === 'pending' ? 'refused' : 'accepted'),
        }),
    },
    {
      ends: 'failed account_replaced',
      when: 'the registry has another account by now',
      given: (device) => (device.rotation = { ...device.rotation, activate: () => Promise.resolve(false) }),
    },
  ]);
});

describe('a change of accounts ends as', () => {
  const ROOT = { id: '1', username: 'root', group: 'root' };
  const users: object[] = [];

  const prepare = (device: PaperDevice) => {
    users.splice(0, users.length, ROOT);
    device.on(`GET ${PATHS.users}`, () => users).on(`GET ${PATHS.groups}`, () => [{ id: 'user' }]);
    device.on(`POST ${PATHS.users}`, () => {
      users.push({ id: '3', username: 'ops', group: 'user' });
      return {};
    });
    return { accounts: [{ username: 'ops', group: 'user' }] };
  };

  itEnds('users', prepare, [
    {
      ends: 'failed password_refused',
      when: 'the device took a password and refuses the login with it',
      given: (device) => (device.takesPassword = false),
    },
    {
      ends: 'failed did_not_hold',
      when: 'the device took an account and does not have it',
      given: (device) => device.on(`POST ${PATHS.users}`, nothing),
    },
    {
      ends: 'failed answer_lost',
      when: 'the answer was lost three times, and nothing came of it',
      given: (device) => device.on(`POST ${PATHS.users}`, lost),
    },
  ]);
});

describe('an upload of a file ends as', () => {
  const ITEM = '/api/openvpn/config/office';
  const PATH = '/api/certificates/config';
  const into = { path: ITEM, option: 'ca' };

  const prepare = (device: PaperDevice) => {
    let files: { fullname: string }[] = [];
    device.artifact = artifact({ name: 'office.pem' });
    device
      .on(`GET ${ITEM}`, () => ({ id: 'office' }))
      .on(`PUT ${ITEM}`, nothing)
      .on(`GET ${PATHS.certificates}`, () => ({ generated: files, generating: [] }))
      .on(`DELETE ${PATHS.certificates}/office.pem`, () => {
        files = [];
        return {};
      })
      .on(`POST ${PATH}`, () => {
        files = [{ fullname: 'office.pem' }];
        return { path: '/etc/certificates/office.pem' };
      });
    return { artifactId: ARTIFACT_ID, path: PATH, into };
  };

  itEnds('upload', prepare, [
    { ends: 'failed did_not_hold', when: 'the item does not hold the path', given: nothing },
    {
      ends: 'failed answer_lost',
      when: 'the item never answered, and does not hold the path',
      given: (device) => device.on(`PUT ${ITEM}`, lost),
    },
    {
      ends: 'not_executed answer_lost',
      when: 'the file never arrived',
      given: (device) => device.on(`POST ${PATH}`, lost),
    },
    {
      ends: 'unknown answer_lost',
      when: 'the service does not list its files',
      spec: { path: '/api/openvpn/upload' },
      given: (device) => device.on('POST /api/openvpn/upload', lost),
    },
    {
      ends: 'not_executed artifact_not_found',
      when: 'the artifact is not there any more',
      given: (device) => (device.artifact = null),
    },
  ]);
});

describe('a generation of certificates ends as', () => {
  const FILE = 'params.pem';
  const DOWNLOAD = `POST /api/certificates/${FILE}/actions/download`;
  const prepare = (device: PaperDevice) => {
    device
      .on(`GET ${PATHS.certificates}`, () => ({ generated: [], generating: [] }))
      .on(`POST ${PATHS.generateCertificates}`, lost);
    return { type: 'dh', name: 'params' };
  };

  itEnds('certificates', prepare, [
    { ends: 'not_executed answer_lost', when: 'it was ordered three times and nothing was made', given: nothing },
    {
      ends: 'failed answer_lost',
      when: 'nothing was made, and the old files are gone',
      spec: { replace: true },
      given: (device) => {
        let generated = [{ fullname: FILE }];
        return device
          .on(`GET ${PATHS.certificates}`, () => ({ generated, generating: [] }))
          .on(DOWNLOAD, () => 'parameters')
          .on(`DELETE ${PATHS.certificates}/${FILE}`, () => {
            generated = [];
            return {};
          });
      },
    },
  ]);
});

describe('a backup ends as', () => {
  itEnds('backup', () => ({}), [
    {
      ends: 'failed backup_vanished',
      when: 'it is gone before it is fetched, each time',
      given: (device) => {
        device.save = () => Promise.reject(refused(404, 113));
        return device
          .on(`GET ${PATHS.backupStatus}`, () => ({ backup_exists: '0' }))
          .on(`POST ${PATHS.generateBackup}`, () => ({ sha256: SHA256 }));
      },
    },
  ]);
});

describe('a move to another address ends as', () => {
  itEnds('move', () => ({ to: 'https://198.51.100.7' }), [
    {
      ends: 'not_executed trust_proves_nothing',
      when: 'nothing would prove the device there',
      given: (device) => (device.mayFollow = false),
    },
    {
      ends: 'not_executed identity_mismatch',
      when: 'a device with another serial number answers there',
      given: (device) => (device.relocate = () => Promise.resolve('another')),
    },
    {
      ends: 'not_executed address_changed',
      when: 'it is there, and the registry has another address by then',
      given: (device) => (device.relocate = () => Promise.resolve(device.serial)),
    },
  ]);
});

describe('every end of docs/reference/job-kinds.md', () => {
  const documents = readFileSync(new URL('docs/reference/job-kinds.md', PROJECT), 'utf8');
  const folder = new URL('test/jobs/', PROJECT);
  const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.spec.ts'))
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
    .join('\n');
  /** Codes in the second column of the tables of ends. */
  const codes = documents
    .split('\n')
    .filter((line) => /^\|[^|]*\| `[a-z_]+`/.test(line))
    .filter((line) => /^\| (?:`(?:failed|not_executed|unknown)`[^|]*)?\|/.test(line))
    .flatMap((line) => [...line.split('|')[2]!.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code!));

  it('has a test that names it', () => {
    expect(codes.length).toBeGreaterThan(80);
    const untested = [...new Set(codes)].filter((code) => !new RegExp(`\\b${code}\\b`).test(tests));
    expect(untested).toEqual([]);
  });
});
