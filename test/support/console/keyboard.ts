import { type Page } from 'playwright-core';

/** More stops than any screen of the tests has. */
const STOPS_MAX = 250;

interface FocusedElement {
  readonly name: string;
  readonly role: string;
  /** The eye can see where the focus is. */
  readonly isShown: boolean;
}

/** What has the focus, as a screen reader names it, and whether it is drawn. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return { name: '', role: '', isShown: true };
  const label = element.labels?.[0]?.textContent;
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  const isDrawn = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
  const isInSight = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
  return {
    name: (element.ariaLabel ?? label ?? element.innerText ?? element.textContent ?? '').trim(),
    role: element.getAttribute('role') ?? element.tagName.toLowerCase(),
    isShown: isDrawn && isInSight,
  };
})()`;

/** A person without a mouse. */
export class Keyboard {
  /** Stops of the focus that one cannot see. */
  readonly hidden = new Set<string>();

  constructor(readonly page: Page) {}

  press(...keys: readonly string[]): Promise<void> {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve());
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text);
  }

  /**
   * Goes on with Tab until what is named has the focus.
   * @param role where more than one has the name @throws Error where Tab never reaches it
   */
  async reach(name: RegExp, role?: string): Promise<void> {
    for (let stop = 0; stop < STOPS_MAX; stop++) {
      const focused = await this.focused();
      if (name.test(focused.name) && (role === undefined || focused.role === role)) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${name}`);
  }

  /** Reaches a control and presses Enter on it. */
  async use(name: RegExp, role?: string): Promise<void> {
    await this.reach(name, role);
    await this.press('Enter');
  }

  private async focused(): Promise<FocusedElement> {
    const focused = await this.page.evaluate<FocusedElement>(FOCUSED);
    if (!focused.isShown) this.hidden.add(`${focused.role} ${focused.name.slice(0, 40)}`);
    return focused;
  }
}
