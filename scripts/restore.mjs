// `npm run restore -- <file>`: install and build when needed, then run the command in this process.
import './stop-with-npm.mjs';
import './ensure.mjs';

process.argv.splice(2, 0, 'restore');
await import('../dist/src/installation/main.js');
