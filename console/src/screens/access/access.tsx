import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function Access(): ReactNode {
  return <Page title="Access">{null}</Page>;
}
