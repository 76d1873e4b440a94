/*
 * Calls between two processes of one machine over Node's channel between a parent and its children. Each end serves objects
 * by name, and calls the methods of those that the other end serves. What it sends may be anything that can be cloned.
 */

/** An end of the channel: `process` in a child, a `Worker` of `node:cluster` in the parent. */
export interface Port {
  send?(message: object, handle: undefined, options: object, callback: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

interface Ask {
  readonly ask: number;
  readonly object: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

interface Answer {
  readonly answer: number;
  readonly result?: unknown;
  /** The sentence of the error that the method threw. */
  readonly error?: string;
}

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

export class Peer {
  private readonly served = new Map<string, Methods>();
  private readonly waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  private asked = 0;
  private isClosed = false;

  constructor(private readonly port: Port) {
    port.on('message', (message) => this.receive(message as Partial<Ask & Answer>));
  }

  /** Lets the other end call the methods of an object. */
  serve(name: string, object: object): void {
    this.served.set(name, object as Methods);
  }

  /**
   * An object of the other end, all of whose methods answer with a promise. A call rejects when its method does, or when the
   * other end is gone.
   */
  remote(name: string): unknown {
    const call = (_: object, method: string | symbol) =>
      typeof method === 'string' && method !== 'then'
        ? (...args: unknown[]) => this.call(name, method, args)
        : undefined;
    return new Proxy({}, { get: call });
  }

  /** The other end is gone: what waits for it ends, and what it still had to say is not heard. */
  close(): void {
    this.isClosed = true;
    for (const waiter of this.waiting.values()) waiter.reject(new Error('the other process has ended'));
    this.waiting.clear();
  }

  call(object: string, method: string, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const ask = ++this.asked;
      this.waiting.set(ask, { resolve, reject });
      this.send({ ask, object, method, args }, (error) => {
        if (error && this.waiting.delete(ask)) reject(error);
      });
    });
  }

  private receive({ ask, object, method, args, answer, result, error }: Partial<Ask & Answer>): void {
    if (this.isClosed) return;
    if (ask !== undefined) void this.answer(ask, object!, method!, args!);
    if (answer === undefined) return;
    const waiter = this.waiting.get(answer);
    this.waiting.delete(answer);
    if (error === undefined) waiter?.resolve(result);
    else waiter?.reject(new Error(error));
  }

  private async answer(ask: number, name: string, method: string, args: readonly unknown[]): Promise<void> {
    const unsent = () => undefined; // the other end is gone, and waits for nothing
    try {
      const result = await this.served.get(name)![method]!(...args);
      this.send({ answer: ask, result }, unsent);
    } catch (error) {
      this.send({ answer: ask, error: error instanceof Error ? error.message : String(error) }, unsent);
    }
  }

  private send(message: Ask | Answer, sent: (error: Error | null) => void): void {
    this.port.send?.(message, undefined, {}, sent);
  }
}
