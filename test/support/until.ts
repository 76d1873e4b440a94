const LOOK_EVERY_MS = 10;

/** What does not count as found. */
type Nothing = false | 0 | '' | null | undefined;

/**
 * Waits until a condition gives something true; the runner's time limit is the only other end.
 * @returns what it gave
 */
export async function until<Found>(condition: () => Found | Promise<Found>): Promise<Exclude<Found, Nothing>> {
  for (;;) {
    const found = await condition();
    if (found) return found as Exclude<Found, Nothing>;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
