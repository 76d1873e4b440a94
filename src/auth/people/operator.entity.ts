import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type KeyScope } from '../rights/key-scope.js';

/** A person or a program with rights, which acts through API keys or sessions. */
@Entity({ name: 'operator' })
export class Operator {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'disabled_at', nullable: true })
  disabledAt!: Date | null;
}

/** An API key. Only a digest of the key is stored. */
@Entity({ name: 'api_key' })
export class ApiKey {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'operator_id' })
  operatorId!: string;

  @Column('text')
  name!: string;

  /** The part of the key that identifies it to people and in look-ups. */
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

  /** The scope that narrows its operator's rights. */
  @Column('jsonb', { nullable: true })
  scope!: KeyScope | null;

  /** Networks from which it may be used; empty: any. */
  @Column('text', { name: 'allowed_addresses', array: true })
  allowedAddresses!: string[];

  /** Its own rate limit; null: the configured one. */
  @Column('integer', { name: 'calls_per_minute', nullable: true })
  callsPerMinute!: number | null;

  @Column('uuid', { name: 'replaces_id', nullable: true })
  replacesId!: string | null;

  /** Another operator who has seen the key; null: none, or the key is older than this column. */
  @Column('uuid', { name: 'issued_by', nullable: true })
  issuedBy!: string | null;
}
