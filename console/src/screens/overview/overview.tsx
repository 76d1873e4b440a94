import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function Overview(): ReactNode {
  return <Page title="Overview">{null}</Page>;
}
