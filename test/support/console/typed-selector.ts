import { type Locator, type Page } from 'playwright-core';

/** Types a selector into a form where devices are chosen by clicks. @param label of the selector as text */
export async function typeSelector(form: Page | Locator, selector: string, label = 'Selector'): Promise<void> {
  const field = form.getByLabel(label, { exact: true });
  await field.waitFor({ state: 'attached' });
  if (!(await field.isVisible())) await form.getByRole('button', { name: 'Edit as text', exact: true }).click();
  await field.fill(selector);
}
