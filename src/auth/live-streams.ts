import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Locks } from './locks.service.js';
import { type Lockable } from './locks.js';
import { type ScopedDevice } from './rights.js';

/*
 * Answers under way, so that those of whoever or whatever is locked end.
 *
 * A list that runs through its members, and no Set: when V8 makes a new table for a Set through which every request goes,
 * the old one, dead but in the old generation, keeps the new one alive, and so table after table with all requests that
 * stood in them. Moving that garbage took a tenth of the processor time of a call (docs/performance.md, P1).
 */

/** An answer under way. */
export class LiveStream {
  /** Its neighbours in the list; null when it is not in it. */
  before: LiveStream | null = null;
  after: LiveStream | null = null;

  /**
   * @param device the one that it comes from; null: no particular one
   * @param end ends it, and its connection
   */
  constructor(
    readonly actor: Lockable,
    readonly device: ScopedDevice | null,
    readonly end: () => void,
  ) {}
}

@Injectable()
export class LiveStreams implements OnModuleDestroy {
  private first: LiveStream | null = null;
  private readonly deaf: () => void;

  constructor(@Inject(Locks) private readonly locks: Locks) {
    this.deaf = locks.onChange(() => this.look());
  }

  onModuleDestroy(): void {
    this.deaf();
  }

  add(stream: LiveStream): void {
    stream.after = this.first;
    if (this.first) this.first.before = stream;
    this.first = stream;
  }

  /** Takes a stream out; one that is out already stays out. */
  remove(stream: LiveStream): void {
    const { before, after } = stream;
    if (before) before.after = after;
    else if (this.first === stream) this.first = after;
    else return;
    if (after) after.before = before;
    stream.before = null;
    stream.after = null;
  }

  private look(): void {
    for (let stream = this.first; stream;) {
      const { after } = stream;
      if (this.locks.isLocked(stream.actor, stream.device)) {
        this.remove(stream);
        stream.end();
      }
      stream = after;
    }
  }
}
