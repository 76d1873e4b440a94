import { countText, numberText } from '../../../api/amount-text.js';
import { type Alike } from './field-order.js';
import { fieldTitle, type TitleOf } from './field-titles.js';

/** `23 alike` where most devices are; else how many groups they make, such as `5 groups of 5, by model`. */
export function alikeText(
  { groups, others, by }: Pick<Alike, 'groups' | 'others' | 'by'>,
  titleOf: TitleOf = fieldTitle,
): string {
  const [largest = 0, smallest = 0] = [groups[0], groups.at(-1)];
  if (others.length > 0) return `${numberText(largest)} alike`;
  if (largest === 1) return countText(groups.length, 'different answer');
  const sizes = largest === smallest ? numberText(largest) : `${numberText(smallest)} to ${numberText(largest)}`;
  return `${countText(groups.length, 'group')} of ${sizes}${by === undefined ? '' : `, by ${titleOf(by).toLowerCase()}`}`;
}
