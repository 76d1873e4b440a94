/* What was read of devices at some paths, for statements over many devices. Pure. */

/** Bodies that are open at once, of at most 64 kB each. */
const BODIES_AT_ONCE = 400;

/** How many devices are looked at together. */
export const devicesAtOnce = (paths: readonly string[]): number =>
  Math.max(1, Math.floor(BODIES_AT_ONCE / paths.length));

/** By path; null: nothing was read. */
export type ObservedPaths = Readonly<
  Record<string, { readonly digest: string | null; readonly error: string | null }>
> | null;

/** `ObservedPaths` of a row of table `device`. @param paths the parameter with the paths, such as `$1` */
export const observedSql = (paths: string): string => `
  (select jsonb_object_agg(observed.path, jsonb_build_object('digest', observed.digest, 'error', observed.error))
     from observed where observed.device_id = device.id and observed.path = any (${paths}::text[]))`;

export const digestsOf = ({ observed }: { readonly observed: ObservedPaths }): string[] =>
  Object.values(observed ?? {}).flatMap(({ digest, error }) => (error === null && digest !== null ? [digest] : []));

/** What is known of the paths of a device: bodies, or why one is not there. */
export interface Readings {
  readonly bodies: ReadonlyMap<string, unknown>;
  /** Of the bodies, for equal devices. */
  readonly digest: string;
  readonly notThere: string | null;
}

/** @param bodies by digest */
export function readingsOf(observed: ObservedPaths, bodies: ReadonlyMap<string, unknown>): Readings {
  const paths = Object.entries(observed ?? {});
  const seen = paths.flatMap(([path, { digest, error }]) =>
    error === null && digest !== null && bodies.has(digest) ? [[path, digest] as const] : [],
  );
  return {
    bodies: new Map(seen.map(([path, digest]) => [path, bodies.get(digest)])),
    digest: JSON.stringify(seen),
    notThere: paths.find(([, { error }]) => error === 'not_there')?.[0] ?? null,
  };
}
