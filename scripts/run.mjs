/*
 * `npm start`, and `npm run` of `cli`, `demo`, `simulator`, `backup` and `restore`: installs and builds where needed, then becomes
 * the program of the build that the first argument names. The others are its own.
 */
import './stop-with-npm.mjs';
import './ensure.mjs';

const [program] = process.argv.splice(2, 1);
await import(`../dist/src/${program}.js`);
