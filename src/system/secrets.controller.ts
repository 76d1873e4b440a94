import { Body, Controller, Get, Inject, Post, type OnModuleInit } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Audit } from '../audit/entries/audit.js';
import { type AuditAction } from '../audit/entries/audit-actions.js';
import { systemActor, type Actor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { CurrentActor, Endpoint, instant } from '../http/endpoint.js';
import { KeyRotation, type Rotation } from '../secrets/key-rotation.js';
import { errorFields, LOG } from '../platform/log.js';
import { Secrets, type SecretLocation } from '../secrets/secrets.js';
import { boundedCache } from '../platform/bounded-cache.js';

/*
 * Keys of stored secrets: what there are, and their replacement. `secrets/` knows no audit, so its two kinds of news,
 * the end of a rotation and a value that does not open, become entries here.
 */

const what = z.enum(['root_key', 'data_key']);
const count = z.number().int();

const rotationView = z
  .object({
    id: z.uuid(),
    what,
    phase: z.enum(['announced', 'switched', 'resealing', 'retiring', 'finished', 'blocked']),
    done: count.describe('Values sealed again, or data keys wrapped again'),
    unreadable: z
      .array(z.object({ table: z.string(), rowId: z.uuid() }))
      .describe('Values that cannot be decrypted: they were altered or moved. Set them again, then start again'),
    startedBy: z.string(),
    startedByName: z.string(),
    startedAt: instant,
    switchedAt: instant.nullable(),
    endedAt: instant.nullable(),
  })
  .meta({ id: 'KeyRotation' });

const keysView = z
  .object({
    targetRootKey: z.string().describe('The name of the root key that a rotation wraps with; not the key itself'),
    keys: z.array(
      z.object({
        id: z.uuid(),
        purpose: z.enum(['seal', 'fingerprint']),
        active: z.boolean().describe('Whether new values are sealed with it'),
        rootKeyId: z.string(),
        createdAt: instant,
        values: count.describe('Stored values that are sealed with it'),
      }),
    ),
    holders: z
      .object({ live: count, ready: count })
      .describe('Processes that have keys, and those that seal with the active one'),
    rotation: rotationView.nullable().describe('The latest one'),
  })
  .meta({ id: 'SecretKeys' });

const rotateInput = z
  .strictObject({
    what: what.describe('`root_key`: wrap the data keys with the new root key; `data_key`: seal every value again'),
  })
  .meta({ id: 'RotateKeys' });

/** A value that does not open is told to the audit this often for each place: it is met with each call. */
const UNREADABLE_TOLD_MS = 10 * 60_000;
const PLACES_MAX = 10_000;

@ApiTags('Secrets')
@Controller('v1/secrets')
export class SecretsController implements OnModuleInit {
  private readonly told = boundedCache<string, number>(PLACES_MAX);

  constructor(
    @Inject(KeyRotation) private readonly rotation: KeyRotation,
    @Inject(Secrets) private readonly secrets: Secrets,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    this.rotation.onEnd((tx, rotation) => {
      const { phase, done, unreadable } = rotation;
      const fact = {
        ...factOf(systemActor('key-rotation'), rotation, 'secret.rotation_end'),
        facts: { phase, done, unreadable },
      };
      return this.audit.record(tx, fact, phase === 'finished' ? 'succeeded' : 'failed');
    });
    this.secrets.onUnreadable((location) => this.tellUnreadable(location));
  }

  @Get('rotation')
  @Endpoint({
    summary: 'Shows the keys that seal stored secrets, and the progress of their rotation',
    permission: 'secrets.read',
    scans: true,
    answer: keysView,
  })
  status() {
    return this.rotation.status();
  }

  @Post('rotation')
  @Endpoint({
    summary: 'Rotates the root key or the data key of stored secrets, without an interruption',
    description:
      'The answer comes after a root key is replaced; the rotation of a data key starts with the answer. docs/howto/replace-keys.md.',
    permission: 'secrets.rotate',
    audit: 'secret.rotate',
    status: 202,
    answer: rotationView,
    errors: ['rotation_running', 'rotation_needless', 'rotation_unready'],
  })
  start(@Body({ schema: rotateInput }) body: z.output<typeof rotateInput>, @CurrentActor() actor: Actor) {
    return this.rotation.start(body.what, actor, (tx, rotation) =>
      this.audit.record(tx, { ...factOf(actor, rotation, 'secret.rotate'), facts: { what: body.what } }),
    );
  }

  private tellUnreadable({ table, column, rowId }: SecretLocation): void {
    const location = `${table}.${column}:${rowId}`;
    const now = this.clock.now().getTime();
    if (now - (this.told.get(location) ?? Number.NEGATIVE_INFINITY) < UNREADABLE_TOLD_MS) return;
    this.told.set(location, now);
    this.log.error(
      { name: location },
      'A stored secret cannot be decrypted: it was altered, or belongs to another row',
    );
    const fact = { actor: systemActor('secrets'), action: 'secret.unreadable', subject: location } as const;
    this.audit.record(this.db.manager, fact, 'failed').catch((error: unknown) => {
      this.told.delete(location);
      this.log.warn(errorFields(error), 'The audit entry of an unreadable secret could not be written');
    });
  }
}

function factOf(actor: Actor, { id }: Rotation, action: AuditAction) {
  return { actor, action, subject: `key_rotation:${id}` };
}
