// `npm run cli -- …`: install and build when needed, then run the command line in this process.
import './stop-with-npm.mjs';
import './ensure.mjs';

await import('../dist/src/cli/main.js');
