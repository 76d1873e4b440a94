import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function FanOutScreen(): ReactNode {
  return <Page title="Fan-out">{null}</Page>;
}
