import { type Operation } from '../device-api/document.js';
import { type Option } from '../device-api/option.js';

/** One configuration service of a device: a record, or a list of sections. */
export interface Service {
  /** Where it is read, such as `/api/wireguard/config`. */
  readonly path: string;
  /** Without `/api/` and its end, such as `wireguard`. */
  readonly name: string;
  readonly summary: string;
  readonly isRecord: boolean;
  readonly canWrite: boolean;
  readonly canCreate: boolean;
  readonly options: readonly Option[];
}

export interface ServiceGroup {
  readonly name: string;
  readonly services: readonly Service[];
}

const ENDING = /\/(?:config|global)$/;

/** The services of a document. Those below a placeholder need a parent, and are in the API alone. */
export function servicesOf(operations: readonly Operation[]): readonly Service[] {
  const byAddress = new Map(operations.map((one) => [`${one.method} ${one.path}`, one]));
  return operations
    .filter(({ method, path }) => method === 'GET' && ENDING.test(path) && !path.includes('{'))
    .map(({ path, summary }) => {
      const isRecord = path.endsWith('/global');
      const change = isRecord ? byAddress.get(`PUT ${path}`) : changeOfOne(operations, path);
      return {
        path,
        name: path.slice('/api/'.length).replace(/\/config$/, ''),
        summary: summary.replace(/: [^:]*$/, ''),
        isRecord,
        canWrite: change !== undefined,
        canCreate: byAddress.has(`POST ${path}`),
        options: change?.options ?? [],
      };
    });
}

const changeOfOne = (operations: readonly Operation[], path: string): Operation | undefined =>
  operations.find(
    (one) => one.method === 'PUT' && one.path.startsWith(`${path}/{`) && !one.path.slice(path.length + 1).includes('/'),
  );

/** Services by the first part of their names. */
export function groupsOf(services: readonly Service[]): readonly ServiceGroup[] {
  const groups = new Map<string, Service[]>();
  for (const service of services) {
    const name = service.name.split('/')[0] ?? service.name;
    groups.set(name, [...(groups.get(name) ?? []), service]);
  }
  return [...groups]
    .map(([name, members]) => ({ name, services: members }))
    .toSorted((a, b) => a.name.localeCompare(b.name));
}
