import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type KeyScope } from '../rights/key-scope.js';

/** A person or a program with rights; acts through API keys, or signed in. */
@Entity({ name: 'operator' })
export class Operator {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Since when nobody acts as this operator any more. */
  @Column('timestamptz', { name: 'disabled_at', nullable: true })
  disabledAt!: Date | null;
}

/** An API key, without the key: only a digest of it is kept. */
@Entity({ name: 'api_key' })
export class ApiKey {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'operator_id' })
  operatorId!: string;

  @Column('text')
  name!: string;

  /** The part of the key by which people and the look-up recognise it. */
  @Column('text')
  prefix!: string;

  @Column('bytea')
  hash!: Buffer;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;

  /** To the minute. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  @Column('text', { name: 'last_used_address', nullable: true })
  lastUsedAddress!: string | null;

  /** What narrows it below its operator. */
  @Column('jsonb', { nullable: true })
  scope!: KeyScope | null;

  /** Networks that it may be used from; empty: any. */
  @Column('text', { name: 'allowed_addresses', array: true })
  allowedAddresses!: string[];

  /** A limit of its own; null: the one of the configuration. */
  @Column('integer', { name: 'calls_per_minute', nullable: true })
  callsPerMinute!: number | null;

  /** The key that this one takes the place of. */
  @Column('uuid', { name: 'replaces_id', nullable: true })
  replacesId!: string | null;

  /** Who else has seen the key; null: nobody, or it is from before this was kept. */
  @Column('uuid', { name: 'issued_by', nullable: true })
  issuedBy!: string | null;
}
