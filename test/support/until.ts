const LOOK_EVERY_MS = 10;

/** Waits until a condition gives something true; the runner's time limit is the only other end. */
export async function until(condition: () => unknown): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}
