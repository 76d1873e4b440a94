const LOOK_EVERY_MS = 10;

/** Waits for a condition; the runner's time limit is the only other end. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}
