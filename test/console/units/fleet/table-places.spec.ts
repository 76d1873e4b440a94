import { describe, expect, it } from 'vitest';
import { placesOf } from '../../../../console/src/ui/rows/narrow-places.js';

describe('the columns of a row on a narrow screen', () => {
  it('have the first one as the heading, and the actions below', () => {
    expect(placesOf([{ title: 'Name' }, { title: 'Size' }, { title: '' }])).toEqual(['heading', 'line', 'actions']);
  });

  it('have the heading that a column asks for, and fold what matters less', () => {
    const columns = [
      { title: 'When' },
      { title: 'What', narrow: 'heading' },
      { title: 'Who', narrow: 'folded' },
    ] as const;
    expect(placesOf(columns)).toEqual(['line', 'heading', 'folded']);
  });
});
