import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { gatewayNow } from '../../api/clock.js';
import { useRecent } from '../../shell/palette/use-recent.js';
import { useFrozen } from '../../shell/use-frozen.js';
import { StateMark } from '../../ui/mark.js';
import { Failure, Notice } from '../../ui/messages.js';
import { Card, Facts, Page } from '../../ui/page.js';
import { Headline } from '../../ui/devices/headline.js';
import { Ago, durationText, exactText } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { SpecFacts } from '../job-forms/shown/spec-facts.js';
import { kindTitle } from '../jobs/kinds.js';
import { Causes, hasCauses } from './causes.js';
import { endedOf, failedOf, takingPart } from './forecast.js';
import { Gauges } from './gauges.js';
import { heldWaveText } from './pictures/wave-now.js';
import { aboutPolicy } from './plan/policy-words.js';
import { DraftReady } from './plan/draft-ready.js';
import { rolloutQuery } from './plan/rollout-query.js';
import { startText } from './plan/start-text.js';
import { RolloutActions } from './rollout-actions.js';
import { RolloutDevices } from './rollout-devices.js';
import { Waves } from './waves.js';
import { WindowCalendar } from './window-calendar.js';
import { AwaitedCards } from '../../ui/rows/awaited.js';
import { isDiscarded, shownRollout } from '../../ui/words/rollout-state.js';

type Rollout = Schema<'RolloutWithWaves'>;

/** One rollout: how far it is, what went wrong, and what can be done with it. */
export function RolloutScreen(): ReactNode {
  const { rolloutId = '' } = useParams({ strict: false }) as { rolloutId?: string };
  const { data: rollout, error, refetch } = useQuery(rolloutQuery(rolloutId));
  useRecent(rollout?.name, `/rollouts/${rolloutId}`);
  if (!rollout)
    return (
      <Page title="Rollout">{error ? <Failure error={error} onRetry={() => void refetch()} /> : <AwaitedCards />}</Page>
    );
  return (
    <Page
      title={rollout.name}
      beside={<StateMark state={heldWaveText(rollout) ? 'held' : shownRollout(rollout)} />}
      actions={<RolloutActions rollout={rollout} />}
    >
      <Standing rollout={rollout} />
      {rollout.state === 'draft' && <DraftReady rollout={rollout} />}
      {!isDiscarded(rollout) && (
        <Card>
          <div className="stack">
            <Progress rollout={rollout} />
            <Waves rollout={rollout} />
            {rollout.startedAt !== null && <Gauges rollout={rollout} />}
          </div>
        </Card>
      )}
      <div className="columns">
        {!isDiscarded(rollout) && hasCauses(rollout) && <Causes rollout={rollout} />}
        {rollout.policy.windows.length > 0 && rollout.endedAt === null && (
          <Card title="When devices may start">
            <WindowCalendar policy={rollout.policy} from={rollout.startsAt ?? undefined} />
          </Card>
        )}
      </div>
      <RolloutDevices rollout={rollout} />
      <About rollout={rollout} />
    </Page>
  );
}

function Progress({ rollout: { counts, startedAt } }: { rollout: Rollout }): ReactNode {
  const ended = endedOf(counts);
  const total = takingPart(counts);
  const hasBegun = startedAt !== null || ended > 0;
  return (
    <Headline
      value={hasBegun ? ended : total}
      of={hasBegun ? total : undefined}
      text={hasBegun ? 'devices have ended' : 'devices in the plan'}
      parts={[
        [counts.succeeded, 'succeeded'],
        [failedOf(counts), 'failed'],
        [counts.running + counts.queued, 'running'],
        [hasBegun ? counts.waiting : 0, 'waiting'],
        [counts.offline, 'offline, waited for'],
        [counts.cancelled, 'cancelled'],
        [counts.skipped, 'left out'],
      ]}
    />
  );
}

