import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type ShownCertificate } from './address-probe.js';
import { type DISCOVERY_STATES, type DiscoveryView, type FindView } from './discovery.contract.js';

/** A search of networks for devices. */
@Entity({ name: 'discovery' })
export class DiscoveryRun {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') state!: (typeof DISCOVERY_STATES)[number];
  @Column('text', { array: true }) networks!: string[];
  @Column('integer', { array: true }) ports!: number[];
  @Column('integer') addresses!: number;
  @Column('integer', { name: 'per_second' }) perSecond!: number;
  @Column('integer', { name: 'at_once' }) atOnce!: number;
  /** The first so many addresses are done. */
  @Column('integer') searched!: number;
  /** Counts the processes that worked on it. */
  @Column('integer') epoch!: number;
  @Column('text', { nullable: true }) failure!: DiscoveryView['failure'];
  @Column('uuid', { name: 'operator_id' }) operatorId!: string;
  @Column('text', { name: 'created_by' }) createdBy!: string;
  @Column('text', { name: 'created_by_name' }) createdByName!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'started_at', nullable: true }) startedAt!: Date | null;
  @Column('timestamptz', { name: 'ended_at', nullable: true }) endedAt!: Date | null;
}

/** What answered at an address. */
@Entity({ name: 'discovery_find' })
export class DiscoveryFind {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'discovery_id' }) discoveryId!: string;
  /** The number of its address in the run. */
  @Column('integer') position!: number;
  @Column('text') address!: string;
  @Column('integer') port!: number;
  @Column('text', { name: 'base_url' }) baseUrl!: string;
  @Column('text') kind!: FindView['kind'];
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('text', { nullable: true }) pin!: string | null;
  @Column('jsonb', { nullable: true }) certificate!: ShownCertificate | null;
  @Column('text', { nullable: true }) profile!: string | null;
  @Column('text', { nullable: true }) name!: string | null;
  @Column('text', { nullable: true }) model!: string | null;
  @Column('text', { nullable: true }) identifier!: string | null;
  @Column('text', { name: 'api_version', nullable: true }) apiVersion!: string | null;
  @Column('text', { nullable: true }) login!: FindView['login'];
  /** The credentials that it accepted. */
  @Column('uuid', { name: 'credentials_id', nullable: true }) credentialsId!: string | null;
  @Column('text', { nullable: true }) serial!: string | null;
  @Column('text', { nullable: true }) mac!: string | null;
  @Column('text', { nullable: true }) firmware!: string | null;
  @Column('uuid', { name: 'known_device_id', nullable: true }) knownDeviceId!: string | null;
  @Column('text', { name: 'known_by', nullable: true }) knownBy!: NonNullable<FindView['known']>['by'] | null;
  @Column('timestamptz', { name: 'seen_at' }) seenAt!: Date;
}
