import { type ReactNode } from 'react';
import { useMay } from '../../../api/may.js';
import { To } from '../../../ui/to.js';

/** The name of a person; for those who may see people, it leads to the person's page. */
export function PersonLink({ id, name }: { id: string; name: string }): ReactNode {
  const mayOpen = useMay('operator.read');
  if (!mayOpen) return <span className="foreign cut">{name}</span>;
  return (
    <To to={`/access/people/${id}`} className="foreign cut">
      {name}
    </To>
  );
}
