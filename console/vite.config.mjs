import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** For `npx vite --config console/vite.config.mjs`: where a gateway answers. */
const gateway = process.env.FLEETGATE_URL ?? 'http://127.0.0.1:3000';

export default defineConfig(({ command }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: command === 'build' ? './' : '/console/', // `src/console.ts` knows the path at which the gateway is
  oxc: { jsx: { runtime: 'automatic' } },
  html: { cspNonce: '__nonce__' }, // `src/openapi/script-nonce.ts` puts one in its place
  build: {
    target: 'es2022',
    manifest: true,
    reportCompressedSize: false,
    assetsInlineLimit: 0, // fonts are files: the policy allows no data: addresses
    modulePreload: { polyfill: false },
    rolldownOptions: {
      onLog: (level, log, next) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') next(level, log);
      },
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 2 },
            {
              name: 'tanstack',
              test: /node_modules\/@tanstack\/(react-router|router-core|history|react-query|query-core|react-store|store)\//,
              priority: 1,
            },
            // What most screens share is one file: a browser asks for six at a time, and a screen of twenty small ones waits.
            { name: 'shared', test: /console\/src\/(ui|api|shell)\//, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: { host: '127.0.0.1', proxy: { '/v1': gateway } },
}));
