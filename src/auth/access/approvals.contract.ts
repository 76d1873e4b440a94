import { z } from 'zod';
import { instant } from '../../http/endpoint.js';
import { pageOf, pageQuery } from '../../http/page.js';

const APPROVAL_STATES = ['pending', 'approved', 'rejected', 'used'] as const;

export const approvalQuery = z.strictObject({ ...pageQuery.shape, state: z.enum(APPROVAL_STATES).optional() });
export type ApprovalQuery = z.output<typeof approvalQuery>;

export const approvalView = z
  .object({
    id: z.uuid(),
    action: z.string(),
    state: z.enum(APPROVAL_STATES),
    summary: z.record(z.string(), z.unknown()).describe('The request, without its body'),
    digest: z.string().describe('SHA-256 of the request; the approval is for exactly this request'),
    devices: z.number().int().describe('Largest number of devices'),
    requestedBy: z.uuid(),
    requestedByName: z.string(),
    requestedAt: instant,
    expiresAt: instant,
    decidedBy: z.uuid().nullable(),
    decidedByName: z.string().nullable(),
    decidedAt: instant.nullable(),
    usedAt: instant.nullable(),
  })
  .meta({ id: 'Approval' });
export type Approval = z.input<typeof approvalView>;

export const approvalPage = pageOf(approvalView).meta({ id: 'ApprovalPage' });
