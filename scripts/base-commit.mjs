import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where this work branched off; on the main branch itself, the commit before. Null without history, such as in an archive. */
export function baseCommit() {
  const head = git('rev-parse', 'HEAD');
  const bases = ['origin/main', 'main'].map((branch) => git('merge-base', 'HEAD', branch));
  return bases.find((commit) => commit !== null && commit !== head) ?? git('rev-parse', '--verify', 'HEAD~1');
}

/** @returns what git prints; null when it fails, such as in a folder without history */
export function git(...args) {
  try {
    const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 64 * 1024 * 1024 };
    return execFileSync('git', args, options).trim();
  } catch {
    return null;
  }
}
