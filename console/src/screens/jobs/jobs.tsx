import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function Jobs(): ReactNode {
  return <Page title="Jobs">{null}</Page>;
}
