import { describe, expect, it } from 'vitest';
import { type AnsweredDevice } from '../../../../console/src/screens/fan-outs/answers/answer-fields.js';
import {
  BY_DEVICE,
  columnOrder,
  sortedAnswers,
} from '../../../../console/src/screens/fan-outs/answers/answer-order.js';

/* The order of the rows of answers. */

const answer = (name: string, values: Record<string, string>): AnsweredDevice => ({
  deviceId: name,
  name,
  outcome: 'succeeded',
  values: new Map(Object.entries(values)),
});

const DEVICES = [
  answer('pump-10', { rsrp: '-101', band: 'LTE B3' }),
  answer('pump-2', { rsrp: '-83', band: 'LTE B20' }),
  answer('pump-1', { band: 'LTE B7' }),
  answer('pump-3', { rsrp: '-9.5', band: 'LTE B3' }),
];

const namesBy = (sort?: string) => sortedAnswers(DEVICES, sort).map(({ name }) => name);

describe('answers', () => {
  it('stand by the names of their devices until a person sorts them', () => {
    expect(namesBy()).toEqual(namesBy(BY_DEVICE));
    expect(columnOrder(undefined, BY_DEVICE)).toEqual({ direction: 'ascending', next: `-${BY_DEVICE}` });
  });

  it('are sorted by numbers as amounts and by texts as people order them; those without a value are last', () => {
    expect(namesBy(BY_DEVICE)).toEqual(['pump-1', 'pump-2', 'pump-3', 'pump-10']);
    expect(namesBy('rsrp')).toEqual(['pump-10', 'pump-2', 'pump-3', 'pump-1']);
    expect(namesBy('-rsrp')).toEqual(['pump-3', 'pump-2', 'pump-10', 'pump-1']);
    expect(namesBy('band')).toEqual(['pump-10', 'pump-3', 'pump-1', 'pump-2']);
  });

  it.each([
    [undefined, 'none', 'rsrp'],
    ['rsrp', 'ascending', '-rsrp'],
    ['-rsrp', 'descending', 'rsrp'],
    ['band', 'none', 'rsrp'],
  ])('%s: the column is sorted %s, and a press sorts it by %s', (sort, direction, next) => {
    expect(columnOrder(sort, 'rsrp')).toEqual({ direction, next });
  });
});
