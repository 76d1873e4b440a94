import { Fragment, type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { type ItemLine, itemLines, type OptionLine } from './draft-difference.js';
import { optionTitle, placeholders, placeholderText, RULES, titleOf, tokensOf } from './item-words.js';
import changes from '../../ui/rows/changes.module.css';
import styles from './templates.module.css';

interface ItemsProps {
  readonly template: Pick<Schema<'Template'>, 'selector' | 'items'>;
  /** What is in force; null: nothing, so nothing is compared. */
  readonly published: Pick<Schema<'TemplateVersion'>, 'selector' | 'items' | 'number'> | null;
}

/** What a template says, section by section; a draft with what it changes of the published version. */
export function Items({ template, published }: ItemsProps): ReactNode {
  const lines = itemLines(template.items, published?.items ?? null);
  const isDifferent = lines.some(({ state }) => state !== 'same');
  const fields = placeholders(template.items);
  const isOther = published !== null && published.selector !== template.selector;
  return (
    <div className="stack">
      {isOther && (
        <p>
          Devices: <del className="foreign">{published.selector ?? 'not shown to you'}</del>{' '}
          <span aria-hidden="true">→</span>{' '}
          <strong className="foreign">{template.selector ?? 'not shown to you'}</strong>
        </p>
      )}
      {isDifferent && published && (
        <p className="small quiet">
          Struck through: what version {published.number} says, where the draft says something else.
        </p>
      )}
      <Table
        label="What the template says"
        columns={isDifferent ? [...COLUMNS, STATE] : COLUMNS}
        rows={lines}
        rowKey={({ item, state }) => JSON.stringify([item.path, item.key, item.mode, state])}
      />
      <p className="small quiet">Nothing else on a router is changed: the template only decides what is named here.</p>
      {fields.length > 0 && (
        <p className="small quiet">
          Each router gets its own value of{' '}
          {fields.map((field, at) => (
            <Fragment key={field}>
              {at > 0 && ', '}
              <code className="foreign">{field}</code> ({placeholderText(field)})
            </Fragment>
          ))}
          . A router without it is left out.
        </p>
      )}
    </div>
  );
}

const COLUMNS: readonly Column<ItemLine>[] = [
  {
    title: 'Where',
    narrow: 'heading',
    cell: ({ item, modeBefore }) => (
      <span className={styles['setting']}>
        <strong className="foreign" title={tokensOf(item)}>
          {titleOf(item)}
        </strong>
        <span className="small quiet">
          {modeBefore && (
            <>
              <del>{RULES[modeBefore]}</del>{' '}
            </>
          )}
          {RULES[item.mode]}
        </span>
      </span>
    ),
  },
  { title: 'Setting and value', narrow: 'block', share: 56, cell: (line) => <Options line={line} /> },
];

const STATE: Column<ItemLine> = {
  title: 'Draft',
  narrow: 'beside',
  cell: ({ state }) => {
    if (state === 'new') return <Mark tone="busy">New</Mark>;
    if (state === 'changed') return <Mark tone="busy">Changed</Mark>;
    return state === 'removed' ? <Mark tone="plain">Removed</Mark> : <span className="quiet">as published</span>;
  },
};

function Options({ line: { item, options, state } }: { line: ItemLine }): ReactNode {
  if (options.length === 0)
    return <span className="quiet">{item.mode === 'absent' ? 'not there' : 'there, with any settings'}</span>;
  const sealed = new Set(item.sealed.map(({ option }) => option));
  return (
    <dl className={`${styles['options']} ${changes['changes']}`}>
      {options.map((one) => (
        <Fragment key={one.option}>
          <dt title={one.option}>{optionTitle(item.path, one.option)}</dt>
          <dd>
            {sealed.has(one.option) && (
              <>
                <Mark tone="set">Secret</Mark>{' '}
              </>
            )}
            {state === 'removed' ? <del className="foreign">{one.before}</del> : <Value line={one} />}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

function Value({ line: { before, after } }: { line: OptionLine }): ReactNode {
  if (before === after) return <span className="foreign">{after}</span>;
  return (
    <>
      {before !== null && (
        <>
          <del className="foreign">{before}</del> <span aria-hidden="true">→</span>{' '}
        </>
      )}
      {after === null ? <ins>not named any more</ins> : <ins className="foreign">{after}</ins>}
    </>
  );
}
