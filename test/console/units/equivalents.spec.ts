import { describe, expect, it } from 'vitest';
import { curlLine, shellWord, typescriptLines } from '../../../console/src/api/equivalents.js';

/* The lines of the console that people copy into a shell. */

const request = { method: 'POST', path: '/v1/locks', body: { kind: 'writes', reason: "it's on fire" } };

const ORIGIN = 'https://gateway.example';

describe('a line to copy', () => {
  it('takes the API key from the variable of the command line, never the root key of the gateway', () => {
    expect(curlLine(request, ORIGIN)).toContain('Bearer $FLEETGATE_API_KEY"');
    expect(typescriptLines(request, ORIGIN)).toContain('process.env.FLEETGATE_API_KEY');
    expect(curlLine(request, ORIGIN) + typescriptLines(request, ORIGIN)).not.toContain('FLEETGATE_KEY');
  });

  it('quotes what a shell would read in another way', () => {
    expect(curlLine(request, ORIGIN)).toContain(`-d '{"kind":"writes","reason":"it'\\''s on fire"}'`);
    expect(shellWord('$(reboot)')).toBe(`'$(reboot)'`);
    expect(shellWord('tag:pump')).toBe('tag:pump');
  });
});
