/*
 * npm starts a script through a shell that does not pass a signal on: `kill <npm>` would leave the gateway and its
 * database running. Importing this first makes the process end in order when the one that started it is gone.
 */
const CHECK_EVERY_MS = 500;

if (process.env.npm_lifecycle_event) {
  const starter = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === starter) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, CHECK_EVERY_MS);
  watch.unref();
}
