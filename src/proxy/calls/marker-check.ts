import { PATHS } from '../../device-api/contract.js';
import { holdsMarker, MarkerScan } from '../../device-api/redaction-marker.js';
import { AppError } from '../../platform/errors.js';
import { type CallRequest } from '../connections/call-request.js';
import { type PreparedRequest } from './call-context.js';

/*
 * No redaction marker may be written to a device, except in firmware. A client that may not read a secret reads a
 * marker in its place, and a client that writes back what it read would replace the secret by the marker.
 */

/**
 * Firmware holds no options, so no marker in it becomes a secret. The search took 80 of 210 ms for 100 MB (P8 of
 * docs/explanation/performance.md, 2 cores, Node 20.20.2).
 */
const isFirmware = ({ path }: CallRequest): boolean => path.authPath === PATHS.uploadFirmware;

/**
 * Refuses a write whose address or body holds a marker, whatever the form of the body; firmware is not searched. A
 * streamed body is checked while it is sent (`markerInspection`).
 * @throws AppError `redaction_marker`
 */
export function refuseMarkers({ call, body }: Pick<PreparedRequest, 'call' | 'body'>): void {
  if (holdsMarker(call.path.sentPath)) throw new AppError('redaction_marker');
  if (isFirmware(call)) return;
  if (Buffer.isBuffer(body) && new MarkerScan().holds(body)) throw new AppError('redaction_marker');
}

/**
 * The check of a body that is sent in parts.
 * @returns a function that gives the error for the part in which a marker ends, else null; undefined where nothing is
 *   checked
 */
export function markerInspection(call: CallRequest): ((part: Buffer) => AppError | null) | undefined {
  if (!call.writes || isFirmware(call)) return undefined;
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
