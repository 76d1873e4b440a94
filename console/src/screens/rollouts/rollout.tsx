import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function RolloutScreen(): ReactNode {
  return <Page title="Rollout">{null}</Page>;
}
