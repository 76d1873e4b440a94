import { holdsMarker, MarkerScan } from '../../device-api/redaction-marker.js';
import { AppError } from '../../platform/errors.js';
import { type PreparedRequest } from './call-context.js';

/*
 * No redaction marker may be written to a device. A client that may not read a secret reads a marker in its place, and a
 * client that writes back what it read would replace the secret by the marker.
 */

/**
 * Refuses a write whose address or body holds a marker, in whatever form the body has. A streamed body is checked while it
 * is sent (`markerInspection`).
 * @throws AppError `redaction_marker`
 */
export function refuseMarkers({ call, body }: Pick<PreparedRequest, 'call' | 'body'>): void {
  if (holdsMarker(call.path.sentPath)) throw new AppError('redaction_marker');
  if (Buffer.isBuffer(body) && new MarkerScan().holds(body)) throw new AppError('redaction_marker');
}

/**
 * The check of a body that is sent in parts.
 * @returns the error for the part in which a marker ends, else null
 */
export function markerInspection(): (part: Buffer) => AppError | null {
  const scan = new MarkerScan();
  return (part) => (scan.holds(part) ? new AppError('redaction_marker') : null);
}

/**
 * Refuses what holds a marker before it becomes a job, a rollout or a fan-out.
 * @param value parsed JSON
 * @throws AppError `redaction_marker`
 */
export function refuseMarkersIn(value: unknown): void {
  if (value !== undefined && holdsMarker(JSON.stringify(value))) throw new AppError('redaction_marker');
}
