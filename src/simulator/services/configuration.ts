/* The requests of every configuration service, whatever it declares: `/x/config`, `/x/config/{id}`, `/x/global`. */
import type { DeviceMethod } from '../../device-api/contract.js';
import type { Section, SectionChange, ServiceAddress } from '../device/configuration.js';
import { isLater } from '../device/service-declaration.js';
import type { SimulatedDevice } from '../device/device.js';
import { ok, DeviceRefusal, refuse, type SimulatedAnswer, type SimulatedRequest } from '../device/exchange.js';
import { removeUplinksOf } from './network/wireless.js';
import { itemsToChange, itemsToRemove, numberIn, objectIn } from '../http/request-data.js';

/** What a path means: a service, and the section where it names one. */
export interface ConfigurationTarget {
  readonly address: ServiceAddress;
  readonly id?: string;
}

type Handler = (
  device: SimulatedDevice,
  request: SimulatedRequest,
  address: ServiceAddress,
  id: string,
) => SimulatedAnswer;

/** Finds the service that a path without version belongs to; null when none does. */
export function configurationTarget(
  device: SimulatedDevice,
  { path, version }: Pick<SimulatedRequest, 'path' | 'version'>,
): ConfigurationTarget | null {
  const target = pathTarget(device, path);
  if (!target || isLater(target.address.declaration, version)) return null;
  return { ...target, address: { ...target.address, version } };
}

function pathTarget(device: SimulatedDevice, path: string): ConfigurationTarget | null {
  const segments = path.slice('/api/'.length).split('/');
  const last = segments.at(-1);
  if (last === 'global') return targetOf(device, segments.slice(0, -1), 'record');
  if (last === 'config') return targetOf(device, segments.slice(0, -1), 'sections');
  if (segments.at(-2) !== 'config') return null;
  const target = targetOf(device, segments.slice(0, -2), 'sections');
  return target && { ...target, id: decodeURIComponent(last ?? '') };
}

function targetOf(
  device: SimulatedDevice,
  segments: string[],
  kind: 'sections' | 'record',
): ConfigurationTarget | null {
  const key = segments.join('/');
  const beside = kind === 'record' ? device.declarations.get(`${key}/global`) : undefined;
  const declaration = beside ?? device.declarations.get(key);
  if (declaration?.kind === kind) return { address: { declaration, key: declaration.stores ?? declaration.path } };
  // A nested service: one segment of the path is the id of another service's section.
  for (let index = 1; index < segments.length; index++) {
    const nested = device.declarations.get(segments.with(index, '{parent}').join('/'));
    if (nested?.kind === kind) {
      return {
        address: {
          declaration: nested,
          key: nested.stores ?? key,
          parent: { key: segments.slice(0, index).join('/'), id: segments[index]! },
        },
      };
    }
  }
  return null;
}

/** Answers a request for a configuration service. @throws Refused as `Configuration` does */
export function answerConfiguration(
  device: SimulatedDevice,
  request: SimulatedRequest,
  { address, id }: ConfigurationTarget,
): SimulatedAnswer {
  const { declaration } = address;
  if (declaration.needs && !device.family.has[declaration.needs])
    throw new DeviceRefusal(100, { source: declaration.path });
  const handlers = declaration.kind === 'record' ? RECORD : id === undefined ? COLLECTION : ONE;
  const handler = handlers[request.method as DeviceMethod];
  if (!handler) throw refuse('unsupportedMethod', device.behaviour.profile);
  return handler(device, request, address, id ?? '');
}

/** Firmware 7.12 and later lists what is not set, too, when asked to. */
function withUnset({ declaration }: ServiceAddress, section: Section): Section {
  const all: Section = { ...section };
  for (const [name, rule] of Object.entries(declaration.options)) {
    if (rule.secret !== true) all[name] ??= rule.list === true ? [] : '';
  }
  return all;
}

const ALL_OPTIONS = 'all_options';

/** Query parameters of a list, beside those that select sections. */
export function listQuery(device: SimulatedDevice, { declaration }: ServiceAddress): readonly string[] {
  const [major, minor] = device.firmwareParts;
  const isNew = device.behaviour.profile === 'rutos' && (major > 7 || (major === 7 && minor >= 12));
  return ['limit', 'offset', ...(isNew ? [ALL_OPTIONS] : []), ...declaration.filters];
}

const list: Handler = (device, { query }, address) => {
  const { filters } = address.declaration;
  const wanted = (section: Section) => filters.every((name) => !query.has(name) || query.get(name) === section[name]);
  const found = device.configuration.list(address).filter(wanted);
  const sections = query.has(ALL_OPTIONS) ? found.map((section) => withUnset(address, section)) : found;
  const [limit, offset] = [numberIn(query, 'limit', sections.length), numberIn(query, 'offset', 0)];
  const data = sections.slice(offset, offset + limit);
  const isPaged = device.behaviour.profile === 'rutos' && (query.has('limit') || query.has('offset'));
  return ok(data, isPaged ? { metadata: { total: sections.length, limit, offset } } : undefined);
};

const create: Handler = (device, request, address) => {
  const section = device.configuration.create(address, objectIn(request));
  device.did(request.entry, 'create', `${address.key}/${section.id}`);
  return { ...ok(section), status: device.behaviour.createdStatus };
};

function update(device: SimulatedDevice, { entry }: SimulatedRequest, address: ServiceAddress, items: SectionChange[]) {
  const sections = device.configuration.update(address, items);
  for (const { id } of sections) device.did(entry, 'update', `${address.key}/${id}`);
  return sections;
}

function remove(device: SimulatedDevice, { entry }: SimulatedRequest, address: ServiceAddress, ids: string[]) {
  const removed = device.usedSections(address.key).filter(({ id }) => ids.includes(id));
  device.configuration.remove(address, ids);
  if (address.key === 'wireless/interfaces') removeUplinksOf(device, removed);
  for (const id of ids) device.did(entry, 'delete', `${address.key}/${id}`);
  const isSilent = address.declaration.silentDelete && device.behaviour.profile === 'rutos';
  return isSilent ? undefined : ids.map((id) => ({ id }));
}

const updateRecord: Handler = (device, request, address) => {
  const section = device.configuration.updateRecord(address, objectIn(request));
  device.did(request.entry, 'update', address.key);
  return ok(section);
};

const COLLECTION: Partial<Record<DeviceMethod, Handler>> = {
  GET: list,
  POST: create,
  PUT: (device, request, address) => {
    const sole = address.declaration.soleSection ? device.configuration.list(address)[0]?.id : undefined;
    return ok(update(device, request, address, itemsToChange(request, sole)));
  },
  DELETE: (device, request, address) => ok(remove(device, request, address, itemsToRemove(request))),
};
const ONE: Partial<Record<DeviceMethod, Handler>> = {
  GET: (device, _request, address, id) => ok(device.configuration.get(address, id)),
  PUT: (device, request, address, id) => ok(update(device, request, address, [{ id, data: objectIn(request) }])[0]),
  DELETE: (device, request, address, id) => ok(remove(device, request, address, [id])?.[0]),
};
const RECORD: Partial<Record<DeviceMethod, Handler>> = {
  GET: (device, _request, address) => ok(device.configuration.record(address)),
  PUT: updateRecord,
};
