import { describe, expect, it } from 'vitest';
import { isRetryableCode, stepErrorOf } from '../../../src/jobs/rows/step-error.js';
import { AppError } from '../../../src/platform/errors.js';

describe('a job that ended', () => {
  it.each(['device_unreachable', 'device_answer_cut', 'worker_stalled'])('may go better again after %s', (code) => {
    expect(isRetryableCode(code)).toBe(true);
  });

  it.each(['answer_lost', 'restart_not_begun', 'restore_not_begun', 'upgrade_not_begun'])(
    'may go better again after %s: the request was lost, and the device has done nothing',
    (code) => {
      expect(isRetryableCode(code)).toBe(true);
    },
  );

  it.each(['nothing_flashed', 'came_back_old', 'factory_settings', 'image_invalid', 'device_refused', null])(
    'does not go better again after %s',
    (code) => {
      expect(isRetryableCode(code)).toBe(false);
    },
  );
});

describe('what a step has thrown', () => {
  it('is the absence of the database when no connection to it was free, and not an error of ours', () => {
    expect(stepErrorOf(new Error('timeout exceeded when trying to connect'))).toMatchObject({
      class: 'transient',
      failure: { code: 'database_unavailable' },
    });
  });

  it.each(['ENOSPC', 'EDQUOT', '53100'])('is a full disk by %s, and worth a few more tries', (code) => {
    const driverError = Object.assign(new Error('no room'), { code });
    for (const error of [driverError, Object.assign(new Error('failed'), { driverError })]) {
      expect(stepErrorOf(error)).toMatchObject({ class: 'transient', failure: { code: 'disk_full' } });
    }
    expect(isRetryableCode('disk_full')).toBe(true);
  });

  it('is an answer that nobody can read, for the state of the job to say what follows', () => {
    expect(stepErrorOf(new AppError('device_answer_invalid'))).toMatchObject({ class: 'unreadable' });
  });

  it('is an error of ours when nobody knows it, and keeps its words to itself', () => {
    const trouble = stepErrorOf(new Error('the words of the log'));
    expect(trouble).toMatchObject({ class: 'transient', failure: { code: 'internal_error' } });
    expect(JSON.stringify(trouble)).not.toContain('the words of the log');
  });
});
