/**
 * The pieces of a stream, and `mark` after each time of silence, so that nothing on the way takes the connection for dead.
 * The next piece is asked for when the reader took the one before, as without marks.
 */
export async function* keptAlive(
  pieces: AsyncGenerator<string>,
  mark: string,
  silenceMs: number,
): AsyncGenerator<string> {
  let next = pieces.next();
  try {
    for (;;) {
      const result = await within(silenceMs, next);
      if (result === null) {
        yield mark;
        continue;
      }
      if (result.done) return;
      yield result.value;
      next = pieces.next();
    }
  } finally {
    next.catch(() => undefined); // the reader left at a mark, and nothing waits for this piece
    await pieces.return(undefined);
  }
}

/** @returns null when the value is not there in time */
async function within<Value>(ms: number, value: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null).unref();
  });
  try {
    return await Promise.race([value, silence]);
  } finally {
    clearTimeout(timer);
  }
}
