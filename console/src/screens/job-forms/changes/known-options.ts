import { queryOptions, useQuery } from '@tanstack/react-query';
import { deviceAnswer } from '../../device-api/device-call.js';
import { documentQuery, fieldsOf } from '../../device-api/document.js';
import { type Option } from '../../device-api/operation.js';
import { type Service, servicesOf } from '../../device-configuration/services.js';
import { useScene } from '../form-scene.js';
import { KEYS } from '../../../api/keys/query-keys.js';

/* What a device has, to complete what is typed about its configuration. A form works without it, such as for an offline device. */

interface KnownSection {
  /** The paths that could be typed here. */
  readonly paths: readonly string[];
  readonly options: readonly Option[];
  /** What the device has in the section; null: not known. */
  readonly values: Readonly<Record<string, unknown>> | null;
}

/** The sections of a service as the device has them now. */
export const sectionsQuery = (device: string, path: string) =>
  queryOptions({
    queryKey: KEYS.deviceConfiguration.one(device, path, false),
    queryFn: async ({ signal }): Promise<unknown> => {
      const { value } = await deviceAnswer(device, { method: 'GET', path }, signal);
      return fieldsOf(value)['data'] ?? null;
    },
    select: (data) => [data].flat().map(fieldsOf),
    retry: false,
    refetchOnWindowFocus: false,
  });

/** What is known of a section on the device of the form. @param path as far as it is typed */
export function useKnownSection(path: string, action: string): KnownSection {
  const { device } = useScene();
  const { data: operations } = useQuery({ ...documentQuery(device ?? ''), enabled: device !== null, retry: false });
  const services = operations ? servicesOf(operations) : [];
  const service = services.find((one) => path === one.path || path.startsWith(`${one.path}/`));
  const { data: sections = [] } = useQuery({
    ...sectionsQuery(device ?? '', service?.path ?? ''),
    enabled: device !== null && service !== undefined,
  });
  return {
    paths: pathsOf(services, service, sections, action),
    options: service?.options ?? [],
    values: sections.find((one) => service && path === sectionPath(service, one)) ?? null,
  };
}

const sectionPath = ({ path, isRecord }: Service, { id }: Readonly<Record<string, unknown>>): string =>
  isRecord || typeof id !== 'string' ? path : `${path}/${encodeURIComponent(id)}`;

function pathsOf(
  services: readonly Service[],
  service: Service | undefined,
  sections: readonly Readonly<Record<string, unknown>>[],
  action: string,
): readonly string[] {
  if (action === 'create') return services.filter(({ canCreate }) => canCreate).map(({ path }) => path);
  const writable = services.filter(({ canWrite, isRecord }) => canWrite && (action === 'update' || !isRecord));
  const own = service && !service.isRecord ? sections.map((one) => sectionPath(service, one)) : [];
  return [...own, ...writable.map(({ path, isRecord }) => (isRecord ? path : `${path}/`))];
}
