/*
 * In CI a test that fails is tried up to twice more, and its failures are shown: machines are small and noisy, and tests that
 * kill processes in the middle of something can miss the moment. It is tried before the tests after it, so that it finds what
 * it left and nothing else, and when a burst of noise may have passed. Whoever runs the tests by hand sees every failure.
 */
import { jest } from '@jest/globals';

if (process.env.CI) jest.retryTimes(2, { logErrorsBeforeRetry: true, retryImmediately: true, waitBeforeRetry: 2_000 });
