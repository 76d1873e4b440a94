import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function JobScreen(): ReactNode {
  return <Page title="Job">{null}</Page>;
}
