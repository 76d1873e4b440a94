import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { fieldText, firmwareParts, modelText } from '../../api/device-texts.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { CutText } from '../../ui/rows/cut-text.js';
import { shownState, StateMark } from '../../ui/mark.js';
import { Ago } from '../../ui/time.js';
import { type DeviceColumn, type DeviceRow } from './device-rows.js';
import styles from './table/device-table.module.css';
import { SAMPLE_COLUMNS } from './sample-columns.js';
import { type ColumnWidths } from './table/use-column-widths.js';

/* The columns that the table of devices can have. */

const text = (value: string | null | undefined) => (
  <span className="cut foreign" title={value ?? undefined}>
    {value || '–'}
  </span>
);

/** A short text, with the whole one as its title. */
const shortText = (shown: string | null | undefined, whole: string | null | undefined) => (
  <span className="cut foreign" title={whole ?? undefined}>
    {shown || '–'}
  </span>
);

const firmware = ({ firmware }: DeviceRow) => shortText(firmware && firmwareParts(firmware).version, firmware);

/** So many have room; the others are in the title. */
const TAGS = 2;

const tags = ({ tags: all }: DeviceRow) => (
  <span className={styles['chips']} title={all.join(', ')}>
    {all.length === 0 && '–'}
    {all.slice(0, TAGS).map((tag) => (
      <span key={tag} className="chip foreign">
        <span>{tag}</span>
      </span>
    ))}
    {all.length > TAGS && <span className="small quiet">+{all.length - TAGS}</span>}
  </span>
);

export const COLUMNS: readonly DeviceColumn[] = [
  {
    name: 'state',
    title: 'State',
    width: 142,
    sort: 'state',
    cell: ({ state, credentials }) => <StateMark state={shownState(state, credentials)} />,
  },
  {
    name: 'site',
    title: 'Site',
    width: 88,
    grow: 1,
    sort: 'site',
    cell: ({ site }) => (site ? <CutText text={site} /> : '–'),
  },
  {
    name: 'model',
    title: 'Model',
    width: 60,
    grow: 0.5,
    sort: 'model',
    cell: ({ model }) => shortText(model && modelText(model), model),
  },
  { name: 'firmware', title: 'Firmware', width: 62, grow: 0.3, sort: 'firmware', cell: firmware },
  { name: 'tags', title: 'Tags', width: 130, grow: 1.2, cell: tags },
  { name: 'seen', title: 'Last answer', width: 74, sort: 'seenAt', cell: ({ seenAt }) => <Ago at={seenAt} /> },
  { name: 'serial', title: 'Serial number', width: 100, grow: 0.8, cell: ({ serial }) => text(serial) },
  { name: 'mac', title: 'MAC', width: 140, cell: ({ mac }) => text(mac) },
  {
    name: 'network',
    title: 'Mobile network',
    width: 120,
    grow: 0.8,
    cell: ({ networkOperator }) => text(networkOperator),
  },
  { name: 'address', title: 'Address', width: 150, grow: 1, cell: ({ baseUrl }) => text(baseUrl) },
  { name: 'note', title: 'Note', width: 120, grow: 1, cell: ({ note }) => text(note) },
  {
    name: 'changed',
    title: 'Changed',
    width: 110,
    sort: 'updatedAt',
    cell: ({ updatedAt }) => <Ago at={updatedAt} />,
  },
  ...SAMPLE_COLUMNS,
];

/** The usual columns: where values are read, those of them that people ask for first. */
const USUAL = 'state,site,model,firmware,seen,tags';
const USUAL_SAMPLED = 'state,site,model,firmware,rsrp-24h,data,seen';

/** The custom fields of this fleet. */
export const fieldsQuery = queryOptions({
  queryKey: KEYS.fields.all,
  queryFn: ({ signal }) => api.get('/v1/fields', { signal }),
  staleTime: 60_000,
});

const CUSTOM = 'field.';

/** The column of a custom field. */
export const customColumn = (key: string): DeviceColumn => ({
  name: CUSTOM + key,
  title: fieldText(key),
  width: 100,
  grow: 0.8,
  cell: ({ fields }) => text(fields[key] === undefined ? null : String(fields[key])),
});

const GAP = 8;
/** With the space before it: the box stays in sight while the row is scrolled. */
const CHECK = 36;
const NAME = 112;
const PADDING = 12;

/** The column of names is always the first. */
const NAME_COLUMN = { name: 'name', width: NAME, grow: 1.3 };

/** The tracks of a row as a CSS grid, and the least width of the table in px. @param dragged widths that a person has chosen */
export function layoutOf(columns: readonly DeviceColumn[], dragged: ColumnWidths): { tracks: string; width: number } {
  const all = [NAME_COLUMN, ...columns];
  const tracks = all.map(({ name, width, grow }) => {
    if (dragged[name] !== undefined) return `${dragged[name]}px`;
    return grow === undefined ? `${width}px` : `minmax(${width}px, ${grow}fr)`;
  });
  const widths = all.reduce((sum, { name, width }) => sum + (dragged[name] ?? width) + GAP, 0);
  return { tracks: `${CHECK}px ${tracks.join(' ')}`, width: PADDING + CHECK + widths };
}

/** The columns of an address, in its order. @param isSampled whether values of devices are read */
export function shownColumns(address: string | undefined, isSampled: boolean): DeviceColumn[] {
  const names = address ?? (isSampled ? USUAL_SAMPLED : USUAL);
  return [...new Set(names.split(','))].flatMap((name) =>
    name.startsWith(CUSTOM)
      ? customColumn(name.slice(CUSTOM.length))
      : (COLUMNS.find((column) => column.name === name) ?? []),
  );
}

/** The fields of devices that columns need beside those of each row. */
export const fieldsOf = (columns: readonly DeviceColumn[]): readonly string[] => [
  ...new Set(columns.flatMap(({ field }) => field ?? [])),
];
