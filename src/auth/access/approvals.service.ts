import { createHash, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { newestRows } from '../../http/newest-first.js';
import { type Page } from '../../http/page.js';
import { type Principal } from './access.js';
import { type Approval, type ApprovalQuery } from './approvals.contract.js';
import { inSight } from '../rights/in-sight.js';
import { type Permission } from '../rights/permissions.js';

/*
 * Approval by a second person. A request that writes to more devices than APPROVAL_DEVICES is not executed; its digest
 * is stored. Another person approves it. Then the requester sends the same request again with the approval's id. An
 * approval is valid once, for a day, and for the devices at the time of the request: the selector may match others
 * later.
 */

const VALID_MS = 24 * 3_600_000;

export interface LargeRequest {
  readonly action: Permission;
  /** The complete request; its digest is approved. */
  readonly request: unknown;
  /** The summary for the second person; no secret. */
  readonly summary: Record<string, unknown>;
  readonly deviceIds: readonly string[];
}

/** @param devices SQL for the number of devices to report */
const columns = (
  devices: string,
) => `id, action, state, summary, encode(digest, 'hex') as digest, ${devices} as devices,
  requested_by as "requestedBy", requested_by_name as "requestedByName", requested_at as "requestedAt",
  expires_at as "expiresAt", decided_by as "decidedBy", decided_by_name as "decidedByName", decided_at as "decidedAt",
  used_at as "usedAt"`;

const COLUMNS = columns('devices');

type Reader = Pick<Principal, 'operatorId' | 'rights'>;

@Injectable()
export class Approvals {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'APPROVAL_DEVICES'>,
  ) {}

  /**
   * Accepts a request that is small enough, or that a second person has approved (once).
   * @param approvalId the approval's id as sent by the caller
   * @param fence called just before the approval is used up; when it throws, the approval stays unused
   * @throws AppError `approval_required` with the id of the approval to wait for; `approval_not_found`,
   *   `approval_over`, `approval_mismatch`
   */
  async require(
    large: LargeRequest,
    actor: Principal,
    approvalId: string | undefined,
    fence?: () => void,
  ): Promise<void> {
    const { APPROVAL_DEVICES: limit } = this.config;
    if (limit === 0 || large.deviceIds.length <= limit) return;
    if (approvalId === undefined) throw await this.request(large, actor);
    await this.use(large, actor, approvalId, fence);
  }

  /** @throws AppError `approval_not_found`, also when the caller can see none of its devices */
  async get(id: string, reader: Reader, tx: EntityManager = this.db.manager): Promise<Approval> {
    const values: unknown[] = [id];
    const { shown, seen } = this.sightOf(reader, values);
    const [row] = await tx.query<Approval[]>(`select ${shown} from approval where id = $1 and ${seen}`, values);
    if (!row) throw new AppError('approval_not_found');
    return row;
  }

  /** Newest first, without approvals of which the caller can see no device. */
  list(query: ApprovalQuery, reader: Reader): Promise<Page<Approval>> {
    const values: unknown[] = [query.state ?? null];
    const { shown, seen } = this.sightOf(reader, values);
    const sql = `select ${shown} from approval where ($1::text is null or state = $1) and ${seen}`;
    const time = ['requested_at', (approval: Approval) => approval.requestedAt] as const;
    return newestRows<Approval>(this.db, 'approvals', query, { sql, values, time });
  }

  /** SQL for the caller's view of approvals: devices that the caller cannot see are not counted. */
  private sightOf({ rights, operatorId }: Reader, values: unknown[]): { shown: string; seen: string } {
    if (rights.scope('device.read') === null) return { shown: COLUMNS, seen: 'true' };
    const inside = inSight(rights, 'named.id', values, this.clock.now());
    const named = `from unnest(device_ids) as named (id) where ${inside}`;
    values.push(operatorId);
    return {
      shown: columns(`(select count(*)::int ${named})`),
      seen: `(requested_by = $${values.length}::uuid or exists (select ${named}))`,
    };
  }

  /** @throws AppError `approval_not_found`, `approval_over`, `approval_own`, `forbidden` for devices out of sight */
  async decide(id: string, state: 'approved' | 'rejected', actor: Principal): Promise<Approval> {
    return this.db.transaction(async (tx) => {
      const { devices: seen } = await this.get(id, actor, tx);
      const approval = await this.lockRow(tx, id);
      if (state === 'approved' && seen < (await this.countExisting(tx, approval)))
        throw new AppError('forbidden', { permission: 'device.read' });
      if (state === 'approved' && approval.requestedBy === actor.operatorId) throw new AppError('approval_own');
      if (approval.state !== 'pending' || approval.expiresAt <= this.clock.now()) throw new AppError('approval_over');
      await this.settle(tx, approval, state, actor);
      return this.get(id, actor, tx);
    });
  }

  private async countExisting(tx: EntityManager, { id, devices }: Approval): Promise<number> {
    const [{ there }] = await tx.query<[{ there: number }]>(
      `select count(*)::int as there from approval, unnest(device_ids) as named (id) join device on device.id = named.id
        where approval.id = $1`,
      [id],
    );
    return Math.min(there, devices);
  }

  private async settle(
    tx: EntityManager,
    approval: Approval,
    state: 'approved' | 'rejected',
    actor: Principal,
    why = {},
  ) {
    await tx.query(
      `update approval set state = $2, decided_by = nullif($3::uuid, requested_by), decided_by_name = $4, decided_at = $5
        where id = $1`,
      [approval.id, state, actor.operatorId, actor.name, this.clock.now()],
    );
    await this.audit.record(tx, {
      actor,
      action: state === 'approved' ? 'approval.approve' : 'approval.reject',
      subject: `approval:${approval.id}`,
      facts: { ...factsOf(approval), ...why },
    });
  }

  /** A repeated request for the same devices gets the same pending approval. */
  private async request(large: LargeRequest, actor: Principal): Promise<AppError> {
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + VALID_MS);
    const { action, deviceIds, summary } = large;
    const approval = await this.db.transaction(async (tx) => {
      await this.withdrawOthers(tx, large, actor);
      const [row] = await tx.query<Approval[]>(
        `insert into approval (id, action, digest, summary, devices, device_ids, requested_by, requested_by_name, requested_at, expires_at)
         values ($1, $2, $3, $4, cardinality($5::uuid[]), $5, $6, $7, $8, $9)
         on conflict (requested_by, action, digest) where state = 'pending' do update
            set requested_at = excluded.requested_at, expires_at = excluded.expires_at
         returning ${COLUMNS}`,
        [randomUUID(), action, digestOf(large), summary, deviceIds, actor.operatorId, actor.name, now, expiresAt],
      );
      const facts = factsOf(row!);
      await this.audit.record(tx, { actor, action: 'approval.ask', subject: `approval:${row!.id}`, facts });
      return row!;
    });
    return new AppError('approval_required', {
      approvalId: approval.id,
      devices: deviceIds.length,
      limit: this.config.APPROVAL_DEVICES,
      expiresAt: approval.expiresAt.toISOString(),
    });
  }

  /** The second person may have read the request, so the devices of a pending approval must not change. */
  private async withdrawOthers(tx: EntityManager, large: LargeRequest, actor: Principal): Promise<void> {
    const [other] = await tx.query<Approval[]>(
      `select ${COLUMNS} from approval
        where requested_by = $1 and action = $2 and digest = $3 and state = 'pending'
          and array(select unnest(device_ids) order by 1) <> array(select unnest($4::uuid[]) order by 1) for update`,
      [actor.operatorId, large.action, digestOf(large), large.deviceIds],
    );
    if (other) await this.settle(tx, other, 'rejected', actor, { why: 'requested again for other devices' });
  }

  private async use(large: LargeRequest, actor: Principal, id: string, fence?: () => void): Promise<void> {
    await this.db.transaction(async (tx) => {
      const approval = await this.lockRow(tx, id);
      if (approval.requestedBy !== actor.operatorId) throw new AppError('approval_not_found');
      const isSame = approval.action === large.action && approval.digest === digestOf(large).toString('hex');
      const others = isSame ? await this.countUnnamed(tx, id, large.deviceIds) : 0;
      if (!isSame || others > 0) {
        const devices = large.deviceIds.length;
        throw new AppError('approval_mismatch', { approvedDevices: approval.devices, devices, notApproved: others });
      }
      if (approval.state !== 'approved' || approval.expiresAt <= this.clock.now()) {
        throw new AppError('approval_over', { state: approval.state, expiresAt: approval.expiresAt.toISOString() });
      }
      await tx.query(`update approval set state = 'used', used_at = $2 where id = $1`, [id, this.clock.now()]);
      await this.audit.record(tx, {
        actor,
        action: 'approval.use',
        subject: `approval:${id}`,
        facts: { ...factsOf(approval), approvedBy: approval.decidedByName, devices: large.deviceIds.length },
      });
      fence?.();
    });
  }

  /** The number of these devices that the approval does not contain. */
  private async countUnnamed(tx: EntityManager, id: string, deviceIds: readonly string[]): Promise<number> {
    const [row] = await tx.query<[{ others: number }]>(
      `select count(*)::int as others
         from (select unnest($2::uuid[]) except select unnest(device_ids) from approval where id = $1) as other`,
      [id, deviceIds],
    );
    return row.others;
  }

  private async lockRow(tx: EntityManager, id: string): Promise<Approval> {
    const [row] = await tx.query<Approval[]>(`select ${COLUMNS} from approval where id = $1 for update`, [id]);
    if (!row) throw new AppError('approval_not_found');
    return row;
  }
}

const factsOf = ({ action, digest, devices, summary, requestedByName }: Approval) => ({
  action,
  digest,
  devices,
  summary,
  requestedBy: requestedByName,
});

const digestOf = ({ request }: LargeRequest): Buffer => createHash('sha256').update(JSON.stringify(request)).digest();
