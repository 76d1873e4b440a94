import { DataSource } from 'typeorm';
import { AuditLog } from '../../src/audit/log/audit-log.js';
import { Audit } from '../../src/audit/entries/audit.js';
import { Sequencer } from '../../src/audit/log/sequencer.js';
import { type VerifyOptions } from '../../src/audit/log/verification.js';
import { type Finding, type Summary } from '../../src/audit/log/verify-lines.js';
import { Verifier } from '../../src/audit/log/verifier.js';
import { systemActor } from '../../src/platform/actor.js';
import { type Clock } from '../../src/platform/clock.js';
import { pooledClients } from '../../src/database/database.js';
import { appTerms } from '../../src/database/connection/session-terms.js';
import { Secrets } from '../../src/secrets/secrets.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { FakeClock } from '../support/fake-clock.js';

const AUDIT_CONFIG = {
  AUDIT_KEY_FILE: undefined,
  AUDIT_ORIGIN: 'fleetgate/audit/test',
  AUDIT_CHECKPOINT_SECONDS: 10,
};

/** The parts of a replica that write and prove the audit. */
export interface AuditReplica {
  /** As the application connects. */
  readonly db: DataSource;
  readonly audit: Audit;
  readonly log: AuditLog;
  readonly sequencer: Sequencer;
  readonly verifier: Verifier;
  close(): Promise<void>;
}

/** A database with an audit in it, and somebody who may do anything to it behind the application's back. */
export interface AuditWorld extends AuditReplica {
  readonly clock: FakeClock;
  readonly url: string;
  readonly owner: DataSource;
  /** Another process on the same database. @param own its clock, where that is another one than the world's */
  replica(own?: Clock): Promise<AuditReplica>;
  /** Verifies; @returns what was found, and the summary. */
  verify(options?: VerifyOptions): Promise<{ findings: Finding[]; summary: Summary }>;
  /** Writes `count` acts: an entry each, and its outcome in a transaction of its own. @returns the ids of the entries */
  act(count: number): Promise<string[]>;
}

/**
 * @param given a database with a history in it, instead of an empty one
 * @param archive the folder of archived segments; without one, none is there
 */
export async function openAuditWorld(
  given?: TestDatabase,
  clock = new FakeClock(),
  archive = '/folder/that/is/not/there',
): Promise<AuditWorld> {
  const database = given ?? (await freshDatabase());
  const owner = await new DataSource({ type: 'postgres', url: database.url, extra: { max: 2 } }).initialize();
  const replicas: AuditReplica[] = [];
  const replica = async (own: Clock = clock) => {
    const made = await openReplica(database.url, own, archive);
    replicas.push(made);
    return made;
  };
  const first = await replica();
  return {
    ...first,
    clock,
    owner,
    url: database.url,
    replica,
    verify: (options) => verifyWith(first.verifier, options),
    async act(count) {
      const ids: string[] = [];
      for (let index = 0; index < count; index++) {
        const id = await first.audit.open({
          actor: systemActor('test'),
          action: 'device.call_write',
          subject: `PUT /api/thing/${index}`,
          facts: { requested: { value: index } },
        });
        await first.audit.close(id, 'succeeded', { answer: { status: 200 } });
        ids.push(id);
      }
      return ids;
    },
    async close() {
      for (const one of replicas) await one.close();
      await owner.destroy();
      await database.drop();
    },
  };
}

async function openReplica(url: string, clock: Clock, archive: string): Promise<AuditReplica> {
  const db = await new DataSource({
    type: 'postgres',
    url,
    extra: { max: 4, ...pooledClients(appTerms()) },
  }).initialize();
  const secrets = new Secrets(Buffer.alloc(32, 7));
  await secrets.load(db);
  const log = new AuditLog(db, secrets, AUDIT_CONFIG);
  const audit = new Audit(db, clock);
  const notifications = { notify: () => Promise.resolve() };
  return {
    db,
    audit,
    log,
    sequencer: new Sequencer(db, log, clock, notifications, AUDIT_CONFIG, audit),
    verifier: new Verifier(db, log, audit, clock, { AUDIT_ARCHIVE_DIR: archive, DATA_DIR: archive }),
    close: () => db.destroy(),
  };
}

export async function verifyWith(
  verifier: Verifier,
  options: VerifyOptions = {},
): Promise<{ findings: Finding[]; summary: Summary }> {
  const findings: Finding[] = [];
  for await (const line of verifier.lines(options)) {
    if (line.type === 'finding') findings.push(line);
    if (line.type === 'summary') return { findings, summary: line };
  }
  throw new Error('The verification ended without a summary');
}
