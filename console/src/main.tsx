import '@fontsource-variable/inter/index.css';
import './styles/base/tokens.css';
import './styles/base/base.css';
import './styles/base/parts.css';
import './styles/base/tables.css';
import './styles/base/shell.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ownPath } from './api/own-path.js';
import { queries } from './api/queries.js';
import { router, startEarly } from './router.js';
import { SecondFactorDialog } from './shell/second-factor.js';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no place for the console');

// Past a proxy that adds the path of PUBLIC_URL, the page may be opened without it. The cookie works only below the path.
// Anything else that does not begin with it is a path that no gateway has, and is never gone to.
const isWithoutPath = ownPath('') !== '' && /^\/console(\/|$)/.test(location.pathname);
if (isWithoutPath) location.replace(ownPath(location.pathname + location.search + location.hash));
else {
  startEarly();
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <SecondFactorDialog />
      </QueryClientProvider>
    </StrictMode>,
  );
}
