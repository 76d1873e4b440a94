import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { relativeText } from '../../../../src/api-client/relative-time.js';
import { bytesText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { firmwareParts } from '../../api/device-texts.js';
import { useList } from '../../api/lists.js';
import { unreadChoices } from '../../api/problems.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { deviceQuery } from '../../api/queries.js';
import { SelectField } from '../../ui/field.js';
import { exactText, useNow } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { type Spec } from './fields.js';
import { useScene } from './form-scene.js';
import { vendorNewestQuery } from './vendor-newest.js';
import { vendorText } from './vendor-text.js';

type Artifact = Schema<'Artifact'>;

interface FieldProps {
  label: string;
  spec: Spec;
  onSpec: (spec: Spec) => void;
  wrong: string | null;
}

/** The spec with a stored file and the digest of exactly this file; undefined: none. */
function withArtifact(spec: Spec, artifact: Artifact | undefined): Spec {
  const { artifactId: _, sha256: __, source: ___, ...rest } = spec;
  return artifact ? { ...rest, artifactId: artifact.id, sha256: artifact.sha256 } : rest;
}

const chosenOf = ({ artifactId }: Spec): string => (typeof artifactId === 'string' ? artifactId : '');

/** A choice that the list does not have, such as one of a link, stays chosen. */
function optionsOf(rows: readonly Artifact[], chosen: string, textOf: (one: Artifact) => string) {
  const known = rows.map((one) => [one.id, textOf(one)] as const);
  return chosen === '' || known.some(([id]) => id === chosen) ? known : [...known, [chosen, chosen] as const];
}

const VENDOR = 'vendor';

const VENDOR_HINT = 'fetched by the device itself from the vendor, over the internet';

/** What the one device of the job runs, and what the vendor has for it; empty: there are several devices, or it is not known. */
function useVersions(isVendor: boolean): { readonly now: string; readonly vendor: string } {
  const { device, isFixed } = useScene();
  const isOne = isFixed && device !== null;
  const { data } = useQuery({ ...deviceQuery(device ?? ''), enabled: isOne, retry: false });
  const newest = useQuery({ ...vendorNewestQuery(device ?? ''), enabled: isOne && isVendor }).data;
  const now = useNow();
  if (!isOne || !data) return { now: '', vendor: '' };
  return {
    now: data.firmware ? `Now ${firmwareParts(data.firmware).version}` : '',
    vendor: vendorText(data, newest, (at) => relativeText(new Date(at).getTime() - now)),
  };
}

/** The newest firmware of the vendor, or a stored image. */
export function FirmwareField({ label, spec, onSpec, wrong }: FieldProps): ReactNode {
  const { rows, error } = useList('/v1/artifacts', { key: KEYS.artifacts.firmware, query: { kind: 'firmware' } });
  const chosen = chosenOf(spec);
  const image = rows.find(({ id }) => id === chosen);
  const isVendor = spec['source'] === VENDOR;
  const { now, vendor } = useVersions(isVendor);
  const hint = image
    ? `${now && `${now} → ${image.version ? firmwareParts(image.version).version : image.name} · `}for ${image.models.join(', ') || 'any model'} · SHA-256 ${image.sha256.slice(0, 12)}…`
    : isVendor && `${vendor && `${vendor} · `}${VENDOR_HINT}`;
  return (
    <SelectField
      label={label}
      hint={hint || undefined}
      wrong={unreadChoices(error) ?? wrong}
      value={isVendor ? VENDOR : chosen}
      options={[
        [VENDOR, 'The newest of the vendor'],
        ...(isVendor || chosen !== '' ? [] : ([['', 'Choose …']] as const)),
        ...optionsOf(rows, chosen, ({ name, version }) => (version ? `${version} · ${name}` : name)),
      ]}
      onChange={({ target: { value } }) =>
        onSpec(
          value === VENDOR
            ? { ...withArtifact(spec, undefined), source: VENDOR }
            : withArtifact(
                spec,
                rows.find(({ id }) => id === value),
              ),
        )
      }
    />
  );
}

/** A stored file of some kinds; backups of the device first. */
export function ArtifactField({
  label,
  kinds,
  spec,
  onSpec,
  wrong,
}: FieldProps & { kinds: readonly string[] }): ReactNode {
  const { device, isFixed } = useScene();
  const isBackup = kinds.includes('backup');
  const isOwn = isBackup && isFixed && spec['allowOther'] !== true;
  const query = { limit: 100, ...(isBackup ? { kind: 'backup' } : {}), ...(isOwn && device ? { device } : {}) };
  const { rows, error, isLoading } = useList('/v1/artifacts', { key: KEYS.artifacts.ofJobs, query });
  const found = rows.filter(({ kind }) => kinds.includes(kind));
  const isNone = !isLoading && !error && found.length === 0;
  return (
    <SelectField
      label={label}
      wrong={unreadChoices(error) ?? wrong}
      hint={isNone && <NoFiles isBackup={isBackup} />}
      value={chosenOf(spec)}
      options={[['', 'Choose …'], ...optionsOf(found, chosenOf(spec), isBackup ? backupText : fileText)]}
      onChange={({ target: { value } }) =>
        onSpec(
          withArtifact(
            spec,
            found.find(({ id }) => id === value),
          ),
        )
      }
    />
  );
}

const backupText = ({ createdAt, name, version }: Artifact): string =>
  `${exactText(createdAt)} · ${name}${version ? ` · ${version}` : ''}`;

const fileText = ({ name, bytes, kind }: Artifact): string => `${name} · ${kind}, ${bytesText(bytes)}`;

function NoFiles({ isBackup }: { isBackup: boolean }): ReactNode {
  if (isBackup) return 'None is stored yet. Make one with “Back up”.';
  return (
    <>
      None is stored yet. <To to="/artifacts">Upload one</To> first.
    </>
  );
}