/** What keeps it from running, in a sentence. */
function Standing({ rollout }: { rollout: Rollout }): ReactNode {
  const { state, pause, startsAt } = rollout;
  const frozen = useFrozen();
  if (isDiscarded(rollout)) return <Notice>Discarded. Nothing was sent.</Notice>;
  if (state === 'draft')
    return (
      <Notice>
        <span>Nothing happens before it is started. Then: {startText(rollout, gatewayNow())}</span>
      </Notice>
    );
  if (state === 'awaiting_approval')
    return (
      <Notice tone="warn">
        It waits for the approval of a second person. {rollout.createdByName} cannot approve it themselves.
      </Notice>
    );
  if (state === 'scheduled')
    return (
      <Notice>
        <span>It starts {startsAt === null ? 'in a moment' : <Ago at={startsAt} />}.</span>
      </Notice>
    );
  if (state === 'paused')
    return (
      <Notice tone="warn">
        <strong className="foreign">{pause?.sentence ?? 'It is paused.'}</strong>
        {frozen ? (
          <span>
            Writes are frozen: it can be resumed when they are not.{' '}
            <To to="/access" search={{ tab: 'locks' }}>
              Locks
            </To>
          </span>
        ) : (
          <span>
            Running jobs finish.{' '}
            {failedOf(rollout.counts) > 0
              ? '“Resume” accepts the failures so far and counts from zero.'
              : '“Resume” lets it go on.'}
          </span>
        )}
      </Notice>
    );
  return rollout.endedAt === null ? null : <Course rollout={rollout} />;
}

/** When a rollout that is over began and ended, how long it took, and who planned it. */
function Course({ rollout: { startedAt, endedAt, createdByName, scheduleId } }: { rollout: Rollout }): ReactNode {
  if (startedAt === null || endedAt === null) return null;
  return (
    <Notice>
      <span className="foreign">
        Began {exactText(startedAt)}, ended {exactText(endedAt)}, took{' '}
        {durationText(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)))};{' '}
        {scheduleId === null ? `planned by ${createdByName}` : 'planned by a schedule'}.
      </span>
    </Notice>
  );
}

function startedOf({ state, startedAt, startsAt }: Rollout): ReactNode {
  if (startedAt !== null || state === 'aborting' || state === 'aborted') return <Ago at={startedAt} />;
  if (state !== 'scheduled') return 'not yet';
  return startsAt === null ? 'in a moment' : <Ago at={startsAt} />;
}

function About({ rollout }: { rollout: Rollout }): ReactNode {
  const { policy, spec } = rollout;
  const hasSpec = typeof spec === 'object' && spec !== null && Object.keys(spec).length > 0;
  return (
    <div className="columns">
      <Card title="About">
        <Facts
          of={[
            ['Job', kindTitle(rollout.kind)],
            [
              'Devices',
              rollout.selector ? <code key="selector">{rollout.selector}</code> : 'a choice that you see only in part',
            ],
            ['Created by', rollout.createdByName],
            ...(rollout.approvedByName ? ([['Approved by', rollout.approvedByName]] as const) : []),
            ['Started', startedOf(rollout)],
            ...aboutPolicy(policy, rollout.endedAt !== null),
            ...(rollout.rollsBack
              ? ([
                  [
                    'Rolls back',
                    <To key="back" to={`/rollouts/${rollout.rollsBack}`}>
                      another rollout
                    </To>,
                  ],
                ] as const)
              : []),
            ...(rollout.scheduleId
              ? ([
                  [
                    'Schedule',
                    <To key="schedule" to="/schedules" search={{ schedule: rollout.scheduleId }}>
                      The schedule that made it
                    </To>,
                  ],
                ] as const)
              : []),
            ['Id', <code key="id">{rollout.id}</code>],
          ]}
        />
      </Card>
      {hasSpec && (
        <Card title="Parameters of its jobs">
          <SpecFacts kind={rollout.kind} spec={spec} label="Parameters of the rollout" />
        </Card>
      )}
    </div>
  );
}
