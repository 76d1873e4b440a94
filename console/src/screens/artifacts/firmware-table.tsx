import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText, numberText, pluralText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { modelText } from '../../api/device-texts.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { ownPath } from '../../api/own-path.js';
import { summaryQuery } from '../../api/queries.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Empty, Failure, Loading } from '../../ui/messages.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { To, useSearchText } from '../../ui/to.js';
import { firmwareRows, type FirmwareRow, selectorOf } from './firmware-rows.js';
import styles from './artifacts.module.css';

type Row = FirmwareRow<Schema<'Artifact'>>;

/** Each firmware that is stored or that devices run: for which devices, how many run it, how many have an older one, and the way to it. */
export function FirmwareTable(): ReactNode {
  const summary = useQuery(summaryQuery({ by: 'firmware' }));
  const images = useList('/v1/artifacts', { key: KEYS.artifacts.firmware, query: { kind: 'firmware' } });
  const mayRoll = useMay('rollout.manage');
  if (images.error) return <Failure error={images.error} onRetry={images.again} />;
  if (summary.error) return <Failure error={summary.error} onRetry={() => void summary.refetch()} />;
  if (images.isLoading || !summary.data) return <Loading />;
  const counted = summary.data.groups[0]?.values ?? [];
  const rows = firmwareRows(counted, images.rows);
  if (rows.length === 0) return <NoFirmware />;
  const unread = counted.find(({ value }) => value === null)?.devices ?? 0;
  const older = new Set(rows.flatMap(({ olderNames }) => olderNames));
  const current = sum(counted.filter(({ value }) => value !== null && !older.has(value)));
  const all = sum(counted);
  return (
    <div className={`stack ${styles['firmware']}`}>
      <Table label="Firmware" rows={rows} rowKey={({ key }) => key} columns={columnsOf(all, mayRoll)} />
      {current > 0 && current < all && (
        <p className="small quiet">
          {countText(current, 'device')} {pluralText(current, 'runs', 'run')} the newest version that the gateway knows.
          The others run an older one; the plan of a rollout says for which of them the vendor has the newest.
        </p>
      )}
      {unread > 0 && (
        <p className="small quiet">The firmware of {countText(unread, 'device')} has not been read yet.</p>
      )}
      {images.rows.length === 0 && (
        <p className="small quiet">
          No image is stored here: each device fetches the newest from the vendor. Upload one for devices without the
          internet.
        </p>
      )}
    </div>
  );
}

const sum = (of: readonly { readonly devices: number }[]): number => of.reduce((all, { devices }) => all + devices, 0);

const columnsOf = (all: number, mayRoll: boolean): readonly Column<Row>[] => [
  {
    title: 'Version',
    cell: ({ name, isNewest, image }) => (
      <span className="row">
        {image ? <ImageLink of={image} text={name} /> : <strong className="foreign">{name}</strong>}
        {isNewest && <span className="chip">newest</span>}
      </span>
    ),
  },
  { title: 'Models', narrow: 'block', cell: (row) => <Models of={row} /> },
  { title: 'Image', narrow: 'beside', cell: ({ image }) => <Stored image={image} /> },
  {
    title: 'Installed on',
    cell: (row) => <Runs row={row} all={all} />,
    brief: ({ runs }) => runs > 0 && `on ${countText(runs, 'device')}`,
  },
  {
    title: 'Run an older one',
    brief: ({ wouldGet, image, isNewest }) =>
      wouldGet > 0 && (image || isNewest) && `${numberText(wouldGet)} run an older one`,
    cell: ({ wouldGet, olderNames, image, isNewest }) =>
      wouldGet === 0 || (!image && !isNewest) ? (
        <span className="quiet">none</span>
      ) : (
        <To to="/devices" search={{ selector: selectorOf(olderNames) }} title="They run an older version">
          {countText(wouldGet, 'device')}
        </To>
      ),
  },
  { title: '', cell: (row) => <Actions row={row} mayRoll={mayRoll} /> },
];

/** Of an image the models that it is for; else those that run the version, with their devices. */
function Models({ of: { of, image, runNames } }: { of: Row }): ReactNode {
  const isCounted = image === null && runNames.length > 0;
  const { data } = useQuery({
    ...summaryQuery({ selector: selectorOf(runNames), by: 'model' }),
    enabled: isCounted,
  });
  const counted = data?.groups[0]?.values.flatMap(({ value, devices }) =>
    value === null ? [] : [`${modelText(value)} (${numberText(devices)})`],
  );
  const words = isCounted && counted ? counted : of;
  return (
    <span className="foreign">
      {image && 'for '}
      {words.join(', ') || 'not known'}
    </span>
  );
}

function ImageLink({ of: { id, name }, text }: { of: Schema<'Artifact'>; text: string }): ReactNode {
  const [search] = useSearchText();
  return (
    <To to="/artifacts" search={{ ...search, artifact: id }} className="foreign" title={name}>
      {text}
    </To>
  );
}

function Stored({ image }: { image: Row['image'] }): ReactNode {
  if (image === null) return <span className="quiet">from the vendor</span>;
  if (image.isImage === false) return <Mark tone="warn">Not an image</Mark>;
  return image.signedBy ? (
    <span className="foreign" title={image.signedBy}>
      <Mark tone="set">Signed</Mark>
    </span>
  ) : (
    <Mark tone="plain">Not signed</Mark>
  );
}

/** How many run it, also as a share of all. */
function Runs({ row: { runs, runNames, isNewest }, all }: { row: Row; all: number }): ReactNode {
  if (runs === 0) return <span className="quiet">none</span>;
  return (
    <span className={styles['runs']}>
      <To
        to="/devices"
        search={{ selector: selectorOf(runNames) }}
        title={`${numberText(runs)} of ${countText(all, 'device')}`}
      >
        {countText(runs, 'device')}
      </To>
      <span className="bar" aria-hidden="true">
        <i data-tone={isNewest ? 'good' : undefined} style={{ width: `${(100 * runs) / all}%` }} />
      </span>
    </span>
  );
}

/** A version that is not stored is planned only where it is the newest: the vendor has no other one for a device. */
function Actions({ row, mayRoll }: { row: Row; mayRoll: boolean }): ReactNode {
  const { image, wouldGet, olderNames, isNewest, name } = row;
  const mayPlan = mayRoll && (image ? image.isImage !== false : isNewest && wouldGet > 0);
  const search = {
    kind: 'firmware',
    ...(image ? { artifact: image.id } : {}),
    ...(wouldGet > 0 ? { selector: selectorOf(olderNames) } : {}),
  };
  return (
    <RowActions
      of={name}
      actions={[
        mayPlan && { text: 'Plan a rollout', label: 'Plan a rollout', to: '/rollouts/new', search },
        image && { text: 'Details', to: '/artifacts', search: { artifact: image.id } },
        image && { text: 'Download', href: ownPath(`/v1/artifacts/${image.id}/content`) },
      ]}
    />
  );
}

function NoFirmware(): ReactNode {
  return (
    <div className="card">
      <Empty title="No firmware yet" command="fleetgate firmware upload RUTX_R_00.07.25.3.bin">
        Upload an image. Its version and models are read from it, and its digest is checked at each use.
      </Empty>
    </div>
  );
}
