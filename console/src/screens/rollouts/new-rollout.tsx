import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function NewRollout(): ReactNode {
  return <Page title="New rollout">{null}</Page>;
}
