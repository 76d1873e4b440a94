// `npm run simulator`: install and build when needed, then run the simulator in this process.
import './stop-with-npm.mjs';
import './ensure.mjs';

await import('../dist/src/simulator/main.js');
