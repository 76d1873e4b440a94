import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCliWorld, type CliWorld } from '../support/cli/cli-world.js';

/* A device that asks for another password: each way to it says so, and what to do. */

let world: CliWorld;

const STATUS = '/api/system/device/status';
const FIRST = 'the device asks for a first password (code 125)';
const EXPIRED = 'the password of the account has expired (code 124)';
const NEXT = 'Set a new password on the device itself, then store it';

const run = (line: string) => world.run(line.split(' '));

beforeAll(async () => {
  world = await openCliWorld(3);
  const [afterLogin, atLogin, locked] = world.fleet.devices;
  afterLogin!.faults.add({ kind: 'first-login', path: STATUS });
  atLogin!.faults.add({ kind: 'password-expired', path: '/api/login' });
  locked!.faults.add({ kind: 'error', path: '/api/login', status: 423, code: 117 });
});
afterAll(() => world.close());

describe('a device that asks for another password', () => {
  it('says so when a fan-out meets it first', async () => {
    const { err, out } = await run(`fan-out get ${STATUS} -l tag:pump --keep`);
    const [, id] = /Stored as (\S+):/.exec(err)!;
    for (const table of [out, (await run(`fan-outs devices ${id}`)).out])
      expect(table).toContain(`device_refused: ${FIRST}`);
    expect(out).toContain(`device_login_failed: ${EXPIRED}`);
    expect(out).toContain('device_login_failed: the account is locked on the device (code 117)');
  });

  it('says so in the answer of a call', async () => {
    const { code, out, err } = await run(`call get pump-1 ${STATUS}`);
    expect([code, JSON.parse(out)]).toMatchObject([1, { errors: [{ code: 125 }] }]);
    expect(err).toContain(`The device answered with status 403: ${FIRST}`);
    expect(err).toContain(`${NEXT}:\n  fleetgate device credentials pump-1 --username <name>`);
  });

  it.each(['at once', 'and a moment later'])('says so when it refuses the login, %s', async () => {
    const { code, err } = await run(`call get pump-2 ${STATUS}`);
    expect(code).toBe(1);
    expect(err).toContain(`The device does nothing else now: ${EXPIRED} (device_login_failed)`);
    expect(err).toContain(`${NEXT} at the gateway.`);
  });

  it.each(['at once', 'and a moment later'])('says that its account is locked, %s', async () => {
    const { code, err } = await run(`call get pump-3 ${STATUS}`);
    expect([code, err]).toEqual([1, expect.stringContaining('the account is locked on the device (code 117)')]);
  });

  it('says why it is left out of a fan-out, and of a stored one', async () => {
    const { err, out } = await run(`fan-out get ${STATUS} -l name:pump-1 --keep`);
    expect(out).toContain(`device_credentials_refused: ${FIRST}`);
    const [, id] = /Stored as (\S+):/.exec(err)!;
    expect((await run(`fan-outs devices ${id}`)).out).toContain(`device_credentials_refused: ${FIRST}`);
  });

  it('says so as the end of a job', async () => {
    const { out } = await run(`job start pump-1 call --set method=GET --set path=${STATUS} --watch -o json`);
    expect(JSON.parse(out)).toMatchObject({
      failure: { code: 'device_refused', message: expect.stringContaining(`: ${FIRST}. ${NEXT}`) as string },
    });
  });

  it('has the reason beside its state in the list', async () => {
    const { out } = await run('device list --sort name');
    expect(out).toMatch(/^pump-1 +credentials_refused: the device asks for a first password \(code 125\) /m);
    expect(out).toMatch(/^pump-3 +credentials_refused: the account is locked on the device \(code 117\) /m);
    const { out: json } = await run('device list -o ndjson --fields name,state,stateReason --sort name');
    expect(JSON.parse(json.split('\n')[0]!)).toMatchObject({ state: 'credentials_refused', stateReason: FIRST });
  });
});
