import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { isRefused, selectorError } from '../../../api/problems.js';
import { useSettled } from '../../settled.js';
import { type Permission, previewQuery, SelectionPreview, usePreview } from '../selection-preview.js';
import styles from './choice.module.css';

interface ChosenCountProps {
  selector: string;
  /** What an empty selector means. */
  none: string;
  permission: Permission;
  locked?: 'leftOut' | 'waitedFor' | undefined;
  /** The devices of which the selector names those that match now. */
  among?: string | undefined;
}

/** How many devices are chosen, and the first of them. While others are counted, those before stay, paler. */
export function ChosenCount({ selector, none, permission, locked, among }: ChosenCountProps): ReactNode {
  const asked = useSettled(selector.trim());
  const preview = useQuery({
    ...previewQuery(asked, permission),
    placeholderData: (before) => (asked === '' ? undefined : keepPreviousData(before)),
  });
  const all = usePreview(useSettled(among ?? ''), permission).data?.count;
  const isOld = asked !== selector.trim() || preview.isPlaceholderData;
  return (
    <div className={styles['count']} data-old={isOld || undefined} aria-busy={isOld}>
      {selector.trim() === '' ? (
        <p className="small quiet">{none}</p>
      ) : isRefused(preview.error, 'invalid_selector') ? (
        <p className="wrong foreign" role="status">
          {selectorError(preview.error)}
        </p>
      ) : (
        <SelectionPreview preview={preview} of={all} {...(locked ? { locked } : {})} />
      )}
    </div>
  );
}
