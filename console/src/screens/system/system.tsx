import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function SystemScreen(): ReactNode {
  return <Page title="System">{null}</Page>;
}
