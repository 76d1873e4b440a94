import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText, numberText, pluralText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Failure, Loading } from '../messages.js';
import { LockReasons } from './lock-reasons.js';

/** What an action needs on each device. */
export type Permission = NonNullable<Schema<'PreviewDevices'>['permission']>;

/** What a bulk action would take, and its digest. */
export const previewQuery = (selector: string | null, permission: Permission) =>
  queryOptions({
    queryKey: KEYS.preview.one(selector, permission),
    queryFn: ({ signal }) =>
      api.post('/v1/devices/preview', { body: { selector: selector ?? '', permission }, signal }),
    enabled: selector !== null && selector !== '',
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false, // what the person has read is what the action takes
  });

/** The same; null or empty: it is not asked for. @param permission what the action needs on each device */
export const usePreview = (selector: string | null, permission: Permission) =>
  useQuery(previewQuery(selector, permission));

const REASONS: Readonly<Record<string, string>> = {
  forbidden: 'you do not have the permission',
  locked: 'they are locked',
  device_has_no_credentials: 'no credentials are stored',
  device_trust_changed: 'another certificate answers',
  device_credentials_refused: 'their password is refused',
  device_unreachable: 'they do not answer',
};

/** Why so many devices are left out. */
export function exclusionText(reason: string, devices: number): string {
  const text = REASONS[reason] ?? reason.replaceAll('_', ' ');
  if (devices !== 1) return text;
  return text.replace('they are', 'it is').replace('they do', 'it does').replace('their', 'its');
}

/** The locked ones of what an action would take. */
export const lockedIn = ({ excluded }: Schema<'DevicesPreview'>): number =>
  excluded.find(({ reason }) => reason === 'locked')?.count ?? 0;

interface SelectionPreviewProps {
  preview: UseQueryResult<Schema<'DevicesPreview'>>;
  /** Of how many devices these are the ones that match now; undefined: they are chosen, and not a part. */
  of?: number | undefined;
  /** What becomes of locked devices: a rollout takes them, and waits for the end of their lock. */
  locked?: 'leftOut' | 'waitedFor';
}

/** How many devices an action takes, some of them, and those that it leaves out. */
export function SelectionPreview({ preview, of, locked = 'leftOut' }: SelectionPreviewProps): ReactNode {
  if (preview.error) return <Failure error={preview.error} onRetry={() => void preview.refetch()} />;
  if (!preview.data) return <Loading what="Looking which devices these are" />;
  const { sample, excluded } = preview.data;
  const isWaitedFor = (reason: string) => reason === 'locked' && locked === 'waitedFor';
  const count = preview.data.count + (locked === 'waitedFor' ? lockedIn(preview.data) : 0);
  const names = sample.map(({ name }) => name).join(', ');
  return (
    <div className="stack" role="status">
      <p>
        <strong>
          {of === undefined
            ? countText(count, 'device')
            : `${numberText(count)} of ${numberText(of)} ${pluralText(count, 'matches', 'match')} now`}
        </strong>
        {sample.length > 0 && (
          <span className="quiet foreign">
            : {names}
            {count > sample.length ? ' …' : ''}
          </span>
        )}
      </p>
      {excluded.map(({ reason, count: left, sample: some }) => (
        <p key={reason} className="small quiet foreign">
          {isWaitedFor(reason)
            ? `${numberText(left)} of them ${pluralText(left, 'is locked, and waits', 'are locked, and wait')} until the lock ends`
            : `${numberText(left)} left out, because ${exclusionText(reason, left)}`}
          {': '}
          {some.map(({ name }) => name).join(', ')}
          {left > some.length ? ' …' : ''}
          {reason === 'locked' && <LockReasons devices={left > some.length ? [] : some.map(({ id }) => id)} />}
        </p>
      ))}
    </div>
  );
}
