/**
 * The headers of a request to a device, alternating names and values. Only known headers are sent: other headers of the
 * caller (cookies, forwarding headers, its own Authorization) are not. The transport adds Host, Connection and the
 * length of a body in memory; `authorization` is added with the session.
 */
export function requestHeaders(given: {
  readonly accept?: string | undefined;
  readonly contentType?: string | undefined;
  /** Only for a streamed body. */
  readonly contentLength?: string | undefined;
  readonly requestId: string | null;
}): string[] {
  const headers = ['user-agent', 'fleetgate', 'accept', given.accept ?? '*/*', 'accept-encoding', 'identity'];
  if (given.contentType !== undefined) headers.push('content-type', given.contentType);
  if (given.contentLength !== undefined) headers.push('content-length', given.contentLength);
  if (given.requestId !== null) headers.push('x-request-id', given.requestId);
  return headers;
}
