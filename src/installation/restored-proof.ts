import { DataSource } from 'typeorm';
import { Audit } from '../audit/entries/audit.js';
import { AuditLog } from '../audit/log/audit-log.js';
import { Verifier } from '../audit/log/verifier.js';
import { type Finding, type Summary } from '../audit/log/verify-lines.js';
import { systemActor } from '../platform/actor.js';
import { SystemClock } from '../platform/clock.js';
import { type GatewayConfig } from '../platform/config.js';
import { rowsOptions, type DatabaseUrls } from '../platform/database/database.js';
import { type RootKeys } from '../platform/secrets/root-keys.js';
import { Secrets } from '../platform/secrets/secrets.js';
import { type Manifest } from './archive-format.js';

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
