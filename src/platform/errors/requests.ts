import { type ErrorInfo } from './error-info.js';

/** Errors of any request: its form, its headers, its limits. */
export const REQUEST_ERRORS = {
  invalid_input: {
    status: 400,
    title: 'The request is not valid',
    advice: 'Correct the fields that `errors` names. /openapi.json describes every field.',
  },
  invalid_json: {
    status: 400,
    title: 'The body is not valid JSON',
    advice: 'Send JSON in UTF-8 with Content-Type: application/json.',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor does not belong to this list',
    advice: 'Start again without `cursor`, and use the same query parameters for every page.',
  },
  request_aborted: {
    status: 400,
    retryable: true,
    title: 'The connection closed before the request was complete',
    advice: 'Send it again.',
  },
  malformed_request: {
    status: 400,
    title: 'The request is not valid HTTP/1.1 (RFC 9112)',
    advice:
      'Send HTTP/1.1 or 1.0, one Host header with a name or an address, and no Transfer-Encoding except `chunked`. ' +
      'The gateway is no proxy for CONNECT.',
  },
  request_too_slow: {
    status: 408,
    retryable: true,
    title: 'The request did not arrive in time',
    advice:
      'Send it faster: a body within 30 seconds; a file or an upload to a device may take longer, at 1 kB per second.',
  },
  address_too_long: {
    status: 414,
    title: 'The address of the request is too long',
    advice: 'Send a shorter path and query. Requests with a body take long selectors in the body.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers of the request are too large',
    advice: 'Send less than 16 kB of headers, the address included.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    advice: 'Send at most `limitBytes` bytes.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'This address does not accept the content type',
    advice: 'Send application/json.',
  },
  not_acceptable: {
    status: 406,
    title: 'The answer does not come in the type that the request accepts',
    advice: 'Send no Accept header, or accept application/x-ndjson and application/json. A fan-out is lines of JSON.',
  },
  route_not_found: {
    status: 404,
    title: 'There is no such address',
    advice:
      'See /docs for all addresses. Where there is a `prefix`, the request came with it before an address: let the proxy in front take it off, or give it to PUBLIC_URL.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This address does not accept the method',
    advice: 'See /docs for the methods of each address.',
  },
  version_changed: {
    status: 412,
    title: 'Another request changed the resource',
    advice: 'Read it again, and send the new ETag in If-Match.',
  },
  change_reason_required: {
    status: 400,
    title: 'This change needs a reason',
    advice: 'Send the reason in X-Change-Reason, for example a ticket number.',
  },
  idempotency_key_required: {
    status: 400,
    title: 'A request that writes to many devices needs an Idempotency-Key',
    advice: 'Send Idempotency-Key with a value of your choice: 8 to 128 letters, digits and - _ . characters.',
  },
  idempotency_key_running: {
    status: 409,
    retryable: true,
    title: 'The request with this Idempotency-Key has not ended',
    advice:
      'Wait until it ends, then send it again. If it never ends, GET /v1/audit?requestId=`firstRequestId`&since=`firstAt` shows what was done.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'This Idempotency-Key belongs to another request',
    advice: 'Use a new key for a new request. The gateway remembers a key for 24 hours.',
  },
  idempotency_outcome_unknown: {
    status: 409,
    title: 'The request with this Idempotency-Key failed, and it may have been executed',
    advice:
      'GET /v1/audit?requestId=`firstRequestId`&since=`firstAt` shows what was done. If nothing was done, send it with a new key.',
  },
  idempotency_answer_withheld: {
    status: 403,
    title: 'Your rights changed after the request with this Idempotency-Key was executed',
    advice: 'The gateway does not execute it again. Read its result with your present rights.',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    title: 'Too many calls for this key or this operator',
    advice: 'Wait Retry-After seconds. The RateLimit headers show what is left; a call costs one for each device.',
  },
  too_many_scans: {
    status: 429,
    retryable: true,
    title: 'Too many lists, summaries and previews of this operator are running and waiting',
    advice:
      'Wait Retry-After seconds, and send fewer requests at once. `limit` of them run at a time in each process, and `waiting` more may wait.',
  },
  too_many_requests_at_once: {
    status: 429,
    retryable: true,
    title: 'Too many requests at once on this connection, or from this address without a key',
    advice: 'Wait for the answers of earlier requests. `limit` is the largest number.',
  },
  too_many_saved: {
    status: 409,
    title: 'There are as many of these as there may be',
    advice: 'Remove one that is no longer needed. `limit` is the number.',
  },
  too_many_streams: {
    status: 429,
    retryable: true,
    title: 'Too many event streams of this operator',
    advice: 'Close a stream, or follow all types in one stream. `limit` is the largest number.',
  },
} as const satisfies Record<string, ErrorInfo>;
