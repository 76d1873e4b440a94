import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { grouped } from '../rollouts/reasons.js';
import styles from './access.module.css';
import { ALL_PERMISSIONS, nounTitle, permissionWords } from './permissions.js';
import { grantsText } from './role-grants.js';
import { RoleHolders } from './role-holders.js';
import { pathLines } from './rule-text.js';

type Role = Schema<'Role'>;
type Rule = Schema<'SaveRole'>['rules'][number];

interface ShownRoleProps {
  role: Role;
  mayManage: boolean;
  onEdit: () => void;
  onClose: () => void;
}

/** The rules of a role: an effect, permissions and the devices for which they hold. */
export function ShownRole({ role, mayManage, onEdit, onClose }: ShownRoleProps): ReactNode {
  return (
    <Dialog title={`Rules of ${role.name}`} size="wide" onClose={onClose}>
      <div className="dialog-body">
        <p className="foreign quiet">{role.description}</p>
        <p>{grantsText(role.rules as Rule[], ALL_PERMISSIONS)}</p>
        <RoleHolders role={role.name} />
        <Rules rules={role.rules as Rule[]} />
        {mayManage && !role.builtIn && (
          <div>
            <Button onClick={onEdit}>Edit</Button>
          </div>
        )}
        <EquivalentLines
          command={`role show ${role.name}`}
          method="GET"
          path={`/v1/roles/${encodeURIComponent(role.name)}`}
        />
      </div>
    </Dialog>
  );
}

function Rules({ rules }: { rules: readonly Rule[] }): ReactNode {
  if (rules.length === 0) return <p className="quiet">It has no rules, so it allows nothing.</p>;
  return (
    <ol className="stack">
      {rules.map((rule, at) => (
        <li key={at} className="stack">
          <h3>
            {rule.effect === 'deny' ? 'Denies' : 'Allows'} on{' '}
            {rule.selector ? <code className="foreign">{rule.selector}</code> : 'all devices'}
            {rule.devices && (
              <>
                , at <code className="foreign">{pathLines(rule.devices)}</code>
              </>
            )}
          </h3>
          <PermissionList of={rule.permissions} />
        </li>
      ))}
    </ol>
  );
}

/** What a rule is about, a line for each noun. */
function PermissionList({ of: permissions }: { of: readonly string[] }): ReactNode {
  const lines = grouped(permissions, (name) => name.split('.')[0]!);
  if (lines.length === 1) return <span className="foreign">{permissions.map(permissionWords).join(', ')}</span>;
  return (
    <ul className={styles['permissionLines']}>
      {lines.map(([noun, names]) => (
        <li key={noun} title={names.join(', ')}>
          <strong>{nounTitle(noun)}</strong>: {names.map(permissionWords).join(', ')}
        </li>
      ))}
    </ul>
  );
}
