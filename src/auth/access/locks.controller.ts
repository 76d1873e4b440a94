import { Body, Controller, Delete, Get, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { type Principal } from './access.js';
import * as contract from './locks.contract.js';
import { Locks } from './locks.service.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { getNamedDevice } from '../../selectors/named-device.js';
import { shownSelector } from './shown-selector.js';

@ApiTags('Locks')
@Controller('v1/locks')
export class LocksController {
  constructor(
    @Inject(Locks) private readonly locks: Locks,
    @Inject(DataSource) private readonly db: DataSource,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Locks a person, a key, a device, a selector, or all writes',
    description:
      'In force everywhere within two seconds. Open answers to a locked caller end. Calls to a locked device are ' +
      'refused with `locked`, and its jobs wait with the reason `locked`. The last administrator cannot be locked out.',
    permission: 'lock.manage',
    audit: 'lock.set',
    scans: false, // a person who stops a fleet must not wait behind their own scripts
    whileLocked: true,
    status: 201,
    answer: contract.lockView,
    errors: [
      'api_key_not_found',
      'device_not_found',
      'invalid_selector',
      'last_administrator',
      'operator_not_found',
      'selection_changed',
      'too_many_saved',
    ],
  })
  async lock(
    @Body({ schema: contract.lockInput }) body: contract.LockInput,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    if (body.kind === 'selector') await this.locks.requireSelection(body.target, body.expectedDigest, actor.rights);
    const input = body.kind === 'device' ? { ...body, target: await this.visible(body.target, actor) } : body;
    const lock = await this.locks.lock(input, actor);
    void reply.header('location', `/v1/locks/${lock.id}`);
    return lock;
  }

  @Get()
  @Endpoint({
    summary: 'Lists the locks in force, the newest first',
    description: 'Without those of devices that you do not see.',
    permission: 'lock.read',
    scans: false,
    answer: contract.lockPage,
    errors: ['invalid_cursor'],
  })
  async list(@Query({ schema: contract.lockQuery }) query: contract.LockQuery, @CurrentActor() actor: Principal) {
    const { items, next } = await this.locks.list(query, actor.rights);
    return { items: items.map((lock) => ({ ...lock, target: targetFor(lock, actor) })), next };
  }

  @Delete(':lockId')
  @Endpoint({
    summary: 'Lifts a lock',
    permission: 'lock.manage',
    audit: 'lock.lift',
    stepUp: true,
    whileLocked: true,
    status: 204,
    errors: ['lock_not_found'],
  })
  lift(@Param('lockId', { schema: z.uuid() }) lockId: string, @CurrentActor() actor: Principal) {
    return this.locks.lift(lockId, actor);
  }

  /** @throws AppError `device_not_found`, also for a device that the actor may not see */
  private async visible(ref: string, { rights }: Principal): Promise<string> {
    const device = await getNamedDevice(this.db, ref);
    rights.requireOnDevice({ action: 'device.read', device });
    return device.id;
  }
}

const targetFor = (lock: contract.Lock, actor: Principal): string | null =>
  lock.kind === 'selector' ? shownSelector(lock.target!, lock, actor) : lock.target;
