import { useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { ownPath } from '../api/own-path.js';
import { systemQuery } from '../api/queries.js';
import { IconButton } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Mark, type Tone } from '../ui/mark.js';

const ID = 'help-menu';

/** What explains the console and the gateway. */
export function HelpMenu({ onKeys, onMarks }: { onKeys: () => void; onMarks: () => void }): ReactNode {
  const path = useRouterState({ select: ({ location: { pathname } }) => pathname });
  // Not asked for it: some screens have read it, and not everybody may.
  const { data: system } = useQuery({ ...systemQuery, enabled: false });
  return (
    <>
      <IconButton icon="help" label="Help" popoverTarget={ID} />
      {/* Another screen closes it. */}
      <div key={path} id={ID} popover="auto" className="popover" role="group" aria-label="Help">
        <a href={ownPath('/docs/README')} target="_blank" rel="noreferrer">
          Documents
        </a>
        <a href={ownPath('/docs')} target="_blank" rel="noreferrer">
          API
        </a>
        <Opener text="Keys" onOpen={onKeys} />
        <Opener text="What the marks mean" onOpen={onMarks} />
        {system && <p className="small quiet">Fleetgate {system.version}</p>}
      </div>
    </>
  );
}

const Opener = ({ text, onOpen }: { text: string; onOpen: () => void }): ReactNode => (
  <button
    type="button"
    className="button"
    data-kind="link"
    popoverTarget={ID}
    popoverTargetAction="hide"
    onClick={onOpen}
  >
    {text}
  </button>
);

const MARKS: readonly (readonly [Tone, string, string])[] = [
  ['good', 'Green', 'It was just proved: a device is online, a job has succeeded.'],
  ['set', 'Grey, filled', 'It is in force: a rule is on, a version is published.'],
  ['plain', 'Grey, empty', 'It is not in force, or not yet: it is off, queued or planned.'],
  ['busy', 'Half', 'It is under way: a job runs, a wave is watched.'],
  ['warn', 'Amber', 'It needs attention: a password is refused, a rollout is paused.'],
  ['bad', 'Red', 'It is broken now: a device is offline, a job has failed.'],
  ['strange', 'Diamond', 'It is not known what is so: another certificate answers, a result is unknown.'],
];

/** The marks of all screens in words. */
export function MarkHelp({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title="What the marks mean" onClose={onClose}>
      <div className="dialog-body">
        <dl className="facts">
          {MARKS.map(([tone, name, text]) => [
            <dt key={tone}>
              <Mark tone={tone}>{name}</Mark>
            </dt>,
            <dd key={name}>{text}</dd>,
          ])}
        </dl>
      </div>
    </Dialog>
  );
}
