import { type ReactNode } from 'react';
import { numberText } from '../../api/amount-text.js';
import { USUAL_LOGINS, usualLoginsText } from '../../api/limits/logins.js';
import { type Schema } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { Mark } from '../../ui/mark.js';
import { Card, Facts } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { phaseWords } from './session-phases.js';

type Session = Schema<'DeviceSession'>['sessions'][number];

/** At so many the gateway stops, before the router blocks its address. */
const REFUSED_MAX = 3;

interface SessionCardProps {
  readonly device: Schema<'Device'>;
  readonly session: Session;
  /** null: the reader may not set the login. */
  readonly onSetLogin: (() => void) | null;
}

/** One session: who holds it, since when and until when, its logins against what is usual, and what to do. */
export function SessionCard({ device, session, onSetLogin }: SessionCardProps): ReactNode {
  const { account, phase, grantedAt, endsAt } = session;
  const isRead = account === 'read';
  const user = (isRead ? device.readCredentials : device.credentials)?.username;
  const [tone, text] = user ? phaseWords(phase, device.state) : (['warn', 'No login is set'] as const);
  return (
    <Card title={isRead ? 'Session for reads' : 'Session for all calls'}>
      <Facts
        of={[
          [
            'State',
            <Mark key="state" tone={tone}>
              {text}
            </Mark>,
          ],
          ['Held by', user ? <HeldBy key="held" user={user} /> : 'nobody'],
          ...(grantedAt === null ? [] : [['Since', <Ago key="since" at={grantedAt} />] as const]),
          ...(endsAt === null
            ? []
            : [
                [
                  'Until',
                  <span key="until">
                    <Ago at={endsAt} />, unless a call uses it before
                  </span>,
                ] as const,
              ]),
          ['Logins today', <LoginsText key="logins" count={session.loginsToday} />],
          ['Refused', <RefusedText key="refused" count={session.failedLogins} />],
          ['What to do', <ToDo key="do" session={session} hasLogin={user !== undefined} onSetLogin={onSetLogin} />],
        ]}
      />
    </Card>
  );
}

const HeldBy = ({ user }: { user: string }): ReactNode => (
  <>
    the gateway, as user <strong className="foreign">{user}</strong> of the router
  </>
);

function LoginsText({ count }: { count: number }): ReactNode {
  return (
    <span className="amount" data-tone={count <= USUAL_LOGINS ? undefined : 'warn'}>
      {usualLoginsText(count)}
    </span>
  );
}

function RefusedText({ count }: { count: number }): ReactNode {
  if (count === 0) return 'none since the login was set';
  return (
    <span className="amount" data-tone={count >= REFUSED_MAX ? 'bad' : 'warn'}>
      {numberText(count)} of {REFUSED_MAX}; then the gateway stops, so that the router does not block it
    </span>
  );
}

const DO: Readonly<Record<Session['phase'], string>> = {
  none: 'Nothing: the next call logs in by itself.',
  'logging-in': 'Nothing: this takes some seconds.',
  valid: 'Nothing. End the sessions only where the router behaves oddly.',
  paused: 'Nothing yet: the gateway tries again by itself within a minute.',
  refused: 'The password on the router is another one: set the login, and the next call tries it.',
};

function ToDo({ session: { phase, loginsToday }, hasLogin, onSetLogin }: ToDoProps): ReactNode {
  if (hasLogin && phase !== 'refused')
    return loginsToday > USUAL_LOGINS
      ? 'See whether somebody else logs in as the same user, or the router restarts.'
      : DO[phase];
  return (
    <span className="stack">
      <span>{hasLogin ? DO.refused : 'Set the login: without it no call and no job can succeed.'}</span>
      {onSetLogin && (
        <span>
          <Button kind="primary" onClick={onSetLogin}>
            Set the login of this session
          </Button>
        </span>
      )}
    </span>
  );
}

interface ToDoProps {
  readonly session: Session;
  readonly hasLogin: boolean;
  readonly onSetLogin: (() => void) | null;
}
