import { Body, Controller, Delete, Get, Headers, Inject, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { type Principal } from '../auth/access/access.js';
import { StepUp } from '../auth/people/step-up.js';
import { CurrentActor, Endpoint } from '../http/endpoint.js';
import { readIfMatch, versioned } from '../http/etag.js';
import { pageQuery, type PageQuery } from '../http/page.js';
import { deviceRef } from '../selectors/device-ref.js';
import { type DeviceAccount } from './registry/device.entity.js';
import { type RegisteredAccount } from './registry/device.queries.js';
import { conflictOf, identityReason, NOT_CLAIMED } from './registry/identity-reason.js';
import * as lists from './device-list.contract.js';
import { DeviceLists, type ListedDevice } from './device-list.service.js';
import * as contract from './devices.contract.js';
import { Replacements } from './replacement.service.js';
import { RegistryService, type RegisteredDevice } from './registry.service.js';

@ApiTags('Devices')
@Controller('v1/devices')
export class DevicesController {
  constructor(
    @Inject(RegistryService) private readonly registry: RegistryService,
    @Inject(Replacements) private readonly replacements: Replacements,
    @Inject(DeviceLists) private readonly lists: DeviceLists,
    @Inject(StepUp) private readonly stepUp: StepUp,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Registers a device',
    description: 'The gateway sends nothing to the device. It pins the certificate at the first call.',
    etag: true,
    permission: 'device.manage',
    audit: 'device.register',
    status: 201,
    answer: contract.deviceView,
    errors: ['base_url_refused', 'device_exists'],
  })
  async register(
    @Body({ schema: contract.registerInput }) body: contract.RegisterInput,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const registered = await this.registry.register(body, actor);
    void reply.header('location', `/v1/devices/${registered.device.id}`);
    return answer(registered);
  }

  @Get()
  @Endpoint({
    summary: 'Lists devices, in the order of their registration unless `sort` names another one',
    description: 'A cursor belongs to its order: send the same `sort` with it.',
    permission: 'device.read',
    scans: true,
    answer: lists.devicePage,
    errors: ['invalid_cursor', 'invalid_selector'],
  })
  async list(@Query({ schema: lists.listQuery }) query: lists.ListQuery, @CurrentActor() actor: Principal) {
    const page = await this.lists.list(query, actor.rights);
    const items = page.items.map((device) => {
      const { sampled, certificate } = device;
      return query.fields ? only({ ...view(device), ...sampled, certificate }, query.fields) : view(device);
    });
    return { ...page, items };
  }

  @Get('summary')
  @Endpoint({
    summary: 'Counts devices by the values of some fields',
    permission: 'device.read',
    scans: true,
    answer: lists.summaryView,
    errors: ['invalid_selector'],
  })
  summary(@Query({ schema: lists.summaryQuery }) query: lists.SummaryQuery, @CurrentActor() actor: Principal) {
    return this.lists.summary(query, actor.rights);
  }

  @Get('availability')
  @Endpoint({
    summary: 'Shows how many devices were online in the last hours',
    permission: 'device.read',
    scans: true,
    answer: lists.availabilityView,
  })
  async availability(
    @Query({ schema: lists.availabilityQuery }) { hours }: lists.AvailabilityQuery,
    @CurrentActor() actor: Principal,
  ) {
    return { points: await this.lists.availability(hours, actor.rights) };
  }

  @Get(':ref')
  @Endpoint({
    summary: 'Reads a device of the registry',
    etag: true,
    permission: 'device.read',
    scans: false,
    answer: contract.deviceView,
    errors: ['device_not_found'],
  })
  async get(@Param('ref', { schema: deviceRef }) ref: string, @CurrentActor() actor: Principal) {
    return answer(await this.registry.get(ref, actor.rights));
  }

  @Get(':ref/history')
  @Endpoint({
    summary: 'Lists observations about a device, the newest first: states, firmware, identity',
    permission: 'device.read',
    scans: false,
    answer: contract.historyView,
    errors: ['device_not_found', 'invalid_cursor'],
  })
  history(
    @Param('ref', { schema: deviceRef }) ref: string,
    @Query({ schema: pageQuery }) query: PageQuery,
    @CurrentActor() actor: Principal,
  ) {
    return this.registry.history(ref, query, actor.rights);
  }

  @Patch(':ref')
  @Endpoint({
    summary: 'Changes a device in the registry',
    etag: true,
    permission: 'device.manage',
    audit: 'device.change',
    answer: contract.deviceView,
    description: 'Another address or other credentials need a second factor that was shown recently.',
    errors: ['device_not_found', 'device_exists', 'base_url_refused', 'version_changed', 'step_up_required'],
  })
  async change(
    @Param('ref', { schema: deviceRef }) ref: string,
    @Body({ schema: contract.changeInput }) body: contract.ChangeInput,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    const { credentials, baseUrl, spareUrl } = body;
    if (credentials || baseUrl !== undefined || spareUrl !== undefined) await this.stepUp.require(actor);
    return answer(await this.registry.edit(ref, body, readIfMatch(ifMatch), actor));
  }

  @Post(':ref/replace')
  @Endpoint({
    summary: 'Puts new hardware in the place of a device',
    description:
      'The device keeps its id, name, site, tags, note, fields, jobs and history. Its credentials and its trust are forgotten: ' +
      'give those of the new hardware. It needs `device.trust` too. The old serial number stays in `formerSerials`, where `q` finds it.',
    etag: true,
    permission: 'device.manage',
    stepUp: true,
    audit: 'device.replace',
    answer: contract.deviceView,
    headers: { 'If-Match': { description: 'The ETag that the device must still have', example: '"7"' } },
    errors: ['device_not_found', 'device_exists', 'device_in_use', 'base_url_refused'],
  })
  async replace(
    @Param('ref', { schema: deviceRef }) ref: string,
    @Body({ schema: contract.replaceInput }) body: contract.ReplaceInput,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return answer(await this.replacements.replace(ref, body, readIfMatch(ifMatch), actor));
  }

  @Delete(':ref')
  @Endpoint({
    summary: 'Removes a device from the registry, with its credentials and ended jobs',
    etag: true,
    permission: 'device.manage',
    audit: 'device.remove',
    status: 204,
    errors: ['device_not_found', 'device_in_use', 'version_changed'],
  })
  remove(
    @Param('ref', { schema: deviceRef }) ref: string,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    return this.registry.remove(ref, readIfMatch(ifMatch), actor);
  }

  @Put(':ref/credentials')
  @Endpoint({
    summary: 'Sets the login that the gateway uses on the device',
    description:
      'Write-only: the password is sealed and no answer ever shows it. The count of refused logins starts again.',
    permission: 'device.trust',
    stepUp: true,
    audit: 'device.credentials',
    answer: contract.deviceView,
    errors: ['device_not_found'],
  })
  async setCredentials(
    @Param('ref', { schema: deviceRef }) ref: string,
    @Body({ schema: contract.credentialsInput }) body: contract.CredentialsInput,
    @CurrentActor() actor: Principal,
  ) {
    return answer(await this.registry.setCredentials(ref, 'main', body, actor));
  }

  @Put(':ref/credentials/read')
  @Endpoint({
    summary: 'Sets a second login on the device, which the gateway uses for calls that only read',
    description: 'Write-only, like the first one. Calls that change something still use the first one.',
    permission: 'device.trust',
    stepUp: true,
    audit: 'device.credentials',
    answer: contract.deviceView,
    errors: ['device_not_found'],
  })
  async setReadCredentials(
    @Param('ref', { schema: deviceRef }) ref: string,
    @Body({ schema: contract.credentialsInput }) body: contract.CredentialsInput,
    @CurrentActor() actor: Principal,
  ) {
    return answer(await this.registry.setCredentials(ref, 'read', body, actor));
  }

  @Delete(':ref/credentials/read')
  @Endpoint({
    summary: 'Removes the login for reads; reads use the first login again',
    permission: 'device.trust',
    stepUp: true,
    audit: 'device.credentials',
    status: 204,
    errors: ['device_not_found'],
  })
  removeReadCredentials(@Param('ref', { schema: deviceRef }) ref: string, @CurrentActor() actor: Principal) {
    return this.registry.removeReadCredentials(ref, actor);
  }

  @Put(':ref/trust')
  @Endpoint({
    summary: 'Sets how the gateway recognises the device, or accepts the key that it offers now',
    permission: 'device.trust',
    stepUp: true,
    audit: 'device.trust',
    answer: contract.deviceView,
    errors: ['device_not_found', 'base_url_refused'],
  })
  async setTrust(
    @Param('ref', { schema: deviceRef }) ref: string,
    @Body({ schema: contract.trustInput }) body: contract.TrustInput,
    @CurrentActor() actor: Principal,
  ) {
    return answer(await this.registry.setTrust(ref, body, actor));
  }
}

const answer = (registered: RegisteredDevice) => versioned(view(registered));

function view({ device, account, readAccount, claimed = NOT_CLAIMED }: RegisteredDevice | ListedDevice) {
  const { trust: mode, trustPin: pin, offeredPin, offeredCertificate, trustExpiresAt: expiresAt } = device;
  return Object.assign({}, device, {
    trust: { mode, pin, offeredPin, offeredCertificate, expiresAt },
    stateReason: device.stateReason ?? conflictOf(device, claimed),
    identityReason: identityReason(device, claimed),
    credentials: account && accountView(account),
    readCredentials: readAccount && accountView(readAccount),
  });
}

/** The fields of a device that the caller asked for; absent: all. */
function only(device: object, fields: NonNullable<lists.ListQuery['fields']>): object {
  const wanted: ReadonlySet<string> = new Set(['id', ...fields]);
  return Object.fromEntries(Object.entries(device).filter(([field]) => wanted.has(field)));
}

function accountView({ username, failedLogins, changedAt }: DeviceAccount | RegisteredAccount) {
  return { username, failedLogins, changedAt };
}
