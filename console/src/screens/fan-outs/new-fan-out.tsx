import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function NewFanOut(): ReactNode {
  return <Page title="New fan-out">{null}</Page>;
}
