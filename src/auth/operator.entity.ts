import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type Role } from './permissions.js';

/** A person or a program with rights; acts through API keys. */
@Entity({ name: 'operator' })
export class Operator {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  role!: Role;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;
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
}
