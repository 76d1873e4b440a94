import { useQuery } from '@tanstack/react-query';
import { type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { deviceAnswer } from '../device-api/device-call.js';
import { fieldsOf } from '../device-api/document.js';
import { isSwitchedOn } from './section-title.js';
import { type Service } from './services.js';

/** What the device has for a service now. */
export function useServiceData(device: Schema<'Device'>, { path }: Service, wantsSecrets: boolean, enabled = true) {
  return useQuery({
    queryKey: KEYS.deviceConfiguration.one(device.id, path, wantsSecrets),
    queryFn: async ({ signal }) => {
      const { value } = await deviceAnswer(device.id, { method: 'GET', path, wantsSecrets }, signal);
      return fieldsOf(value)['data'] ?? null;
    },
    enabled,
    refetchOnWindowFocus: false,
    placeholderData: (previous) => previous, // what was typed stays
    ...(wantsSecrets ? { gcTime: 0, staleTime: Infinity } : {}), // each such reading is in the audit log
  });
}

const DHCP = 'dhcp/servers/ipv4';

/** Where a network gives addresses: another service says so, and people look for it at the interface. By the ids of interfaces. */
export function useDhcpStates(
  device: Schema<'Device'>,
  service: Service,
  services: readonly Service[],
): ReadonlyMap<string, string> {
  const servers = service.name === 'interfaces' ? services.find(({ name }) => name === DHCP) : undefined;
  const { data } = useServiceData(device, servers ?? service, false, servers !== undefined);
  if (!servers) return new Map();
  return new Map(
    [data ?? []]
      .flat()
      .map(fieldsOf)
      .flatMap((server) => {
        const isOn = isSwitchedOn(server);
        const network = server['interface'] ?? server['id'];
        return typeof network === 'string' && isOn !== null
          ? [[network, `DHCP server ${isOn ? 'on' : 'off'}`] as const]
          : [];
      }),
  );
}
