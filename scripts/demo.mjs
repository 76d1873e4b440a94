// `npm run demo`: install and build when needed, then run the demonstration in this process.
import './stop-with-npm.mjs';
import './ensure.mjs';

await import('../dist/src/demo/main.js');
