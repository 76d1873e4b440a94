import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function Rollouts(): ReactNode {
  return <Page title="Rollouts">{null}</Page>;
}
