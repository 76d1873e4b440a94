import { Body, Controller, Delete, Get, Inject, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { type Principal } from '../access/access.js';
import * as contract from '../rights/keys.contract.js';
import { ApiKeys, type IssuedKey } from './keys.service.js';

const keyId = z.uuid();

/** What the routes that issue a key have in common. */
const ISSUES = {
  replay: 'no: its answer has a secret that is shown once',
  stepUp: true,
  status: 201,
  answer: contract.issuedKeyView,
} as const;

@ApiTags('Operators and keys')
@Controller('v1')
export class KeysController {
  constructor(@Inject(ApiKeys) private readonly keys: ApiKeys) {}

  @Get('self/api-keys')
  @Endpoint({ summary: 'Lists your own API keys', permission: 'self.read', scans: false, answer: contract.keyList })
  async listOwn(@CurrentActor() actor: Principal) {
    return { items: await this.keys.list(actor.operatorId) };
  }

  @Post('self/api-keys')
  @Endpoint({
    summary: 'Issues an API key of your own; the answer is the only place where it is seen',
    permission: 'self.change',
    audit: 'api_key.issue',
    scans: false, // the selector of a scope is stored
    ...ISSUES,
    errors: ['rights_not_held', 'key_beyond_own', 'too_many_saved', 'invalid_selector'],
  })
  async issueOwn(@Body({ schema: contract.ownKeyInput }) body: contract.OwnKeyInput, @CurrentActor() actor: Principal) {
    return viewOf(await this.keys.issue(actor.operatorId, body, actor));
  }

  @Post('self/api-keys/:keyId/rotate')
  @Endpoint({
    summary: 'Replaces one of your own keys; the old one works for a limited time',
    permission: 'self.change',
    audit: 'api_key.rotate',
    ...ISSUES,
    errors: ['api_key_not_found', 'rights_not_held', 'key_beyond_own', 'too_many_saved'],
  })
  async rotateOwn(
    @Param('keyId', { schema: keyId }) id: string,
    @Body({ schema: contract.rotateInput }) body: contract.RotateInput,
    @CurrentActor() actor: Principal,
  ) {
    return viewOf(await this.keys.rotate(id, body.overlapHours * 3_600_000, actor.operatorId, actor));
  }

  @Delete('self/api-keys/:keyId')
  @Endpoint({
    summary: 'Revokes one of your own API keys, everywhere at once',
    permission: 'self.change',
    audit: 'api_key.revoke',
    status: 204,
    errors: ['api_key_not_found', 'last_administrator'],
  })
  revokeOwn(@Param('keyId', { schema: keyId }) id: string, @CurrentActor() actor: Principal) {
    return this.keys.revoke(id, actor.operatorId, actor);
  }

  @Get('api-keys')
  @Endpoint({
    summary: 'Lists API keys, without the keys',
    permission: 'key.manage',
    scans: true,
    answer: contract.keyList,
  })
  async list() {
    return { items: await this.keys.list() };
  }

  @Post('api-keys')
  @Endpoint({
    summary: 'Issues an API key; the answer is the only place where it is seen',
    permission: 'key.manage',
    audit: 'api_key.issue',
    scans: false, // the selector of a scope is stored
    ...ISSUES,
    errors: ['operator_not_found', 'rights_not_held', 'key_beyond_own', 'too_many_saved', 'invalid_selector'],
  })
  async issue(@Body({ schema: contract.keyInput }) body: contract.KeyInput, @CurrentActor() actor: Principal) {
    return viewOf(await this.keys.issue(body.operatorId ?? actor.operatorId, body, actor));
  }

  @Post('api-keys/:keyId/rotate')
  @Endpoint({
    summary: 'Replaces a key; the old one works for a limited time',
    permission: 'key.manage',
    audit: 'api_key.rotate',
    ...ISSUES,
    errors: ['api_key_not_found', 'rights_not_held', 'key_beyond_own', 'too_many_saved'],
  })
  async rotate(
    @Param('keyId', { schema: keyId }) id: string,
    @Body({ schema: contract.rotateInput }) body: contract.RotateInput,
    @CurrentActor() actor: Principal,
  ) {
    return viewOf(await this.keys.rotate(id, body.overlapHours * 3_600_000, null, actor));
  }

  @Delete('api-keys/:keyId')
  @Endpoint({
    summary: 'Revokes an API key, everywhere at once',
    permission: 'key.manage',
    audit: 'api_key.revoke',
    whileLocked: true, // it takes access away
    status: 204,
    errors: ['api_key_not_found', 'last_administrator'],
  })
  revoke(@Param('keyId', { schema: keyId }) id: string, @CurrentActor() actor: Principal) {
    return this.keys.revoke(id, null, actor);
  }
}

const viewOf = ({ apiKey, key }: IssuedKey) => ({ ...apiKey, key });
