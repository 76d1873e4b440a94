import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';

/** Where events are sent to. How far it has come stands in columns that only `webhook-deliveries.sweeper.ts` reads. */
@Entity({ name: 'webhook' })
export class Webhook {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  url!: string;

  @Column('text', { array: true })
  types!: string[];

  @Column('bytea', { name: 'sealed_secret', select: false })
  sealedSecret!: Buffer;

  @Column('boolean')
  enabled!: boolean;

  /** When it was stopped, because it took its processes down. */
  @Column('timestamptz', { name: 'quarantined_at', nullable: true })
  quarantinedAt!: Date | null;

  /** Whose rights say which events it gets: of who changed it last. */
  @Column('uuid', { name: 'operator_id', nullable: true })
  operatorId!: string | null;

  /** The key or session of that change; null for one from before this was kept. */
  @Column('text', { name: 'created_by', nullable: true })
  createdBy!: string | null;

  @Column('text', { name: 'created_by_name' })
  createdByName!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @VersionColumn()
  version!: number;
}

/** The place that a webhook's secret is sealed for. */
export const secretPlace = (webhookId: string) => ({ table: 'webhook', column: 'sealed_secret', rowId: webhookId });
