import { Column, Entity } from 'typeorm';
import { AuthoredRow } from '../../recurring/recurring.js';
import { type RolloutPolicy } from './rollout-policy.js';
import { type PauseCause, type RolloutState } from './rollout-state.js';

/** One change for many devices. Its waves and targets are rows without entities (`engine/rollout-rows.ts`). */
@Entity({ name: 'rollout' })
export class Rollout extends AuthoredRow {
  /** The kind of job for each device and its spec, with `{{device.…}}` in its texts. */
  @Column('text') kind!: string;
  @Column('jsonb') spec!: unknown;
  @Column('text') selector!: string;
  @Column('jsonb') policy!: RolloutPolicy;
  @Column('text') state!: RolloutState;
  @Column('text', { name: 'pause_cause', nullable: true }) pauseCause!: PauseCause | null;
  /** Why it is paused, in one sentence. */
  @Column('text', { name: 'pause_sentence', nullable: true }) pauseSentence!: string | null;
  /** SHA-256 of the plan that an approval covers; with `following` devices may join later. */
  @Column('text', { name: 'plan_digest' }) planDigest!: string;

  @Column('bigint', { name: 'bytes_per_start', transformer: { from: Number, to: (bytes: number) => bytes } })
  bytesPerStart!: number;

  @Column('integer', { name: 'acknowledged_finished' }) acknowledgedFinished!: number;
  @Column('integer', { name: 'acknowledged_failed' }) acknowledgedFailed!: number;
  @Column('timestamptz', { name: 'starts_at', nullable: true }) startsAt!: Date | null;
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('text', { name: 'request_id', nullable: true }) requestId!: string | null;
  @Column('text', { name: 'approved_by', nullable: true }) approvedBy!: string | null;
  @Column('text', { name: 'approved_by_name', nullable: true }) approvedByName!: string | null;
  @Column('timestamptz', { name: 'started_at', nullable: true }) startedAt!: Date | null;
  @Column('timestamptz', { name: 'ended_at', nullable: true }) endedAt!: Date | null;
  /** When its membership was last compared with the selector. */
  @Column('timestamptz', { name: 'followed_at', nullable: true }) followedAt!: Date | null;
  @Column('uuid', { name: 'schedule_id', nullable: true }) scheduleId!: string | null;
  @Column('uuid', { name: 'rolls_back', nullable: true }) rollsBack!: string | null;
}
