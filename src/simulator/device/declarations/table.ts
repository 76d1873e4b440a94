/* The configuration services that every device has, as declarations. Add one here, or in a fleet file, to simulate another. */
import { serviceDeclaration, type ServiceDeclaration } from '../service-declaration.js';
import { FIREWALL } from './firewall.js';
import { MOBILE } from './mobile.js';
import { NETWORK } from './network.js';
import { SYSTEM } from './system.js';
import { VPN } from './vpn.js';

const BUILT_IN: readonly ServiceDeclaration[] = [...VPN, ...NETWORK, ...FIREWALL, ...MOBILE, ...SYSTEM].map(
  (declaration) => serviceDeclaration.parse(declaration),
);
/** By path; what a fleet file declares takes the place of a built-in service of the same path. */
export function declarationTable(extra: readonly ServiceDeclaration[] = []): ReadonlyMap<string, ServiceDeclaration> {
  return new Map([...BUILT_IN, ...extra].map((declaration) => [declaration.path, declaration]));
}
