import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { api } from '../../api/client.js';
import { ownPath } from '../../api/own-path.js';
import { queries, selfQuery } from '../../api/queries.js';
import { type EndedSession } from '../../api/session-end.js';
import { Dialog } from '../../ui/dialog.js';
import { useTypingPause } from '../../ui/leaving/typing-pause.js';
import { PasswordForm } from './password-form.js';
import { Providers } from './providers.js';

/** Over the screen of a person whose session has ended: they sign in, and go on where they were. */
export function SignInAgain({ ended }: { ended: EndedSession }): ReactNode {
  const { data: self } = useQuery({ ...selfQuery, enabled: false });
  const before = self?.operatorId;
  const isPause = useTypingPause();
  useEffect(() => {
    // Another tab may have signed in.
    const look = () => void signedIn(ended, before).catch(() => undefined);
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, [ended, before]);
  if (!isPause) return null;
  return (
    <Dialog title="Your session has ended" onClose={() => ended.end(false)}>
      <div className="dialog-body stack">
        <p className="quiet">Sign in to go on. What you typed on this screen stays.</p>
        <PasswordForm name={self?.name} onDone={() => void signedIn(ended, before)} />
        <Providers next="/" isApart />
        <p className="small quiet">
          <a href={ownPath('/console/sign-in')}>Sign in as another person</a>
        </p>
      </div>
    </Dialog>
  );
}

/** Goes on, and reads again what is on the screen. @throws where there is no session yet */
async function signedIn(ended: EndedSession, before: string | null | undefined): Promise<void> {
  const { operatorId } = await api.get('/v1/self');
  ended.end(operatorId === before);
  void queries.invalidateQueries();
}
