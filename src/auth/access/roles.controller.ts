import { Body, Controller, Delete, Get, Headers, Inject, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { contentTag, readIfMatch, tagged, versioned } from '../../http/etag.js';
import { type Principal } from './access.js';
import * as contract from '../rights/roles.contract.js';
import { type Assignment } from '../rights/rights.service.js';
import { RolesService } from './roles.service.js';

@ApiTags('Roles and rights')
@Controller('v1')
export class RolesController {
  constructor(@Inject(RolesService) private readonly roles: RolesService) {}

  @Get('roles')
  @Endpoint({
    summary: 'Lists roles, the built-in ones first',
    permission: 'role.read',
    scans: false,
    answer: contract.roleList,
  })
  async list() {
    return { items: await this.roles.list() };
  }

  @Get('roles/:name')
  @Endpoint({
    summary: 'Reads a role',
    etag: true,
    permission: 'role.read',
    scans: false,
    answer: contract.roleView,
    errors: ['role_not_found'],
  })
  async get(@Param('name', { schema: contract.roleName }) name: string) {
    return versioned(await this.roles.get(name));
  }

  @Put('roles/:name')
  @Endpoint({
    summary: 'Saves your own role under a name',
    description:
      'You cannot give rights that you do not hold. The change is in force for all holders within two seconds.',
    etag: true,
    permission: 'role.manage',
    audit: 'role.save',
    scans: false, // the selectors are stored
    stepUp: true,
    answer: contract.roleView,
    errors: ['role_built_in', 'rights_not_held', 'invalid_selector', 'too_many_saved', 'version_changed'],
  })
  async save(
    @Param('name', { schema: contract.roleName }) name: string,
    @Body({ schema: contract.roleInput }) body: contract.RoleInput,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return versioned(await this.roles.save(name, body, readIfMatch(ifMatch), actor));
  }

  @Delete('roles/:name')
  @Endpoint({
    summary: 'Removes your own role that no operator has',
    etag: true,
    permission: 'role.manage',
    audit: 'role.remove',
    stepUp: true,
    status: 204,
    errors: ['role_not_found', 'role_built_in', 'role_in_use', 'version_changed'],
  })
  remove(
    @Param('name', { schema: contract.roleName }) name: string,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return this.roles.remove(name, readIfMatch(ifMatch), actor);
  }

  @Get('operators/:operatorId/roles')
  @Endpoint({
    summary: 'Lists the roles that an operator has',
    etag: true,
    permission: 'operator.read',
    scans: false,
    answer: contract.assignmentsView,
    errors: ['operator_not_found'],
  })
  async assignments(@Param('operatorId', { schema: z.uuid() }) operatorId: string) {
    return assigned(await this.roles.assignments(operatorId));
  }

  @Put('operators/:operatorId/roles')
  @Endpoint({
    summary: 'Gives an operator these roles and no others',
    description: 'Each may be narrowed to the devices of a selector. You cannot give rights that you do not hold.',
    etag: true,
    permission: 'role.manage',
    audit: 'role.assign',
    scans: false, // the selectors are stored
    stepUp: true,
    answer: contract.assignmentsView,
    errors: [
      'operator_not_found',
      'role_not_found',
      'rights_not_held',
      'invalid_selector',
      'last_administrator',
      'version_changed',
    ],
  })
  async assign(
    @Param('operatorId', { schema: z.uuid() }) operatorId: string,
    @Body({ schema: contract.assignmentsInput }) body: contract.AssignmentsInput,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return assigned(await this.roles.assign(operatorId, body.roles, actor, ifMatch));
  }
}

const assigned = (roles: readonly Assignment[]) => tagged({ roles }, contentTag(roles));
