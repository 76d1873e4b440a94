import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { Access, type Principal } from './access.js';
import { explain } from '../rights/explain.js';
import { isPermission, type Permission } from '../rights/permissions.js';
import { type Rights } from '../rights/rights.js';
import { explainQuery, explainView, type ExplainQuery } from '../rights/roles.contract.js';
import { RightsService } from '../rights/rights.service.js';
import { RolesService } from './roles.service.js';
import { SAFE_METHODS } from './session-cookie.js';
import { canonicalPath } from '../../device-api/contract.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { AppError } from '../../platform/errors.js';
import { getNamedDevice } from '../../selectors/named-device.js';

@ApiTags('Roles and rights')
@Controller('v1/rights')
export class RightsController {
  constructor(
    @Inject(Access) private readonly access: Access,
    @Inject(RightsService) private readonly rights: RightsService,
    @Inject(RolesService) private readonly roles: RolesService,
    @Inject(DataSource) private readonly db: DataSource,
  ) {}

  @Get('explain')
  @Endpoint({
    summary: 'Says whether something is allowed, and by which rule',
    description:
      'Your own rights, or with `operator` and the permission `rights.explain` those of another operator. With `withRole` it answers ' +
      'for the time after that role is given. Locks are no rights: they are not looked at.',
    permission: 'self.read',
    scans: false,
    answer: explainView,
    errors: ['device_not_found', 'invalid_selector', 'operator_not_found', 'role_not_found'],
  })
  async explain(@Query({ schema: explainQuery }) query: ExplainQuery, @CurrentActor() actor: Principal) {
    const { operator = actor.operatorId } = query;
    const isOther = operator !== actor.operatorId;
    if (isOther) this.access.require(actor, 'rights.explain');
    const action = actionOf(query);
    const device = query.device === undefined ? undefined : await getNamedDevice(this.db, query.device);
    // The answer must not reveal a device that the caller cannot see.
    if (device) actor.rights.requireOnDevice({ action: 'device.read', device });
    if (isOther) await this.roles.assignments(operator);
    const present = isOther ? await this.rights.of(operator, null) : actor.rights;
    const rights =
      query.withRole === undefined ? present : await this.rightsAfter(operator, query.withRole, query, actor);
    return explain(rights, { action, device, path: query.path === undefined ? undefined : comparablePath(query.path) });
  }

  /** The rights that an operator would have with one role more. The rules of a role are for those who may read roles. */
  private rightsAfter(
    operator: string,
    role: string,
    { withSelector: selector = null }: { readonly withSelector?: string | null | undefined },
    actor: Principal,
  ): Promise<Rights> {
    this.access.require(actor, 'role.read');
    return this.roles.rightsWith(operator, { role, selector });
  }
}

/** The path in the form that rights compare, from one with or without `/api` and query. */
function comparablePath(path: string): string {
  const [bare = ''] = path.split('?', 1);
  return canonicalPath(bare.startsWith('/api/') ? bare : `/api${bare.startsWith('/') ? '' : '/'}${bare}`);
}

function actionOf({ action, method }: ExplainQuery): Permission {
  const name = action ?? (method === undefined || SAFE_METHODS.has(method) ? 'device.call_read' : 'device.call_write');
  if (isPermission(name)) return name;
  throw new AppError('invalid_input', {
    errors: [{ pointer: '/query/action', detail: 'there is no such permission; docs/reference/rights.md lists them' }],
  });
}
