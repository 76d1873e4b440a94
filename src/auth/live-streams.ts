import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Locks } from './locks.service.js';
import { type Lockable } from './locks.js';
import { type ScopedDevice } from './rights.js';

/** An answer under way. */
export interface LiveStream {
  readonly actor: Lockable;
  /** The device that it comes from; null: no particular one. */
  readonly device: ScopedDevice | null;
  /** Ends it, and its connection. */
  readonly end: () => void;
}

/** Answers under way, so that those of whoever or whatever is locked end. */
@Injectable()
export class LiveStreams implements OnModuleDestroy {
  private readonly streams = new Set<LiveStream>();
  private readonly deaf: () => void;

  constructor(@Inject(Locks) private readonly locks: Locks) {
    this.deaf = locks.onChange(() => this.look());
  }

  onModuleDestroy(): void {
    this.deaf();
  }

  add(stream: LiveStream): void {
    this.streams.add(stream);
  }

  remove(stream: LiveStream): void {
    this.streams.delete(stream);
  }

  private look(): void {
    for (const stream of this.streams) {
      if (!this.locks.isLocked(stream.actor, stream.device)) continue;
      this.streams.delete(stream);
      stream.end();
    }
  }
}
