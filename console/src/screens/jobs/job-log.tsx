import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { exactText } from '../../ui/time.js';
import { sinceText } from './job-times.js';
import { FactList } from './timeline/fact-list.js';
import styles from './jobs.module.css';

type Job = Schema<'JobWithLog'>;
type LogLine = Job['log'][number];

const TONES: Readonly<Record<string, string>> = {
  succeeded: 'good',
  failed: 'bad',
  unknown: 'strange',
  not_executed: 'warn',
};

/** The log of a job: each line with the time since its creation and what the device answered. */
export function JobLog({ job }: { job: Job }): ReactNode {
  const lastAt = job.log.length - 1;
  return (
    <ol className={styles['steps']}>
      {job.log.map((line, at) => (
        <Line key={line.ordinal} line={line} from={job.createdAt} tone={at === lastAt ? toneOf(job) : 'done'} />
      ))}
    </ol>
  );
}

const toneOf = (job: Job): string => (job.phase === 'ended' ? (TONES[job.outcome ?? ''] ?? 'done') : 'busy');

function Line({ line, from, tone }: { line: LogLine; from: string; tone: string }): ReactNode {
  const { text, step, at, facts } = line;
  return (
    <li data-tone={tone}>
      <div className="row spread">
        <span className="foreign">{text}</span>
        <span className="small quiet">
          <time dateTime={at} title={exactText(at)}>
            {sinceText(from, at)}
          </time>
        </span>
      </div>
      {/* The head of the page has what the last line repeats. */}
      {step !== 'end' && Object.keys(facts).length > 0 && (
        <details className="equivalent">
          <summary className="small quiet">What was seen</summary>
          <FactList facts={facts} label={text} />
        </details>
      )}
    </li>
  );
}
