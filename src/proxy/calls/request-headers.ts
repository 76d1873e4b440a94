/**
 * The headers of a request to a device, names and values in turn, built from nothing: whatever else a caller sent (cookies,
 * forwarding headers, its own Authorization) stays here. Host, Connection and the length of a body in memory are the
 * transport's; `authorization` is added when the session is known.
 */
export function requestHeaders(given: {
  readonly accept?: string | undefined;
  readonly contentType?: string | undefined;
  /** Only for a body that is streamed. */
  readonly contentLength?: string | undefined;
  readonly requestId: string | null;
}): string[] {
  const headers = ['user-agent', 'fleetgate', 'accept', given.accept ?? '*/*', 'accept-encoding', 'identity'];
  if (given.contentType !== undefined) headers.push('content-type', given.contentType);
  if (given.contentLength !== undefined) headers.push('content-length', given.contentLength);
  if (given.requestId !== null) headers.push('x-request-id', given.requestId);
  return headers;
}
