import { type Locator, type Page } from 'playwright-core';

/** A person at a screen. Counts the clicks. */
export class ScreenUser {
  clicks = 0;

  constructor(readonly page: Page) {}

  async click(locator: Locator): Promise<void> {
    await locator.click();
    this.clicks++;
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  link(name: string | RegExp): Locator {
    return this.page.getByRole('link', { name });
  }
}
