import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { Mark } from '../../ui/mark.js';
import { Card } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import css from './system.module.css';
import { TASK_WORDS } from './task-words.js';

type Process = Schema<'System'>['processes'][number];

interface Task {
  readonly key: string;
  /** What it does. */
  readonly name: string;
  /** As the metrics and the log name it. */
  readonly code: string;
  readonly at: string;
  readonly failed: boolean;
  /** The host, where several processes are alive. */
  readonly host: string | null;
}

/** Sweepers: periodic tasks with their last pass, those that failed first; folded while none has failed. */
export function Tasks({ processes }: { processes: readonly Process[] }): ReactNode {
  const tasks = tasksOf(processes.filter(({ alive }) => alive));
  if (tasks.length === 0) return null;
  const failed = tasks.filter((task) => task.failed).length;
  if (failed === 0)
    return (
      <Card>
        <details className="equivalent">
          <summary>
            Periodic tasks <span className="quiet">all {tasks.length} done at their last pass</span>
          </summary>
          <TaskList of={tasks} />
        </details>
      </Card>
    );
  return (
    <Card title="Periodic tasks" actions={<Mark tone="bad">{failed} failed</Mark>}>
      <TaskList of={tasks} />
      <p className="small quiet">A failed task runs again at its next pass. The log of its process has the cause.</p>
    </Card>
  );
}

function TaskList({ of }: { of: readonly Task[] }): ReactNode {
  return (
    <ul className={css.tasks}>
      {of.map(({ key, name, code, at, failed: isBad, host }) => (
        <li key={key}>
          <span className="foreign cut" title={host ? `${code} on ${host}` : code}>
            {isBad ? <Mark tone="bad">{name} failed</Mark> : name}
            {host && <span className="quiet"> · {host}</span>}
          </span>
          <span className="small quiet">
            <Ago at={at} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function tasksOf(alive: readonly Process[]): Task[] {
  const tasks = alive.flatMap(({ id, host, sweepers }) =>
    sweepers.map(({ name, at, outcome }) => ({
      key: `${id} ${name}`,
      code: name,
      name: TASK_WORDS[name] ?? name.replaceAll('_', ' ').replaceAll('-', ' '),
      at,
      failed: outcome === 'failed',
      host: alive.length > 1 ? host : null,
    })),
  );
  return tasks.sort((a, b) => Number(b.failed) - Number(a.failed) || a.name.localeCompare(b.name));
}
