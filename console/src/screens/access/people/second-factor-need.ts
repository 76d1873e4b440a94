import { type components } from '../../../../../src/api-client/openapi.js';

/* An administrator whose password alone opens everything: the one rule for the list of people, the own account and System. */

type Operator = components['schemas']['Operator'];
type Person = Pick<Operator, 'roles' | 'hasPassword' | 'hasSecondFactor'> & { readonly disabledAt?: string | null };

/** Whether the password of a person is all that protects the whole installation. */
export const needsSecondFactor = ({ roles, hasPassword, hasSecondFactor, disabledAt = null }: Person): boolean =>
  hasPassword && !hasSecondFactor && disabledAt === null && roles.some(({ role }) => role === 'administrator');
