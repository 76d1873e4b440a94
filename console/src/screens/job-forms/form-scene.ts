import { createContext, useContext } from 'react';
import { ApiError } from '../../api/client.js';
import { type Place, refusedAt } from './field-errors.js';

/** What the fields of a job know besides their value. */
export interface FormScene {
  /** A device whose backups, services and options are offered; null: none is known. */
  readonly device: string | null;
  /** Whether the job runs on this one device only. */
  readonly isFixed: boolean;
  /** How long a typed secret is kept for the job. */
  readonly sealedDays: number;
  readonly error: unknown;
}

export const SceneContext = createContext<FormScene>({ device: null, isFixed: false, sealedDays: 30, error: null });

export const useScene = (): FormScene => useContext(SceneContext);

/** What the gateway refused at a place of the parameters. */
export function useRefused(): (place: Place) => string | null {
  const { error } = useScene();
  return (place) => (error instanceof ApiError ? refusedAt(error.pointers, place) : null);
}
