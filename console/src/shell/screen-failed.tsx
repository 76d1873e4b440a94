import { type ErrorComponentProps } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { Button } from '../ui/button.js';
import { Empty, Failure } from '../ui/messages.js';
import { Page } from '../ui/page.js';

/** What browsers say of a script that they cannot load: Chromium and Firefox, then Safari. */
const NOT_LOADED = /dynamically imported module|importing a module script failed/i;

/** A screen that broke: the menu and the banners around it stay. Its scripts may be those of a release that the gateway no longer has. */
export function ScreenFailed({ error, reset }: ErrorComponentProps): ReactNode {
  if (!(error instanceof Error) || !NOT_LOADED.test(error.message))
    return (
      <Page title="This screen cannot be shown">
        <Failure error={error} onRetry={reset} />
      </Page>
    );
  return (
    <Page title="A part of this screen is missing">
      <div className="card">
        <Empty
          title="It could not be loaded"
          action={
            <Button kind="primary" onClick={() => location.reload()}>
              Reload
            </Button>
          }
        >
          The gateway was not reachable, or it has another release since this page was opened.
        </Empty>
      </div>
    </Page>
  );
}
