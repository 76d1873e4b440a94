import { type ErrorInfo } from './error-info.js';

export const ROLLOUT_ERRORS = {
  rollout_not_found: {
    status: 404,
    title: 'There is no such rollout',
    advice: 'GET /v1/rollouts lists them.',
  },
  rollout_target_not_found: {
    status: 404,
    title: 'The device is not part of this rollout',
    advice: 'GET /v1/rollouts/{rolloutId}/devices lists its devices.',
  },
  rollout_wave_not_found: {
    status: 404,
    title: 'The rollout has no such wave',
    advice: 'Waves are counted from 0. GET /v1/rollouts/{rolloutId} lists them.',
  },
  rollout_wrong_state: {
    status: 409,
    title: 'This is not possible in the present state',
    advice: 'The present state is in `state`. `possibleIn` lists the states in which this is possible.',
  },
  rollout_not_approved: {
    status: 409,
    title: 'With these devices the rollout needs the approval of a second person, and has none',
    advice: 'Create a new rollout for them. A second person approves it when it is started.',
  },
  rollout_has_no_way_back: {
    status: 409,
    title: 'This kind of job cannot be rolled back automatically',
    advice: 'See the kinds that can in `kinds`. For others start a rollout that does the opposite.',
  },
  rollout_is_empty: {
    status: 422,
    title: 'The rollout has no devices',
    advice: 'Send it with `dryRun`: the answer says for each device of the selector why it is excluded.',
  },
  rollout_too_large: {
    status: 422,
    title: 'The selector names more devices than one rollout can have',
    advice: 'Split it into several, for example by site.',
  },
  schedule_not_found: {
    status: 404,
    title: 'There is no such schedule',
    advice: 'GET /v1/schedules lists them.',
  },
  schedule_exists: {
    status: 409,
    title: 'There is already a schedule with this name',
    advice: 'Choose another name, or replace that schedule with PUT.',
  },
} as const satisfies Record<string, ErrorInfo>;
