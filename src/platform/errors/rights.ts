import { type ErrorInfo } from './error-info.js';

/** Errors of rights: permissions, roles, locks and approvals. */
export const RIGHTS_ERRORS = {
  forbidden: {
    status: 403,
    title: 'You do not have permission',
    advice: 'Ask a holder of the permission named in `permission`. GET /v1/rights/explain shows which rule decides.',
  },
  rights_not_held: {
    status: 403,
    title: 'You cannot give rights that you do not hold',
    advice:
      'Give less, or ask an operator that holds the permission named in `permission` for all these devices and paths.',
  },
  starter_may_not: {
    status: 403,
    title: 'The operator that started this work no longer has permission',
    advice: 'Ask a holder of the permission named in `permission` on this device to start it.',
  },
  author_gone: {
    status: 403,
    title: 'Its author is disabled, or their key was revoked',
    advice: 'Save it in your own name, or remove it.',
  },
  author_may_not: {
    status: 403,
    title: 'The author of the rollout no longer has permission for each of its devices',
    advice:
      'Create the rollout in your own name, or give its author the permission named in `permission` on its devices.',
  },
  role_not_found: {
    status: 404,
    title: 'There is no such role',
    advice: 'GET /v1/roles lists them.',
  },
  role_built_in: {
    status: 409,
    title: 'Built-in roles cannot be changed',
    advice: 'Save your own role under another name.',
  },
  role_in_use: {
    status: 409,
    title: 'An operator has this role',
    advice: 'First give them other roles with PUT /v1/operators/{operatorId}/roles.',
  },
  lock_not_found: {
    status: 404,
    title: 'There is no such lock',
    advice: 'GET /v1/locks lists the active ones.',
  },
  locked: {
    status: 423,
    retryable: true,
    title: 'A lock prevents this',
    advice:
      'The lock is described by `locked`, `reason`, `since`, `until` and `by`. DELETE /v1/locks/{lockId} lifts it.',
  },
  approval_required: {
    status: 409,
    title: 'A request for so many devices needs the approval of a second person',
    advice:
      'Have `approvalId` approved at POST /v1/approvals/{approvalId}/approve, then send the same request with the header Approval-Id.',
  },
  approval_own: {
    status: 403,
    title: 'You cannot approve your own request',
    advice: 'Ask another holder of `approval.decide`.',
  },
  approval_over: {
    status: 409,
    title: 'The approval is decided, used or expired',
    advice: 'Send the request again without Approval-Id to ask for a new approval.',
  },
  approval_mismatch: {
    status: 409,
    title: 'The approval is for another request',
    advice: 'Send exactly the approved request, for devices that it covers. Ask for a new approval for other devices.',
  },
  approval_not_found: {
    status: 404,
    title: 'There is no such approval',
    advice: 'GET /v1/approvals lists them.',
  },
} as const satisfies Record<string, ErrorInfo>;
