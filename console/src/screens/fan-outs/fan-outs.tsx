import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function FanOuts(): ReactNode {
  return <Page title="Fan-out">{null}</Page>;
}
