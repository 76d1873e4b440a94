import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type FleetMember } from '../../src/devices/fleet-files/fleet.service.js';
import { type ResultLine } from '../../src/fan-outs/fan-outs.contract.js';
import { answerLine, lineJson, ReadAnswers } from '../../src/fan-outs/answer-lines.js';

const MEMBER: FleetMember = {
  id: 'a-device',
  name: 'd-1',
  site: '',
  baseUrl: 'https://192.168.1.1',
  spareUrl: null,
  serial: null,
  state: 'online',
  stateReason: null,
  hasAccount: true,
  isAllowed: true,
  seesSecrets: true,
};

/** The text of the line for an answer of a device. */
function lineOf(answer: string, isInClear = true): string {
  const answers = new ReadAnswers((body) => ({ redacted: body }));
  return lineJson(answerLine(MEMBER, 200, answers.read(Buffer.from(answer), isInClear), 7));
}

const parsed = (line: string) => JSON.parse(line) as ResultLine;

describe('the line of an answer', () => {
  it('has the answer as the device wrote it, character for character', () => {
    const answer = '{"success":true, "data":{"big":12345678901234567890,"text":"\\u00e9 ü"}}';
    const line = lineOf(answer);
    expect(line).toContain(`"body":${answer}`);
    expect(parsed(line)).toMatchObject({ deviceId: 'a-device', outcome: 'succeeded', status: 200, ms: 7 });
    expect(parsed(line).digest).toBe(createHash('sha256').update(answer).digest('hex'));
  });

  it.each(['\n', '\r', '\r\n'])('is one line also when the answer has several (%j)', (end) => {
    const line = lineOf(['{', '"success": true,', '"data": "a\\nb"', '}'].join(end));
    expect(line).not.toMatch(/[\r\n]/);
    expect(parsed(line).body).toEqual({ success: true, data: 'a\nb' });
  });

  it.each(['not JSON', '{"success":true', '"text\\n"', ''])('is JSON also when the answer is none (%j)', (answer) => {
    expect(parsed(lineOf(answer)).body).toBeTypeOf('string');
  });

  it('has the redacted answer when its reader may not see secrets', () => {
    expect(parsed(lineOf('{"success":true}', false)).body).toEqual({ redacted: { success: true } });
    expect(parsed(lineOf('not JSON', false))).toMatchObject({ bodyWithheld: true });
  });

  it('keeps its other fields when the device refused', () => {
    const line = parsed(lineOf('{"success":false,"errors":[{"code":122,"error":"no","source":"x"}]}'));
    expect(line).toMatchObject({ outcome: 'failed', reason: 'device_refused', deviceCodes: [122] });
  });
});
