// `npm run simulator`: install and build when needed, then run the simulator in this process.
import './ensure.mjs';

await import('../dist/src/simulator/main.js');
