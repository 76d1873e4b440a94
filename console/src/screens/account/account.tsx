import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../api/action.js';
import { countText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { fieldError } from '../../api/problems.js';
import { selfQuery } from '../../api/queries.js';
import { Button } from '../../ui/button.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { TextField } from '../../ui/field.js';
import { useUnsavedFields } from '../../ui/leaving/unsaved.js';
import { Failure, Notice } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { Appearance } from '../../shell/appearance.js';
import { OwnKeys } from '../access/keys/own-keys.js';
import { isOfRoles } from '../access/permissions.js';
import { needsSecondFactor } from '../access/people/second-factor-need.js';
import { EndOthers } from '../access/sessions/end-others.js';
import { Sessions } from '../access/sessions/sessions.js';
import { PERMISSIONS } from '../../../../src/api-client/permission-words.js';
import styles from './account.module.css';
import { SecondFactor } from './second-factor.js';
import { AwaitedCards } from '../../ui/rows/awaited.js';

/** The own account: what one may do, the password, the second factor, the own sessions and keys. */
export function Account(): ReactNode {
  const { data: self, error } = useQuery(selfQuery);
  if (error) return <Failure error={error} />;
  if (!self) return <AwaitedCards />;
  return (
    <div className={`stack ${styles['account']}`}>
      <p className="quiet foreign">
        {self.name} · {self.roles.map(roleText).join(', ') || 'no role'}
      </p>
      <Card title="Second factor">
        {needsSecondFactor(self) && (
          <div className={styles['warning']}>
            <Notice tone="warn">
              <strong>You are an administrator, and your password alone opens everything.</strong>
              <span>Set up an authenticator: it takes a minute.</span>
            </Notice>
          </div>
        )}
        <SecondFactor isSet={self.hasSecondFactor} />
      </Card>
      {self.hasPassword && (
        <Card title="Password">
          <ChangePassword />
        </Card>
      )}
      <Card title="Where you are signed in" flush actions={<EndOthers />}>
        <Sessions isOwn />
      </Card>
      <OwnKeys />
      <Card title="This browser">
        <div className="columns">
          <Appearance />
        </div>
      </Card>
      <Card title="What you may">
        <Permissions names={self.permissions.filter(isOfRoles)} />
      </Card>
    </div>
  );
}

const roleText = ({ role, selector }: Schema<'Self'>['roles'][number]): string =>
  selector ? `${role} of ${selector}` : role;

function Permissions({ names }: { names: readonly string[] }): ReactNode {
  return (
    <details className="equivalent">
      <summary>{countText(names.length, 'permission')}</summary>
      <ul className={`small ${styles['permissions']}`}>
        {names.map((name) => (
          <li key={name} title={name}>
            {wordsOf(name)}
          </li>
        ))}
      </ul>
    </details>
  );
}

const WORDS: Readonly<Record<string, string>> = PERMISSIONS;

/** One that is new in the gateway has no words here yet. */
const wordsOf = (name: string): string => WORDS[name] ?? name;

const EMPTY = { currentPassword: '', newPassword: '' };

function ChangePassword(): ReactNode {
  const box = useRef<HTMLFormElement>(null);
  useUnsavedFields(box);
  const [form, setForm] = useState(EMPTY);
  const change = useAction({
    run: () => api.post('/v1/self/password', { body: form }),
    done: 'Your password is changed; your other sessions have ended',
    refreshes: ['sessions'],
    after: () => setForm(EMPTY),
    quiet: true,
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <form ref={box} className="stack" onSubmit={send}>
      <TextField
        label="Password now"
        type="password"
        autoComplete="current-password"
        required
        value={form.currentPassword}
        onChange={(event) => setForm({ ...form, currentPassword: event.target.value })}
      />
      <TextField
        label="New password"
        type="password"
        autoComplete="new-password"
        hint="12 to 128 characters"
        wrong={fieldError(change.error, 'newPassword')}
        required
        value={form.newPassword}
        onChange={(event) => setForm({ ...form, newPassword: event.target.value })}
      />
      {change.error ? <Failure error={change.error} /> : null}
      <div>
        <Button type="submit" busy={change.isPending}>
          Change password
        </Button>
      </div>
      <EquivalentLines method="POST" path="/v1/self/password" body={{ currentPassword: '…', newPassword: '…' }} />
    </form>
  );
}
