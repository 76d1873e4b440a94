import { Column, Entity } from 'typeorm';
import { RecurringRow } from '../../recurring/recurring.js';
import { type RolloutInput } from './rollouts.contract.js';

/** The rollout that a schedule creates at each run. */
export type RolloutTemplate = Omit<RolloutInput, 'startsAt' | 'dryRun'>;

/** Starts a rollout from a template repeatedly, in the name of its author. */
@Entity({ name: 'schedule' })
export class Schedule extends RecurringRow {
  @Column('jsonb') template!: RolloutTemplate;
  /** What to do with runs that were missed while no process ran. */
  @Column('text') missed!: 'once' | 'skip';
  @Column('uuid', { name: 'last_rollout_id', nullable: true }) lastRolloutId!: string | null;
}
