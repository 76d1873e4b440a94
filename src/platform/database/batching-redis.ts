import { Redis } from 'ioredis';

/**
 * A Redis connection that sends all commands of one event loop turn in one write. When thousands of jobs log in, a
 * system call for each command was the sender's largest cost, and one read for each the server's.
 *
 * ioredis's own `enableAutoPipelining` does not serve: it loses the name of a `callBuffer` command, and holds commands
 * back until the pipeline before them is answered.
 */
export class BatchingRedis extends Redis {
  override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
    const socket = this.stream as typeof this.stream | undefined; // undefined before the first connection
    if (socket?.writableCorked === 0) {
      socket.cork();
      setImmediate(() => socket.uncork());
    }
    return super.sendCommand(command, stream);
  }
}
