import { DataSource } from 'typeorm';
import { type Client } from 'pg';
import { createWriteStream } from 'node:fs';
import { link, mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Audit } from '../audit/entries/audit.js';
import { AuditLog } from '../audit/log/audit-log.js';
import { Verifier } from '../audit/log/verifier.js';
import { type Finding, type Summary } from '../audit/log/verify-lines.js';
import { systemActor } from '../platform/actor.js';
import { SystemClock } from '../platform/clock.js';
import { type GatewayConfig } from '../platform/config.js';
import { type DatabaseUrls, rowsOptions } from '../database/database.js';
import { rootKeyId, type RootKeys } from '../secrets/root-keys.js';
import { Secrets } from '../secrets/secrets.js';
import { type Manifest } from './archive-format.js';
import { createLog } from '../platform/log.js';
import { hasRootKey, placeRootKey, readRootKeyFile, readRootKeys } from '../secrets/root-key-source.js';

/** What the audit of a restored installation says of itself. */
export interface RestoreProof {
  readonly summary: Summary;
  /** The first ones. */
  readonly findings: readonly Finding[];
}

const FINDINGS_SHOWN = 20;

/** Also notes the restore in the audit. @throws Error when the root key or the log's key does not open */
export async function proveRestored(
  config: GatewayConfig,
  urls: DatabaseUrls,
  rootKeys: RootKeys,
  manifest: Manifest,
): Promise<RestoreProof> {
  const db = new DataSource(rowsOptions(urls, config));
  await db.initialize();
  const secrets = new Secrets(rootKeys);
  try {
    await secrets.load(db);
    const clock = new SystemClock();
    const audit = new Audit(db, clock);
    const proof = await verify(new Verifier(db, new AuditLog(db, secrets, config), audit, clock, config));
    await audit.record(db.manager, {
      actor: systemActor('restore'),
      action: 'installation.restore',
      subject: 'installation',
      facts: { backupOf: manifest.madeAt, version: manifest.version, auditHolds: proof.summary.holds },
    });
    return proof;
  } finally {
    await secrets.leave();
    await db.destroy();
  }
}

async function verify(verifier: Verifier): Promise<RestoreProof> {
  const findings: Finding[] = [];
  for await (const line of verifier.lines()) {
    if (line.type === 'finding' && findings.length < FINDINGS_SHOWN) findings.push(line);
    if (line.type === 'summary') return { summary: line, findings };
  }
  throw new Error('The verification of the audit ended early');
}

/**
 * Finds the root key of a restored installation; a copy that is given goes to its place in DATA_DIR.
 * @param neededIds the root keys that open the backup's secrets
 * @returns null when no key is there yet
 * @throws Error when the key that is there is another one
 */
export async function findRootKey(
  config: GatewayConfig,
  copy: string | undefined,
  neededIds: readonly string[],
): Promise<RootKeys | null> {
  if (copy !== undefined) await putInPlace(config, copy, neededIds);
  if (!hasRootKey(config)) return null;
  const keys = await readRootKeys(config, createLog('silent'), neededIds[0] ?? null);
  const missing = neededIds.filter((id) => !keys.opens(id));
  if (missing.length === 0) return keys;
  throw new Error(
    `The secrets of the backup need the root key ${missing.join(', ')}, and the key of this installation is ` +
      `${keys.ids.join(', ')}. Set FLEETGATE_KEY or FLEETGATE_KEY_FILE to that key, or copy it to DATA_DIR.`,
  );
}

async function putInPlace(config: GatewayConfig, copy: string, neededIds: readonly string[]): Promise<void> {
  const key = await readRootKeyFile(copy);
  const id = rootKeyId(key);
  if (!neededIds.includes(id)) {
    throw new Error(`${copy} has the root key ${id}, and the backup needs ${neededIds.join(', ')}.`);
  }
  if (!hasRootKey(config)) await placeRootKey(config, key); // another one is refused by the caller
}

