// `npm run demo`: install and build when needed, then run the demonstration in this process.
import './ensure.mjs';
import './stop-with-npm.mjs';

await import('../dist/src/demo/main.js');
