/** From one look to the next: short at first, longer the longer it takes, as a look can cost a request and its queries. */
const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 200;
const GROWTH = 1.2;

/** What does not count as found. */
type Nothing = false | 0 | '' | null | undefined;

/**
 * Waits until a condition gives something true; the runner's time limit is the only other end.
 * @returns what it gave
 */
export async function until<Found>(condition: () => Found | Promise<Found>): Promise<Exclude<Found, Nothing>> {
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * GROWTH, LONGEST_PAUSE_MS)) {
    const found = await condition();
    if (found) return found as Exclude<Found, Nothing>;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
