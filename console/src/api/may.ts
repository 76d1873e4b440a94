import { useQuery } from '@tanstack/react-query';
import { selfQuery } from './queries.js';

/** Whether the caller holds a permission for at least one device; the gateway decides for the one at hand. */
export function useMay(permission: string): boolean {
  const self = useQuery(selfQuery);
  return self.data?.permissions.includes(permission) ?? false;
}
