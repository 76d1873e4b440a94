import { describe, expect, it } from 'vitest';
import { placesOf } from '../../../../console/src/ui/rows/narrow-places.js';

describe('the columns of a row on a narrow screen', () => {
  it('have the first one as the heading, the next in the line, and the actions in a menu', () => {
    expect(placesOf([{ title: 'Name' }, { title: 'Size' }, { title: '' }])).toEqual(['heading', 'line', 'actions']);
  });

  it('have the state beside the heading, and three values in the line where none is chosen', () => {
    const columns = ['Name', 'Kind', 'State', 'Begun', 'Ended', 'By', ''].map((title) => ({ title }));
    expect(placesOf(columns)).toEqual(['heading', 'line', 'beside', 'line', 'line', 'none', 'actions']);
  });

  it('have in the line those alone that say so, or have a brief form', () => {
    const columns = [
      { title: 'When', narrow: 'line' },
      { title: 'What', narrow: 'heading' },
      { title: 'Who', brief: () => 'Ada' },
      { title: 'Reason' },
      { title: 'Change', narrow: 'block' },
    ] as const;
    expect(placesOf(columns)).toEqual(['line', 'heading', 'line', 'none', 'block']);
  });

  it('never leave out how a row is, where another column stands beside the heading', () => {
    const columns = [
      { title: 'Rule' },
      { title: 'Devices', narrow: 'line' },
      { title: 'Severity', narrow: 'beside' },
      { title: 'State' },
    ] as const;
    expect(placesOf(columns)).toEqual(['heading', 'line', 'beside', 'line']);
  });

  it('have the first named one as the heading, where a box to choose the row comes before it', () => {
    expect(placesOf([{ title: '' }, { title: 'Address' }])).toEqual(['actions', 'heading']);
  });
});
