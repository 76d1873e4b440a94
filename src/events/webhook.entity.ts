import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import { type Format } from './notification-bodies.js';

/** A receiver of events. Only `webhook-deliveries.sweeper.ts` reads the columns with its progress. */
@Entity({ name: 'webhook' })
export class Webhook {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') name!: string;
  @Column('text') url!: string;
  /** The form of its messages. */
  @Column('text') format!: Format;
  @Column('text', { array: true }) types!: string[];
  @Column('bytea', { name: 'sealed_secret', select: false }) sealedSecret!: Buffer;
  @Column('boolean') enabled!: boolean;
  /** When it was stopped because it crashed its processes. */
  @Column('timestamptz', { name: 'quarantined_at', nullable: true }) quarantinedAt!: Date | null;
  /** Their rights decide which events it gets: the author of its last change. */
  @Column('uuid', { name: 'operator_id', nullable: true }) operatorId!: string | null;
  /** The key or session of that change; null for a change from before this was recorded. */
  @Column('text', { name: 'created_by', nullable: true }) createdBy!: string | null;
  @Column('text', { name: 'created_by_name' }) createdByName!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @VersionColumn() version!: number;
}

/** The location for which a webhook's secret is sealed. */
export const secretLocation = (webhookId: string) => ({ table: 'webhook', column: 'sealed_secret', rowId: webhookId });
