/*
 * In CI a test that fails is tried up to twice more, and its failures are shown: machines are small and noisy, and tests that
 * kill processes in the middle of something can miss the moment. Whoever runs the tests by hand sees every failure.
 */
import { jest } from '@jest/globals';

if (process.env.CI) jest.retryTimes(2, { logErrorsBeforeRetry: true });
