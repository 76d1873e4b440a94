import { Controller, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { type Principal } from './access.js';
import * as contract from './approvals.contract.js';
import { Approvals } from './approvals.service.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { shownSelector } from './shown-selector.js';

@ApiTags('Approvals')
@Controller('v1/approvals')
export class ApprovalsController {
  constructor(@Inject(Approvals) private readonly approvals: Approvals) {}

  @Get()
  @Endpoint({
    summary: 'Lists requests that need or had the approval of a second person, the newest first',
    description: 'Devices that you do not see are not counted; requests only for such devices are not listed.',
    permission: 'approval.read',
    scans: true,
    answer: contract.approvalPage,
    errors: ['invalid_cursor'],
  })
  async list(
    @Query({ schema: contract.approvalQuery }) query: contract.ApprovalQuery,
    @CurrentActor() actor: Principal,
  ) {
    const { items, next } = await this.approvals.list(query, actor);
    return { items: items.map((approval) => viewFor(approval, actor)), next };
  }

  @Get(':approvalId')
  @Endpoint({
    summary: 'Reads an approval',
    permission: 'approval.read',
    scans: false,
    answer: contract.approvalView,
    errors: ['approval_not_found'],
  })
  async get(@Param('approvalId', { schema: z.uuid() }) id: string, @CurrentActor() actor: Principal) {
    return viewFor(await this.approvals.get(id, actor), actor);
  }

  @Post(':approvalId/approve')
  @Endpoint({
    summary: 'Approves a request of another person',
    description: 'You must see all its devices. Its sender then sends it again, with the header Approval-Id.',
    permission: 'approval.decide',
    audit: 'approval.approve',
    stepUp: true,
    answer: contract.approvalView,
    errors: ['approval_not_found', 'approval_over', 'approval_own'],
  })
  async approve(@Param('approvalId', { schema: z.uuid() }) id: string, @CurrentActor() actor: Principal) {
    return viewFor(await this.approvals.decide(id, 'approved', actor), actor);
  }

  @Post(':approvalId/reject')
  @Endpoint({
    summary: 'Rejects a request',
    permission: 'approval.decide',
    audit: 'approval.reject',
    whileLocked: true,
    answer: contract.approvalView,
    errors: ['approval_not_found', 'approval_over'],
  })
  async reject(@Param('approvalId', { schema: z.uuid() }) id: string, @CurrentActor() actor: Principal) {
    return viewFor(await this.approvals.decide(id, 'rejected', actor), actor);
  }
}

/** An approval for one reader: without a selector that names devices the reader cannot see. */
function viewFor(approval: contract.Approval, reader: Principal): contract.Approval {
  const { summary, requestedBy } = approval;
  const selector = summary['selector'];
  if (typeof selector !== 'string') return approval;
  const author = { createdBy: '', operatorId: requestedBy };
  return { ...approval, summary: { ...summary, selector: shownSelector(selector, author, reader) } };
}
