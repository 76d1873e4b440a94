import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { numberText } from '../../../api/amount-text.js';
import { type Schema } from '../../../api/client.js';
import { Dialog } from '../../../ui/dialog.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { StateMark } from '../../../ui/mark.js';
import { JsonBlock } from '../../../ui/json.js';
import { Failure, Loading, Notice } from '../../../ui/messages.js';
import { Facts } from '../../../ui/page.js';
import { CHANGED, SideBySide } from '../../../ui/sides/side-by-side.js';
import { exactText } from '../../../ui/time.js';
import { To } from '../../../ui/to.js';
import { actorText, entryQuery } from '../actor.js';
import { SpecFacts } from '../../job-forms/shown/spec-facts.js';
import { kindTitle } from '../../jobs/kinds.js';
import { policyWords } from '../../rollouts/plan/policy-words.js';
import { actOf } from '../entry-act.js';
import css from '../audit.module.css';
import { askedOf, partedFacts, partsOf } from './entry-parts.js';
import { fieldChanges, fieldLines, recordOf } from './field-words.js';
import { Neighbours } from './neighbours.js';
import { Subject } from '../subject.js';

type Entry = Schema<'AuditEntry'>;

/** One entry: who, what changed, and what the other side answered. */
export function EntryDialog({ entryId, onClose }: { entryId: string; onClose: () => void }): ReactNode {
  const { data, error, refetch } = useQuery(entryQuery(entryId));
  return (
    <Dialog title={data ? actOf(data) : 'Audit entry'} size="wide" onClose={onClose}>
      <div className="dialog-body">
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading />}
        {data && <EntryParts entry={data} />}
        {data && <Raw entry={data} />}
        <Neighbours entryId={entryId} />
        <EquivalentLines command={`audit show ${entryId}`} method="GET" path={`/v1/audit/${entryId}`} />
      </div>
    </Dialog>
  );
}

function EntryParts({ entry }: { entry: Entry }): ReactNode {
  const { before, after, ...given } = entry.facts;
  const { job, policy, facts } = partsOf(partedFacts(given).people);
  const { people: result } = partedFacts(entry.result);
  const asked = askedOf(entry.subject, given['requested']);
  const hasDifference = before !== undefined || after !== undefined;
  const isSet = SETS.test(entry.action);
  return (
    <>
      {entry.outcome === 'unknown' && (
        <Notice tone="warn">
          It is unknown whether this took effect: the answer was lost. Look at the device before you repeat it.
        </Notice>
      )}
      {asked.length > 0 && (
        <section className="stack">
          <h3>What it set</h3>
          <ul className={css.asked}>
            {asked.map(({ name, value, hint }) => (
              <li key={hint} title={hint} className="foreign">
                {name} set to <strong>{value}</strong>
              </li>
            ))}
          </ul>
        </section>
      )}
      {hasDifference && <Changes action={entry.action} before={before} after={after} />}
      {isSet && <Told title="What it set" facts={facts} />}
      <About entry={entry} />
      {job && (
        <section className="stack">
          <h3>{kindTitle(job.kind)}: parameters of the job</h3>
          <SpecFacts {...job} label="Parameters of the job" />
        </section>
      )}
      {policy && (
        <section className="stack">
          <h3>How it goes on</h3>
          <Facts of={policyWords(policy)} />
        </section>
      )}
      {!isSet && <Told title="Details" facts={facts} />}
      <Told title={entry.deviceId ? 'What the device answered' : 'Result'} facts={result} />
    </>
  );
}

/** Acts that say what a record has from then on. */
const SETS = /\.(?:create|change|set|save|issue|assign|replace)$/;

function Told({ title, facts }: { title: string; facts: Readonly<Record<string, unknown>> }): ReactNode {
  if (Object.keys(facts).length === 0) return null;
  return (
    <section className="stack">
      <h3>{title}</h3>
      <Facts of={fieldLines(facts)} />
    </section>
  );
}

interface ChangesProps {
  action: string;
  before: unknown;
  after: unknown;
}

/** Each field with both values; of a record that is new, only what it was set to. */
function Changes({ action, before, after }: ChangesProps): ReactNode {
  const changes = fieldChanges(recordOf(action, before), recordOf(action, after));
  return (
    <section className="stack">
      <h3>{before == null ? 'What it set' : 'What changed'}</h3>
      {changes.length === 0 ? (
        <p className="quiet">Before and after are the same.</p>
      ) : before == null ? (
        <Facts of={changes.map(({ what, other }) => [what, other])} />
      ) : (
        <SideBySide heads={CHANGED} lines={changes} shown={changes.length} />
      )}
    </section>
  );
}

function About({ entry }: { entry: Entry }): ReactNode {
  const { actor, jobId } = entry;
  return (
    <Facts
      of={[
        ['Outcome', <StateMark key="outcome" state={entry.outcome ?? 'open'} />],
        ['Who', <Narrowed key="who" text={actorText(entry)} title={actor} filter={{ actor }} />],
        ...(entry.address ? ([['From', entry.address]] as const) : []),
        ['On what', <Subject key="subject" entry={entry} />],
        ['When', whenText(entry)],
        ['In the log', placeText(entry)],
        ...(entry.reason ? ([['Reason', entry.reason]] as const) : []),
        ...(jobId && entry.subject !== `job:${jobId}`
          ? ([
              [
                'Job',
                <To key="job" to={`/jobs/${jobId}`}>
                  Open the job
                </To>,
              ],
            ] as const)
          : []),
      ]}
    />
  );
}

/** When it was opened, and when it was closed where that was later. */
function whenText({ openedAt, closedAt }: Entry): string {
  const [opened, closed] = [exactText(openedAt), closedAt && exactText(closedAt)];
  if (closed === null) return `${opened}, still open`;
  return opened === closed ? opened : `${opened}, closed ${closed}`;
}

/** Its line in the log, which is signed within minutes. */
const placeText = ({ sequence }: Entry): string =>
  sequence === null ? 'not yet; it comes within seconds' : `line ${numberText(sequence)}`;

/** What programs, and questions to the support of the gateway, name it by, and all that is stored of it. */
function Raw({ entry }: { entry: Entry }): ReactNode {
  const { requestId, operationId, facts, result } = entry;
  return (
    <details className="equivalent">
      <summary className="small quiet">Raw</summary>
      <Facts
        of={[
          ['Action', <code key="action">{entry.action}</code>],
          ['Subject', <code key="subject">{entry.subject}</code>],
          ...(requestId
            ? ([['Request', <Narrowed key="request" text={requestId} filter={{ requestId }} />]] as const)
            : []),
          ...(operationId
            ? ([['Operation', <Narrowed key="op" text={operationId} filter={{ operation: operationId }} />]] as const)
            : []),
        ]}
      />
      <JsonBlock label="Facts and result of the entry" value={{ facts, result }} />
    </details>
  );
}

/** A value that leads to all entries with it. */
function Narrowed(props: { text: string; title?: string; filter: Record<string, string> }): ReactNode {
  const { text, title = 'All entries with it', filter } = props;
  return (
    <To to="/audit" search={filter} className="foreign" title={title}>
      {text}
    </To>
  );
}
