import { describe, expect, it } from '@jest/globals';
import { mayPass } from '../../src/jobs/job-trouble.js';

describe('a job that ended', () => {
  it.each(['device_unreachable', 'device_answer_cut', 'worker_stalled'])('may go better again after %s', (code) => {
    expect(mayPass(code)).toBe(true);
  });

  it.each(['answer_lost', 'restart_not_begun', 'restore_not_begun', 'upgrade_not_begun'])(
    'may go better again after %s: the request was lost, and the device has done nothing',
    (code) => {
      expect(mayPass(code)).toBe(true);
    },
  );

  it.each(['nothing_flashed', 'came_back_old', 'factory_settings', 'image_invalid', 'device_refused', null])(
    'does not go better again after %s',
    (code) => {
      expect(mayPass(code)).toBe(false);
    },
  );
});
