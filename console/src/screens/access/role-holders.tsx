import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { countText, pluralText } from '../../api/amount-text.js';
import { useMay } from '../../api/may.js';
import { operatorsQuery } from '../../api/queries.js';
import { PersonLink } from './people/person-link.js';

/** So many are named. */
const NAMED = 8;

/** `1 person has this role: Jonas`, for those who may see people. Disabled ones are not counted. */
export function RoleHolders({ role }: { role: string }): ReactNode {
  const may = useMay('operator.read');
  const { data } = useQuery({ ...operatorsQuery, enabled: may });
  if (!data) return null;
  const people = data.items.filter(({ disabledAt, roles }) => !disabledAt && roles.some((one) => one.role === role));
  if (people.length === 0) return <p className="small quiet">Nobody has this role.</p>;
  return (
    <p className="small quiet">
      {countText(people.length, 'person', 'people')} {pluralText(people.length, 'has', 'have')} this role:{' '}
      {people.slice(0, NAMED).map(({ id, name }, at) => (
        <Fragment key={id}>
          {at > 0 && ', '}
          <PersonLink id={id} name={name} />
        </Fragment>
      ))}
      {people.length > NAMED && ' …'}
    </p>
  );
}
