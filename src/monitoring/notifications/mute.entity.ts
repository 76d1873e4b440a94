import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Devices about which no receiver is notified for a time, as far as its author may see them. */
@Entity({ name: 'mute' })
export class Mute {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') selector!: string;
  /** Null: about all rules. */
  @Column('uuid', { name: 'rule_id', nullable: true }) ruleId!: string | null;
  @Column('timestamptz') until!: Date;
  @Column('text') reason!: string;
  @Column('text', { name: 'created_by' }) createdBy!: string;
  @Column('text', { name: 'created_by_name' }) createdByName!: string;
  @Column('uuid', { name: 'operator_id', nullable: true }) operatorId!: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
}
