import { Redis } from 'ioredis';

/**
 * A connection to Redis whose commands of one turn of the event loop leave in one write. Where thousands of jobs log in, a
 * system call for each command cost the sender more than all else about it, and the server a read.
 *
 * ioredis's own `enableAutoPipelining` is no way to this: it loses the name of what `callBuffer` sends, and holds commands
 * back until the pipeline before them is answered.
 */
export class GatheringRedis extends Redis {
  override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
    const socket = this.stream as typeof this.stream | undefined; // there is none before the first connection
    if (socket?.writableCorked === 0) {
      socket.cork();
      setImmediate(() => socket.uncork());
    }
    return super.sendCommand(command, stream);
  }
}
