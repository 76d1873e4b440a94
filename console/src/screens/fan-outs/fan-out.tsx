import { queryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { countText, pluralText } from '../../api/amount-text.js';
import { summaryQuery } from '../../api/queries.js';
import { StateMark } from '../../ui/mark.js';
import { Failure, Notice } from '../../ui/messages.js';
import { Card, Facts, Page } from '../../ui/page.js';
import { Headline } from '../../ui/devices/headline.js';
import { Ago } from '../../ui/time.js';
import { Tabs } from '../../ui/tabs.js';
import { To, useSearchText } from '../../ui/to.js';
import { AnswerPanel } from './answers/answer-panel.js';
import { liveShows } from './asking/live-questions.js';
import { AnswerTable } from './answers/answer-table.js';
import { FanOutActions } from './fan-out-actions.js';
import { FanOutDevices } from './fan-out-devices.js';
import { Counts, Grid } from './grid.js';
import { alikeText, listedGroups } from './equal-answers.js';
import { Groups } from './groups.js';
import { Missed } from './missed.js';
import { actTitle } from '../access/approving/act-words.js';
import { requestText } from './requests.js';
import { AwaitedCards } from '../../ui/rows/awaited.js';

type FanOut = Schema<'StoredFanOut'>;

const fanOutQuery = (fanOutId: string) =>
  queryOptions({
    queryKey: KEYS.fanOut.one(fanOutId),
    queryFn: ({ signal }) => api.get('/v1/fan-outs/{fanOutId}', { params: { path: { fanOutId } }, signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? 1_000 : false),
  });

/** One call to many devices: how far it is, and equal answers together. */
export function FanOutScreen(): ReactNode {
  const { fanOutId = '' } = useParams({ strict: false }) as { fanOutId?: string };
  const [search] = useSearchText();
  const { data: fanOut, error, refetch } = useQuery(fanOutQuery(fanOutId));
  if (!fanOut)
    return (
      <Page title="Bulk query">
        {error ? <Failure error={error} onRetry={() => void refetch()} /> : <AwaitedCards />}
      </Page>
    );
  const view = viewOf(fanOut, search['view']);
  return (
    <Page
      title={actTitle(fanOut.requests, fanOut.devices)}
      beside={<StateMark state={fanOut.state} />}
      actions={<FanOutActions fanOut={fanOut} />}
    >
      <Standing fanOut={fanOut} />
      <Counts fanOut={fanOut} />
      <Asked fanOut={fanOut} />
      <Missed fanOut={fanOut} />
      <Tabs label="Views of the bulk query" param="view" tabs={VIEWS} current={view} />
      {view === 'table' ? <Answers fanOut={fanOut} /> : <Outcomes fanOut={fanOut} />}
      <AnswerPanel fanOut={fanOut} />
      <About fanOut={fanOut} />
    </Page>
  );
}

const VIEWS = [
  ['table', 'Answers as a table'],
  ['outcomes', 'Outcomes'],
] as const;

/** The fields of the answers come first, where a read has ended; of a write and while it runs, the outcomes. */
function viewOf({ state, writes, counts }: FanOut, chosen: string | undefined): 'outcomes' | 'table' {
  if (chosen === 'table' || chosen === 'outcomes') return chosen;
  return state !== 'running' && !writes && (counts['succeeded'] ?? 0) > 0 ? 'table' : 'outcomes';
}

/** How far it is, a cell for each device, and equal answers together. */
function Outcomes({ fanOut }: { fanOut: FanOut }): ReactNode {
  const answered = fanOut.counts['succeeded'] ?? 0;
  return (
    <>
      <Card>
        <div className="stack">
          <Headline
            value={answered}
            of={fanOut.devices}
            text={answered === 1 ? 'device has answered' : 'devices have answered'}
            parts={[
              [fanOut.devices - fanOut.waiting - answered, 'have not'],
              [fanOut.waiting, 'wait'],
            ]}
          />
          <Grid fanOut={fanOut} />
        </div>
      </Card>
      <Card title={alikeText(fanOut)} flush={listedGroups(fanOut).length > 0}>
        <Groups fanOut={fanOut} />
      </Card>
      <FanOutDevices fanOutId={fanOut.id} isRunning={fanOut.state === 'running'} />
    </>
  );
}

function Answers({ fanOut }: { fanOut: FanOut }): ReactNode {
  const { id, state, devices, selector, startedAt, endedAt, requests } = fanOut;
  if (state === 'running') return <p className="quiet">The table is made when each device has an outcome.</p>;
  return (
    <AnswerTable
      fanOutId={id}
      selector={selector}
      devices={devices}
      at={endedAt ?? startedAt}
      shows={requests.flatMap(({ path }) => liveShows(path))}
    />
  );
}

function Standing({ fanOut: { state, stopped, forbidden } }: { fanOut: FanOut }): ReactNode {
  return (
    <>
      {state === 'interrupted' && (
        <Notice tone="warn">The gateway stopped before each device had an outcome. What it recorded remains.</Notice>
      )}
      {stopped && <Notice tone="warn">Calls stopped early: {stopped.replaceAll('_', ' ')}.</Notice>}
      {forbidden > 0 && (
        <Notice>
          {forbidden.toLocaleString('en')} more devices are not shown: you may not read their answers to this call.
        </Notice>
      )}
    </>
  );
}

/** When it was, and how many of its devices do not answer now: their answers are of that time. */
function Asked({ fanOut: { selector, startedAt, startedBy, state } }: { fanOut: FanOut }): ReactNode {
  const { data } = useQuery({
    ...summaryQuery({ selector: `(${selector}) & state:offline`, by: 'state' }),
    enabled: selector !== null && state !== 'running',
  });
  const away = data?.devices ?? 0;
  return (
    <p className="quiet foreign">
      Asked <Ago at={startedAt} /> by {startedBy}. The answers are of that time
      {away > 0 && `; ${countText(away, 'device')} ${pluralText(away, 'is', 'are')} offline now`}.
    </p>
  );
}

function About({ fanOut }: { fanOut: FanOut }): ReactNode {
  const { id, selector, startedBy, startedAt, endedAt, retryOf, writes, requests } = fanOut;
  return (
    <Card title="About">
      <Facts
        of={[
          ['Call', <code key="call">{requestText(requests)}</code>],
          ['Devices', selector ? <code key="selector">{selector}</code> : 'a choice that you see only in part'],
          ['Started by', startedBy],
          ['Started', <Ago key="started" at={startedAt} />],
          ['Ended', endedAt ? <Ago key="ended" at={endedAt} /> : 'not yet'],
          ...(retryOf
            ? ([
                [
                  'Repeats',
                  <To key="retry" to={`/fan-outs/${retryOf}`}>
                    an earlier bulk query
                  </To>,
                ],
              ] as const)
            : []),
          ...(writes
            ? ([
                [
                  'Audit',
                  <To key="audit" to="/audit" search={{ operation: id }}>
                    Its writes
                  </To>,
                ],
              ] as const)
            : []),
          ['Id', <code key="id">{id}</code>],
        ]}
      />
    </Card>
  );
}