/*
 * Rows that must change when they are restored in another place and time. All of this is in the transaction of the
 * restore.
 */

/**
 * Devices went on after the backup was made, and what was sent to them since is not in it. Until a person has looked,
 * nothing is written to any of them. Sign-ins of that time end.
 * @param madeAt when the backup was made, in ISO 8601
 */
export async function holdBack(db: Client, madeAt: string): Promise<void> {
  await db.query('delete from operator_session');
  await db.query(
    `insert into lock (id, kind, target, reason, created_at, created_by, created_by_name, ends_at)
     values (gen_random_uuid(), 'writes', null, $1, now(), 'system:restore', 'restore', null)`,
    [`Restored from the backup of ${madeAt}. Compare jobs and devices, then lift this lock.`],
  );
}

/**
 * Places of events are transaction numbers of the server that they were written on. On this server they would lie in the
 * future, where no webhook and no stream finds what comes after them: all events move into the transaction of the restore,
 * in their order. A webhook goes on with the first event that it has not passed.
 */
export async function moveEvents(db: Client): Promise<void> {
  await db.query(
    `update webhook set seen_id = coalesce(
       (select min(id) - 1 from event where (tx, id) > (webhook.seen_tx, webhook.seen_id)), (select max(id) from event), 0)`,
  );
  await db.query('update webhook set seen_tx = pg_current_xact_id()');
  await db.query('update webhook_delivery set event_tx = pg_current_xact_id() where event_tx is not null');
  await db.query('update event set tx = pg_current_xact_id()');
}

/**
 * Receivers were told of the alerts in the backup, or the news is old by now: they are told what changes from here on, and
 * notifications that wait are dropped.
 */
export async function dropNotifications(db: Client): Promise<void> {
  await db.query(`delete from webhook_delivery where type = 'rule.notified' and state = 'waiting'`);
  await db.query('delete from alert_told');
  await db.query(
    `insert into alert_told (webhook_id, rule_id, device_id)
     select webhook.id, rule_id, device_id from webhook cross join alert
      where 'rule.notified' = any(webhook.types) and alert.state = 'open'`,
  );
  await db.query('update webhook set doubt_told = false');
}

/** Alertmanagers have states, not news. Until the devices were checked again, a state of the backup may be an old one. */
export async function holdAlerts(db: Client): Promise<void> {
  await db.query(
    `update alert set forwarded_at = case state when 'open' then now() + interval '15 minutes' end where state <> 'pending'`,
  );
}

/** Archived segments of the audit, written under temporary names until the complete backup has been compared. */
export class RestoredSegments {
  private readonly names: string[] = [];

  /** @param folder where archived segments are */
  constructor(private readonly folder: string) {}

  async take(name: string, bytes: Readable): Promise<void> {
    if (!/^\w[\w.-]{0,200}$/.test(name)) throw new Error('The backup contains an audit segment with a wrong name');
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    this.names.push(name);
    await pipeline(bytes, createWriteStream(this.draftOf(name), { mode: 0o600, flush: true }));
  }

  /** Gives the files their names. @throws Error where another file has the name: a restore overwrites nothing */
  async place(): Promise<void> {
    for (const name of this.names) {
      const file = path.join(this.folder, name);
      try {
        await link(this.draftOf(name), file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        const [there, restored] = await Promise.all([readFile(file), readFile(this.draftOf(name))]);
        if (there.equals(restored)) continue;
        throw new Error(`${file} already exists with other bytes: set AUDIT_ARCHIVE_DIR to an empty folder.`, {
          cause: error,
        });
      }
    }
  }

  /** Removes what was written beside the names. */
  async tidyUp(): Promise<void> {
    for (const name of this.names) await rm(this.draftOf(name), { force: true });
  }

  private draftOf(name: string): string {
    return path.join(this.folder, `${name}.restored`);
  }
}
