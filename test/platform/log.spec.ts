import { describe, expect, it } from 'vitest';
import { createLog, errorFields, NestLog } from '../../src/platform/log.js';

function collect() {
  const lines: string[] = [];
  const log = createLog('trace', { write: (line) => void lines.push(line) });
  return { log, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

describe('the log', () => {
  it('writes the fields of its allow-list and names the others without their values', () => {
    const { log, last } = collect();
    log.info({ deviceId: 'd1', password: 'hunter2', token: 'abc' }, 'hello');
    expect(last()).toMatchObject({ level: 'info', msg: 'hello', deviceId: 'd1', hidden: 'password token' });
    expect(JSON.stringify(last())).not.toMatch(/hunter2|abc/);
  });

  it('says why something failed, down to the cause', () => {
    const { log, last } = collect();
    log.error(errorFields(new Error('a', { cause: new Error('b') })), 'failed');
    expect(last()).toMatchObject({ error: 'a: b', msg: 'failed' });
  });

  it('takes the lines of Nest, its chatter as debug', () => {
    const { log, last } = collect();
    new NestLog(log).log('Mapped {/x, GET}', 'RouterExplorer');
    expect(last()).toMatchObject({ level: 'debug', context: 'RouterExplorer', msg: 'Mapped {/x, GET}' });
  });
});
