/* What many rows of a screen ask for one by one is read together. Pure but for its timer. */

const GATHER_MS = 10;

/** Devices of one request: a selector of so many ids stays far below the longest address that a gateway takes. */
export const TOGETHER = 40;

interface Asked<Answer> {
  readonly id: string;
  readonly answer: (found: Answer | null) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * @param size of ids that are read by one request
 * @param read gives what is known of the ids
 * @returns reads one id; null: nothing is known of it
 */
export function together<Answer>(
  size: number,
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, Answer>>,
): (id: string) => Promise<Answer | null> {
  let asked: Asked<Answer>[] = [];
  const readGroup = async (group: readonly Asked<Answer>[]) => {
    try {
      const found = await read([...new Set(group.map(({ id }) => id))]);
      for (const { id, answer } of group) answer(found.get(id) ?? null);
    } catch (error) {
      for (const { fail } of group) fail(error);
    }
  };
  const readAsked = () => {
    const all = asked;
    asked = [];
    for (let at = 0; at < all.length; at += size) void readGroup(all.slice(at, at + size));
  };
  return (id) =>
    new Promise((answer, fail) => {
      if (asked.length === 0) setTimeout(readAsked, GATHER_MS);
      asked.push({ id, answer, fail });
    });
}
