import { createHash } from 'node:crypto';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance } from 'fastify';

/*
 * The page at the address of the gateway: links, and the form for an invitation, whose token is in the fragment of the
 * link. A fragment reaches neither the server nor its log, and the page removes it from the address bar.
 */

const SCRIPT = `
const [, token] = location.hash.match(/^#invitation=(.+)$/) ?? [];
const form = document.querySelector('form');
const said = document.querySelector('output');
if (token) {
  history.replaceState(null, '', location.pathname);
  form.hidden = false;
}
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const [password, again] = new FormData(form).values();
  if (password !== again) return void (said.textContent = 'The two passwords are not the same.');
  const answer = await fetch('/v1/invitations/accept', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password }),
  }).catch(() => null);
  if (answer?.ok) {
    form.hidden = true;
    said.textContent = 'Your password is set. You can sign in now.';
    return;
  }
  const problem = await answer?.json().catch(() => null);
  said.textContent = problem
    ? [problem.title + '.', problem.detail, problem.reason && '(reason: ' + problem.reason + ')'].filter(Boolean).join(' ')
    : 'The gateway did not answer; try again.';
});
`;

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Fleetgate</title>
<meta name="viewport" content="width=device-width">
<style>body{font:16px/1.5 system-ui,sans-serif;margin:3rem auto;max-width:36rem;padding:0 1rem}
label{display:block;margin:.8rem 0}input{display:block;font:inherit;padding:.4rem;width:100%;box-sizing:border-box}
button{font:inherit;padding:.4rem 1.2rem}output{display:block;margin:1rem 0;font-weight:600}</style>
<h1>Fleetgate</h1>
<form hidden><p>You were invited. Choose a password of 12 to 128 characters; the invitation works once.</p>
<label>Password<input type="password" name="password" autocomplete="new-password" minlength="12" maxlength="128" required></label>
<label>Once more<input type="password" name="again" autocomplete="new-password" required></label>
<button>Set the password</button></form>
<output></output>
<p>A gateway between operators and a fleet of routers, with an API:</p>
<ul><li><a href="/docs">all operations</a>, with a form for each call</li>
<li><a href="/docs/errors">its errors</a>, and what to do about each</li>
<li><a href="/openapi.json">the OpenAPI document for programs</a></li></ul>
<script>${SCRIPT}</script></html>`;

/** Only its own script; it connects only to this gateway. */
const POLICY =
  `default-src 'none'; script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'; ` +
  "style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function serveFrontPage(app: NestFastifyApplication): void {
  const server: FastifyInstance = app.getHttpAdapter().getInstance();
  server.get('/', (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(PAGE),
  );
}
