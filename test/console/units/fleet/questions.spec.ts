import { expect, it } from 'vitest';
import {
  foundQuestions,
  questionGroups,
  questionTitle,
} from '../../../../console/src/screens/fan-outs/asking/questions.js';

/* What can be asked of many devices, as the search finds it. */

const SENT = { method: 'GET', path: '/api/modems/status', selector: 'tag:pump' };

const first = (text: string): string | undefined =>
  foundQuestions(questionGroups({ favourites: [], last: [] }), text)[0]?.questions[0]?.title;

it.each([
  ['signal', 'Signal and operator'],
  ['firmware', 'Firmware version'],
  ['dhcp lease', 'DHCP leases'],
  ['arp', 'Neighbours'],
  ['clock', 'Clock'],
  ['no such words', undefined],
])('finds by %s first “%s”', (text, title) => expect(first(text)).toBe(title));

it('has favourites and the last calls first, each once, with their devices', () => {
  const [favourites, last] = questionGroups({ favourites: [SENT], last: [SENT, { ...SENT, selector: 'all' }] });
  expect(favourites).toMatchObject({
    title: 'Favourites',
    questions: [{ title: 'Signal and operator', note: 'tag:pump' }],
  });
  expect(last).toMatchObject({ title: 'Last calls', questions: [{ selector: 'all' }] });
});

it.each([
  ['GET', '/api/ntp/global', 'Settings: System › Clock'],
  ['GET', '/api/x/y', 'Read “X › Y”'],
  ['POST', '/api/system/actions/reboot', 'Restart'],
])('names %s %s “%s”', (method, path, title) => expect(questionTitle({ method, path })).toBe(title));
