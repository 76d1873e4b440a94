import { Controller, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { CurrentActor, Endpoint } from '../platform/endpoint.js';
import { type Principal } from './access.js';
import { approvalPage, approvalQuery, approvalView, type ApprovalQuery } from './approval.contract.js';
import { Approvals } from './approvals.service.js';

@Controller('v1/approvals')
export class ApprovalsController {
  constructor(@Inject(Approvals) private readonly approvals: Approvals) {}

  @Get()
  @Endpoint({
    summary: 'Lists requests that want or had the approval of a second person, the newest first',
    permission: 'approval.read',
    answer: approvalPage,
    errors: ['invalid_cursor'],
  })
  list(@Query({ schema: approvalQuery }) query: ApprovalQuery) {
    return this.approvals.list(query);
  }

  @Get(':approvalId')
  @Endpoint({
    summary: 'Reads an approval',
    permission: 'approval.read',
    answer: approvalView,
    errors: ['approval_not_found'],
  })
  get(@Param('approvalId', { schema: z.uuid() }) id: string) {
    return this.approvals.get(id);
  }

  @Post(':approvalId/approve')
  @Endpoint({
    summary: 'Approves a request of somebody else',
    description: 'Its sender then sends it once more, with the header Approval-Id.',
    permission: 'approval.decide',
    audit: 'approval.approve',
    stepUp: true,
    answer: approvalView,
    errors: ['approval_not_found', 'approval_over', 'approval_own'],
  })
  approve(@Param('approvalId', { schema: z.uuid() }) id: string, @CurrentActor() actor: Principal) {
    return this.approvals.decide(id, 'approved', actor);
  }

  @Post(':approvalId/reject')
  @Endpoint({
    summary: 'Rejects a request',
    permission: 'approval.decide',
    audit: 'approval.reject',
    whileLocked: true,
    answer: approvalView,
    errors: ['approval_not_found', 'approval_over'],
  })
  reject(@Param('approvalId', { schema: z.uuid() }) id: string, @CurrentActor() actor: Principal) {
    return this.approvals.decide(id, 'rejected', actor);
  }
}
