/* Where the gateway is: PUBLIC_URL may have a path, and then the scripts of the console come from below it (`/fleet/console/assets/…`). */

const { pathname } = new URL(import.meta.url);
const PREFIX = pathname.slice(0, pathname.lastIndexOf('/console/'));

/** The address of a path at the gateway, such as `/v1/jobs`, for what does not go through the client. */
export const ownPath = (path: string): string => PREFIX + path;

/** The address of the gateway, for lines that are copied. */
export const gatewayUrl = (): string => location.origin + PREFIX;
