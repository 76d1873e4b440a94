import { type ReactNode } from 'react';
import { type Schema } from '../../../api/client.js';
import { exactText } from '../../../ui/time.js';
import { timeText } from '../words.js';
import styles from './alert.module.css';
import { courseOf } from './course.js';

interface AlertCourseProps {
  alert: Schema<'Alert'>;
  /** undefined: the reader may not see it. */
  rule: Schema<'AlertRule'> | undefined;
}

/** When it was met, opened, taken by a person and closed, and what it waits for. */
export function AlertCourse({ alert, rule }: AlertCourseProps): ReactNode {
  const length = (seconds: number | undefined) => (seconds ? timeText(seconds) : null);
  return (
    <ol className={styles['course']}>
      {courseOf(alert, length(rule?.forSeconds), length(rule?.clearAfterSeconds)).map(({ at, text, note }) => (
        <li key={text} data-done={at !== null}>
          <span className="foreign">{text}</span>
          {note && <span className="foreign quiet">“{note}”</span>}
          <span className="small quiet">{at === null ? 'not yet' : exactText(at)}</span>
        </li>
      ))}
    </ol>
  );
}
