import { Body, Controller, Delete, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { type Principal } from '../../auth/access/access.js';
import { CurrentActor, Endpoint } from '../../platform/http/endpoint.js';
import * as contract from './sealed-values.contract.js';
import { SealedValuesService } from './sealed-values.service.js';

@ApiTags('Sealed values')
@Controller('v1/sealed-values')
export class SealedValuesController {
  constructor(
    @Inject(SealedValuesService) private readonly values: SealedValuesService,
    @Inject(DevicesService) private readonly devices: DevicesService,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Stores a secret for your jobs; their specs name it by its id',
    permission: 'sealed_value.give',
    audit: 'sealed_value.give',
    status: 201,
    answer: contract.sealedValueView,
    errors: ['too_many_sealed_values', 'redaction_marker'],
  })
  give(@Body({ schema: contract.giveValueInput }) body: contract.GiveValueInput, @CurrentActor() actor: Principal) {
    return this.values.give(body, actor);
  }

  @Get()
  @Endpoint({
    summary: 'Lists sealed values, newest first, without the secrets',
    permission: 'sealed_value.give',
    scans: true,
    answer: contract.sealedValuePage,
    errors: ['invalid_cursor', 'device_not_found'],
  })
  async list(
    @Query({ schema: contract.listValuesQuery }) query: contract.ListValuesQuery,
    @CurrentActor() { rights }: Principal,
  ) {
    const { device, job, ...page } = query;
    const named = device === undefined ? undefined : await this.devices.resolve(device);
    if (named) rights.requireOnDevice({ action: 'device.read', device: named });
    return this.values.list({ ...page, deviceId: named?.id, jobId: job }, rights);
  }

  @Post(':valueId/open')
  @Endpoint({
    summary: 'Reads the secret of a sealed value, such as a password that a job generated',
    description: 'Each read is in the audit before the value is sent.',
    permission: 'sealed_value.open',
    audit: 'sealed_value.open',
    replay: 'no: its answer has a secret',
    stepUp: true,
    answer: contract.openedValueView,
    errors: ['sealed_value_not_found', 'secret_unreadable'],
  })
  open(@Param('valueId', { schema: z.uuid() }) valueId: string, @CurrentActor() actor: Principal) {
    return this.values.open(valueId, actor);
  }

  @Delete(':valueId')
  @Endpoint({
    summary: 'Removes a sealed value',
    permission: 'sealed_value.give',
    audit: 'sealed_value.remove',
    status: 204,
    errors: ['sealed_value_not_found'],
  })
  remove(@Param('valueId', { schema: z.uuid() }) valueId: string, @CurrentActor() actor: Principal) {
    return this.values.remove(valueId, actor);
  }
}
