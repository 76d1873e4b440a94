/* One process: installs and builds where needed, then becomes the gateway. */
import './stop-with-npm.mjs';
import './ensure.mjs';

await import('../dist/src/main.js');
