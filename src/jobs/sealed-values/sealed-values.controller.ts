import { Body, Controller, Delete, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { type Principal } from '../../auth/access/access.js';
import { CurrentActor, Endpoint, instant } from '../../http/endpoint.js';
import { SealedValuesService } from './sealed-values.service.js';
import { deviceRef } from '../../selectors/device-ref.js';
import { pageOf, pageQuery } from '../../http/page.js';

/* What goes in and out of the routes of sealed values. */

/** Longer than any password or key file of a device. */
const MAX_CHARACTERS = 16 * 1024;

const giveValueInput = z
  .strictObject({
    label: z.string().trim().min(1).max(200).describe('A description for people; not a secret'),
    value: z.string().min(1).max(MAX_CHARACTERS).describe('The secret; it is sealed, and no answer shows it'),
    days: z.int().min(1).max(365).default(30).describe('How long it is stored'),
  })
  .meta({ id: 'GiveSealedValue' });
export type GiveValueInput = z.output<typeof giveValueInput>;

const listValuesQuery = z.strictObject({
  ...pageQuery.shape,
  device: deviceRef.optional().describe('Only values that jobs of this device made'),
  job: z.uuid().optional().describe('Only values that this job made'),
});
export type ListValuesQuery = z.output<typeof listValuesQuery>;

const sealedValueView = z
  .object({
    id: z.uuid().describe('The id for specs'),
    label: z.string(),
    deviceId: z.uuid().nullable(),
    jobId: z.uuid().nullable(),
    policyId: z.uuid().nullable().describe('The backup policy whose copy of a passphrase it is'),
    createdByName: z.string(),
    createdAt: instant,
    expiresAt: instant,
  })
  .meta({ id: 'SealedValue' });

const sealedValuePage = pageOf(sealedValueView).meta({ id: 'SealedValuePage' });

const openedValueView = z.object({ ...sealedValueView.shape, value: z.string() }).meta({ id: 'OpenedValue' });

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
    answer: sealedValueView,
    errors: ['too_many_sealed_values', 'redaction_marker'],
  })
  give(@Body({ schema: giveValueInput }) body: GiveValueInput, @CurrentActor() actor: Principal) {
    return this.values.give(body, actor);
  }

  @Get()
  @Endpoint({
    summary: 'Lists sealed values, newest first, without the secrets',
    permission: 'sealed_value.give',
    scans: true,
    answer: sealedValuePage,
    errors: ['invalid_cursor', 'device_not_found'],
  })
  async list(@Query({ schema: listValuesQuery }) query: ListValuesQuery, @CurrentActor() { rights }: Principal) {
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
    answer: openedValueView,
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
