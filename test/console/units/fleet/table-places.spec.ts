import { describe, expect, it } from 'vitest';
import { placesOf } from '../../../../console/src/ui/rows/narrow-places.js';

describe('the columns of a row on a narrow screen', () => {
  it('have the first one as the heading, and the actions below', () => {
    expect(placesOf([{ title: 'Name' }, { title: 'Size' }, { title: '' }])).toEqual(['heading', 'fact', 'actions']);
  });

  it('have the heading that a column asks for, and fold what matters less', () => {
    const columns = [
      { title: 'When' },
      { title: 'What', narrow: 'heading' },
      { title: 'Who', narrow: 'folded' },
    ] as const;
    expect(placesOf(columns)).toEqual(['fact', 'heading', 'folded']);
  });

  it('have the state beside the heading, two facts below it, and the rest behind a button', () => {
    const columns = ['Name', 'Kind', 'State', 'Begun', 'Ended', 'By', ''].map((title) => ({ title }));
    expect(placesOf(columns)).toEqual(['heading', 'fact', 'beside', 'fact', 'folded', 'folded', 'actions']);
  });

  it('have no button for a single one', () => {
    expect(placesOf(['Name', 'Kind', 'Begun', 'By'].map((title) => ({ title })))).toEqual([
      'heading',
      'fact',
      'fact',
      'fact',
    ]);
  });
});
