import { wordsOfService } from '../../../../src/device-api/words/dictionary.js';
import { type ServiceWords } from '../../../../src/device-api/words/words.js';
import { type Operation, type Option } from '../device-api/operation.js';

/** One configuration service of a device: a record, or a list of sections. */
export interface Service {
  /** Where it is read, such as `/api/wireguard/config`. */
  readonly path: string;
  /** As the dictionary knows it, such as `wireguard`, `firewall/global`, `wireguard/{parent}/peers`. */
  readonly name: string;
  readonly words: ServiceWords;
  readonly isRecord: boolean;
  readonly canWrite: boolean;
  readonly canCreate: boolean;
  readonly canDelete: boolean;
  readonly options: readonly Option[];
}

const ENDING = /\/(?:config|global)$/;

/** The services of a document. Those below a placeholder are of a section of another service. */
export function servicesOf(operations: readonly Operation[]): readonly Service[] {
  const byAddress = new Map(operations.map((one) => [`${one.method} ${one.path}`, one]));
  return operations
    .filter(({ method, path }) => method === 'GET' && ENDING.test(path))
    .map(({ path }) => {
      const name = path
        .slice('/api/'.length)
        .replace(/\/config$/, '')
        .replaceAll(/\{\w+\}/g, '{parent}');
      const isRecord = path.endsWith('/global');
      const change = isRecord ? byAddress.get(`PUT ${path}`) : ofOne(operations, 'PUT', path);
      return {
        path,
        name,
        words: wordsOfService(name),
        isRecord,
        canWrite: change !== undefined,
        canCreate: byAddress.has(`POST ${path}`),
        canDelete: !isRecord && ofOne(operations, 'DELETE', path) !== undefined,
        options: change?.options ?? [],
      };
    });
}

const ofOne = (operations: readonly Operation[], method: string, path: string): Operation | undefined =>
  operations.find(
    (one) =>
      one.method === method && one.path.startsWith(`${path}/{`) && !one.path.slice(path.length + 1).includes('/'),
  );

export const isNested = ({ path }: Service): boolean => path.includes('{');

/** The service at an address, such as that of the peers of one tunnel. */
export function serviceAt(services: readonly Service[], address: string): Service | undefined {
  const found = services.find(({ path }) => path === address) ?? services.find(({ path }) => fits(path, address));
  return found && { ...found, path: address };
}

function fits(path: string, address: string): boolean {
  const parts = address.split('/');
  const wanted = path.split('/');
  return wanted.length === parts.length && wanted.every((part, at) => part.startsWith('{') || part === parts[at]);
}

/** The services that a section of a service has, such as the peers of a tunnel, with their addresses. */
export const servicesBelow = (services: readonly Service[], { path, isRecord }: Service, id: string): Service[] => {
  const base = path.replace(ENDING, '');
  const own = `${base}/${encodeURIComponent(id)}`;
  return isRecord
    ? []
    : services
        .filter((one) => one.path.startsWith(`${base}/{`) && !one.path.slice(one.path.indexOf('}') + 1).includes('{'))
        .map((one) => ({ ...one, path: own + one.path.slice(one.path.indexOf('}') + 1) }));
};
