import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { selfQuery } from '../../api/queries.js';
import { rememberRecent } from './recents.js';

/** The palette offers again what a screen shows. @param title undefined: it is not known yet @param to its address below /console */
export function useRecent(title: string | undefined, to: string): void {
  const person = useQuery(selfQuery).data?.operatorId;
  useEffect(() => {
    if (person !== undefined && title !== undefined) rememberRecent(person, { title, to });
  }, [person, title, to]);
}
