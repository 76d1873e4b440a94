import { Fragment, isValidElement, type ReactNode } from 'react';
import { InLine } from './narrow.js';
import { placesOf, type NarrowPlace } from './narrow-places.js';
import { RowDetails } from './row-details.js';

interface NarrowColumn<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  readonly narrow?: NarrowPlace;
  readonly brief?: (row: Row) => ReactNode;
}

interface NarrowRowProps<Row> {
  row: Row;
  columns: readonly NarrowColumn<Row>[];
  /** The name of a row whose heading opens nothing by itself: it opens all values of the row. */
  details?: ((row: Row) => string) | undefined;
}

/** A row of two lines. The link or the button of its heading takes the whole row. */
export function NarrowRow<Row>({ row, columns, details }: NarrowRowProps<Row>): ReactNode {
  const places = placesOf(columns);
  const at = (place: (typeof places)[number]) =>
    columns.flatMap(({ cell, brief = cell }, index) => (places[index] === place ? [brief(row)] : []));
  const values = inOrder(at('line').filter((value) => !isNothing(value)));
  return (
    <tr>
      <td data-place="heading">
        {details ? (
          <RowDetails title={details(row)} facts={factsOf(row, columns)}>
            {spread(at('heading'))}
          </RowDetails>
        ) : (
          spread(at('heading'))
        )}
      </td>
      <td data-place="beside">{spread(at('beside'))}</td>
      {values.length > 0 && (
        <td data-place="line">
          <InLine value={true}>
            {/* The dots between them are of the style: a value may turn out to be nothing. */}
            {values.map((value, index) => (
              <span key={index} data-value>
                {value}
              </span>
            ))}
          </InLine>
        </td>
      )}
      {at('block').map((value, index) => (
        <td key={index} data-place="block">
          {value}
        </td>
      ))}
      {places.includes('actions') && <td data-place="actions">{spread(at('actions'))}</td>}
    </tr>
  );
}

const factsOf = <Row,>(row: Row, columns: readonly NarrowColumn<Row>[]) =>
  columns.filter(({ title }) => title !== '').map(({ title, cell }) => [title, cell(row)] as const);

/** A time is the second of the values: the line is cut at its end. */
function inOrder([first, ...others]: readonly ReactNode[]): readonly ReactNode[] {
  const isTime = (value: ReactNode) => isValidElement<object>(value) && 'at' in value.props;
  return [first, ...others.filter(isTime), ...others.filter((value) => !isTime(value))].filter(
    (value) => value !== undefined,
  );
}

const spread = (values: readonly ReactNode[]): ReactNode =>
  values.map((value, index) => <Fragment key={index}>{value}</Fragment>);

/** Nothing to say, such as a dash: the line does not name what is not there. */
function isNothing(node: ReactNode): boolean {
  if (node === null || node === undefined || typeof node === 'boolean' || node === '' || node === '–') return true;
  if (Array.isArray(node)) return node.every(isNothing);
  if (!isValidElement<{ children?: ReactNode; at?: unknown }>(node)) return false;
  if ('at' in node.props) return node.props.at === null || node.props.at === undefined;
  return 'children' in node.props && isNothing(node.props.children);
}
