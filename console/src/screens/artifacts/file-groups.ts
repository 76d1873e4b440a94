import { type components } from '../../../../src/api-client/openapi.js';

/* Files of one kind as one row of the list. */

type Artifact = components['schemas']['Artifact'];

export interface FileGroup {
  readonly kind: string;
  /** The newest first. */
  readonly files: readonly [Artifact, ...Artifact[]];
}

/** Of fewer files each has its own row. */
const TOGETHER = 4;

/** The rows of a list, in the order of the newest file of each: those of a kind with many files are one. */
export function fileGroups(files: readonly Artifact[]): readonly (FileGroup | Artifact)[] {
  const kinds = new Map<string, Artifact[]>();
  for (const file of files) kinds.set(file.kind, [...(kinds.get(file.kind) ?? []), file]);
  // One kind alone is the list itself, unless it is one file of each of many devices.
  const isMany = (kind: string): boolean => {
    const all = kinds.get(kind) ?? [];
    return all.length >= TOGETHER && (kinds.size > 1 || all.every(({ deviceId }) => deviceId !== null));
  };
  const seen = new Set<string>();
  return files.flatMap((file): (FileGroup | Artifact)[] => {
    if (!isMany(file.kind)) return [file];
    if (seen.has(file.kind)) return [];
    seen.add(file.kind);
    return [{ kind: file.kind, files: kinds.get(file.kind) as unknown as FileGroup['files'] }];
  });
}

/** The kind whose group is the only row of the list; null: there are others. */
export function onlyGroup(rows: readonly (FileGroup | Artifact)[]): string | null {
  const [first] = rows;
  return rows.length === 1 && first && 'files' in first ? first.kind : null;
}
