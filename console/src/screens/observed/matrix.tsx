import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { wordsOfOption } from '../../../../src/device-api/words/dictionary.js';
import { countText } from '../../api/amount-text.js';
import { useList } from '../../api/lists.js';
import { ownPath } from '../../api/own-path.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { CheckField } from '../../ui/field.js';
import { ListTable, Table } from '../../ui/list-table.js';
import { Empty, Failure, Loading } from '../../ui/messages.js';
import { Icon } from '../../ui/icons.js';
import { Card } from '../../ui/page.js';
import { To, useSearchText } from '../../ui/to.js';
import { alikeText, optionsOf, selectorOf } from './alike.js';
import { deviationsOf } from './deviations.js';
import { columnsOfAll, columnsOfMost, columnsOfOdd } from './matrix-columns.js';
import { groupsQuery, sectionsQuery } from './observed-queries.js';
import { pathTitle, serviceName } from './path-words.js';
import styles from './observed.module.css';
import { MakeTemplate } from './make-template.js';
import { AtPlace } from './place.js';

/** Columns of options where none are chosen: more do not fit beside the device. */
const COLUMNS_SHOWN = 5;

/** What each router has at one path, those that differ first: which account exists where, in which group. */
export function Matrix(): ReactNode {
  const [{ options = '' }] = useSearchText();
  const chosen = options.split(',').flatMap((name) => name.trim() || []);
  return <AtPlace>{(path, selector) => <MatrixAt path={path} selector={selector} chosen={chosen} />}</AtPlace>;
}

interface At {
  readonly path: string;
  readonly selector: string;
  readonly chosen: readonly string[];
}

function MatrixAt(at: At): ReactNode {
  const { path, selector, chosen } = at;
  const [search, change] = useSearchText();
  const isAll = search['every'] === 'yes';
  const { data, error, refetch } = useQuery(groupsQuery(path, selector));
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  const options = chosen.join(',');
  const file = new URLSearchParams({ path, selector, format: 'csv', ...(options ? { options } : {}) });
  const most = data.groups.find(({ digest }) => digest !== null);
  return (
    <div className="stack">
      <div className="row spread">
        <h2>{alikeText(data)}</h2>
        <span className="row">
          {most && (
            <Button aria-pressed={isAll} onClick={() => change({ every: isAll ? undefined : 'yes', pages: undefined })}>
              Show every device
            </Button>
          )}
          {most?.digest && <OptionColumns path={path} digest={most.digest} chosen={chosen} />}
          <a className="button" href={ownPath(`/v1/observed/matrix?${file}`)} download>
            <Icon name="download" />
            Download all as CSV
          </a>
          <MakeTemplate path={path} most={most} />
        </span>
      </div>
      {isAll || !most?.digest ? (
        <EveryDevice {...at} />
      ) : (
        <AgainstMost
          {...at}
          digest={most.digest}
          devices={most.devices}
          differ={data.groups.some(({ digest }) => digest !== null && digest !== most.digest)}
        />
      )}
    </div>
  );
}

/** Which options are columns; all of those that most have can be chosen. */
function OptionColumns({ path, digest, chosen }: Omit<At, 'selector'> & { digest: string }): ReactNode {
  const [, change] = useSearchText();
  const { data } = useQuery(sectionsQuery(path, digest));
  const all = optionsOf(data ?? []);
  const shown = chosen.length > 0 ? chosen : all.slice(0, COLUMNS_SHOWN);
  const toggle = (option: string) => {
    const next = shown.includes(option) ? shown.filter((one) => one !== option) : [...shown, option];
    change({ options: next.join(',') || undefined, pages: undefined });
  };
  return (
    <>
      <Button icon="columns" popoverTarget="observed-columns">
        Columns
      </Button>
      <div
        id="observed-columns"
        popover="auto"
        className={`popover ${styles['columns']}`}
        role="group"
        aria-label="Columns"
      >
        {[...new Set([...all, ...chosen])].map((option) => (
          <CheckField
            key={option}
            label={wordsOfOption(serviceName(path), option).title}
            checked={shown.includes(option)}
            onChange={() => toggle(option)}
          />
        ))}
      </div>
    </>
  );
}

interface AgainstMostProps extends At {
  /** What most have. */
  readonly digest: string;
  /** How many have it. */
  readonly devices: number;
  /** Whether any device has another body. */
  readonly differ: boolean;
}

/** What differs from most, and below it what most have. */
function AgainstMost({ path, selector, chosen, digest, devices, differ }: AgainstMostProps): ReactNode {
  const most = useQuery(sectionsQuery(path, digest));
  const [isShownAll, setShownAll] = useState(false);
  const list = useList('/v1/observed/matrix', {
    key: KEYS.observed.matrix,
    query: { path, selector: `(${selector}) & !observed:${path}/${digest}`, limit: 50 },
    every: 60_000,
    enabled: differ,
  });
  if (most.error) return <Failure error={most.error} onRetry={() => void most.refetch()} />;
  if (!most.data) return <Loading />;
  const service = serviceName(path);
  const all = optionsOf([...most.data, ...list.rows]);
  const shown = chosen.length > 0 ? chosen : isShownAll ? all : all.slice(0, COLUMNS_SHOWN);
  const odd = { ...list, rows: deviationsOf(list.rows, most.data) };
  return (
    <>
      {differ && (
        <ListTable
          label="What differs from most"
          list={odd}
          columns={columnsOfOdd(service, shown, most.data)}
          rowKey={({ deviceId, section, kind }) => `${deviceId} ${section} ${kind}`}
          empty={<Empty title="The same values in another order">No section has another value.</Empty>}
        />
      )}
      <Card
        title="Baseline: what most have"
        flush
        actions={
          <To to="/devices" search={{ selector: selectorOf(path, { digest }) ?? '' }}>
            {countText(devices, 'device')}
          </To>
        }
      >
        <Table
          label={`Sections of ${pathTitle(path)}`}
          columns={columnsOfMost(service, shown)}
          rows={most.data}
          rowKey={({ section }) => section}
        />
      </Card>
      {all.length > COLUMNS_SHOWN && chosen.length === 0 && (
        <div>
          <Button aria-pressed={isShownAll} onClick={() => setShownAll(!isShownAll)}>
            Show all {countText(all.length, 'option')}
          </Button>
        </div>
      )}
    </>
  );
}

/** Each section of each router. */
function EveryDevice({ path, selector, chosen }: At): ReactNode {
  const list = useList('/v1/observed/matrix', {
    key: KEYS.observed.matrix,
    query: { path, selector, options: chosen.join(','), limit: 50 },
    every: 60_000,
  });
  const shown = chosen.length > 0 ? chosen : optionsOf(list.rows).slice(0, COLUMNS_SHOWN);
  return (
    <ListTable
      label={`Sections of ${pathTitle(path)}`}
      list={list}
      columns={columnsOfAll(serviceName(path), shown)}
      rowKey={({ deviceId, section }) => `${deviceId} ${section}`}
      empty={
        <Empty title="No device was read here" command={`fleetgate observed matrix --path ${path}`}>
          A row for each section of each router stands here once a watch has read this path.
        </Empty>
      }
    />
  );
}
