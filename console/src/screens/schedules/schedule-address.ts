/* Of one schedule: where it is read and written, and its parts in words. */

export const SCHEDULE_ADDRESS = '/v1/schedules/{scheduleId}';

export const SCHEDULE_LABELS = {
  name: 'Name',
  rhythm: 'Rhythm',
  rollout: 'Rollout',
  missed: 'Missed runs',
  enabled: 'Enabled',
};
