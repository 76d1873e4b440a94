import { Body, Controller, Delete, Get, Headers, Inject, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Principal } from '../auth/access/access.js';
import { CurrentActor, Endpoint } from '../http/endpoint.js';
import { readIfMatch, versioned } from '../http/etag.js';
import * as contract from './fields.contract.js';
import { FieldsService } from './registry/fields.service.js';

@ApiTags('Custom fields')
@Controller('v1/fields')
export class FieldsController {
  constructor(@Inject(FieldsService) private readonly fields: FieldsService) {}

  @Get()
  @Endpoint({
    summary: 'Lists the custom fields that devices can have',
    permission: 'device.read',
    scans: false,
    answer: contract.fieldList,
  })
  async list() {
    return { items: await this.fields.list() };
  }

  @Get(':key')
  @Endpoint({
    summary: 'Reads the definition of a custom field',
    permission: 'device.read',
    scans: false,
    etag: true,
    answer: contract.fieldView,
    errors: ['field_not_found'],
  })
  async get(@Param('key', { schema: contract.fieldKey }) key: string) {
    return versioned(await this.fields.get(key));
  }

  @Put(':key')
  @Endpoint({
    summary: 'Defines a custom field of devices, or changes its definition',
    description: 'Each value that a device has must be one of the new definition.',
    permission: 'field.manage',
    audit: 'field.define',
    etag: true,
    answer: contract.fieldView,
    errors: ['field_in_use', 'too_many_fields', 'version_changed'],
  })
  async define(
    @Param('key', { schema: contract.fieldKey }) key: string,
    @Body({ schema: contract.defineFieldInput }) body: contract.DefineFieldInput,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return versioned(await this.fields.define(key, body, readIfMatch(ifMatch), actor));
  }

  @Delete(':key')
  @Endpoint({
    summary: 'Removes a custom field, with its values on all devices',
    description: 'Not while a rule of a role, an assignment, the scope of a key or a lock names the field.',
    permission: 'field.manage',
    stepUp: true,
    audit: 'field.remove',
    etag: true,
    status: 204,
    errors: ['field_not_found', 'field_in_rights', 'version_changed'],
  })
  remove(
    @Param('key', { schema: contract.fieldKey }) key: string,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return this.fields.remove(key, readIfMatch(ifMatch), actor);
  }
}
