/** Waits for a promise no longer than that. @param late gives what counts when the time is over, or throws it */
export async function withTimeout<Result, Late>(
  ms: number,
  promise: Promise<Result>,
  late: () => Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  try {
    return await Promise.race([promise, over.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
