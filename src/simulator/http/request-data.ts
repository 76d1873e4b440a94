/* The forms of `data` in a request body, read the same way by every service. */
import type { SectionChange } from '../device/configuration.js';
import { DeviceRefusal, type SimulatedRequest, ok } from '../device/exchange.js';
import type { SimulatedDevice } from '../device/device.js';

/** Whether a value is an object of JSON, and not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function dataIn({ body }: SimulatedRequest): unknown {
  if (body === undefined) throw new DeviceRefusal(114);
  const { data } = body as { data?: unknown };
  if (data === undefined || data === null) throw new DeviceRefusal(107, { source: 'data' });
  return data;
}

/** Keeps the uploaded file where the web interface of a device does. @param option that may name it */
export function keepUpload(device: SimulatedDevice, { file, entry }: SimulatedRequest, option: string) {
  const path = `/etc/vuci-uploads/cbid.${option}.${file!.name.replaceAll(/[^A-Za-z0-9._-]/g, '_')}`;
  device.keepUpload(path, file!.size);
  device.did(entry, 'upload', path);
  return ok({ path });
}

/** A number in the query. @throws Refused 116 */
export function numberIn(query: URLSearchParams, name: string, usual: number): number {
  const text = query.get(name);
  if (text !== null && !/^\d{1,6}$/.test(text)) throw new DeviceRefusal(116, { source: name, value: text });
  return text === null ? usual : Number(text);
}

/** `data` as an object. @throws Refused 107, 114 */
export function objectIn(request: SimulatedRequest): Record<string, unknown> {
  const data = dataIn(request);
  if (!isRecord(data)) throw new DeviceRefusal(107, { source: 'data' });
  return data;
}

/**
 * `data` as a list of changes, each with its `id` (observed-devices.md 1.11).
 * @param usualId of an item that has none @throws Refused 107, 110, 114
 */
export function itemsToChange(request: SimulatedRequest, usualId?: string): SectionChange[] {
  const data = dataIn(request);
  if (!Array.isArray(data) || data.length === 0) throw new DeviceRefusal(107, { source: 'data' });
  return data.map((item: unknown) => {
    if (!isRecord(item)) throw new DeviceRefusal(107, { source: 'data' });
    const { id = usualId } = item;
    if (typeof id !== 'string' || id === '') throw new DeviceRefusal(110, { source: 'id' });
    return { id, data: item };
  });
}

/** `data` as a list of ids; without any the complete configuration would be deleted. @throws Refused 107, 112 */
export function itemsToRemove({ body }: SimulatedRequest): string[] {
  const { data } = (body ?? {}) as { data?: unknown };
  if (data === undefined || (Array.isArray(data) && data.length === 0)) throw new DeviceRefusal(112);
  if (!Array.isArray(data) || !data.every((id) => typeof id === 'string'))
    throw new DeviceRefusal(107, { source: 'data' });
  return [...new Set(data)];
}
