// Signs a person in with the installed client, as a user's program does, and checks the results. Runs in Node.js, Bun and
// Deno. Arguments: URL of the service, key of a profile, username and password of the approver.
import { ClientError, createClient } from 'authsvc-client/device';

const [server, profileKey, username, password] = globalThis.process.argv.slice(2);
const client = createClient({ server });

function check(isRight, what) {
  if (!isRight) throw new Error(`the client: ${what}`);
}

async function post(path, fields, cookie = '') {
  const reply = await fetch(new URL(path, server), {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify(fields),
  });
  check(reply.ok, `${path} answered ${reply.status} ${await reply.clone().text()}`);
  return reply;
}

const signedIn = await post('/authsvc/api/login', { username, password });
const session = /session_id=([^;]+)/.exec(signedIn.headers.getSetCookie().join('\n'))?.[1];
const login = await client.login({
  profileKey,
  clientName: 'try-client',
  show: ({ userCode }) =>
    post('/api/cli/device/approve', { user_code: userCode, action: 'approve' }, `session_id=${session}`),
});

check(login.username === username, `login says ${login.username}`);
check((await client.verifyToken(login.token))?.username === username, 'the token is not valid');
check((await client.verifySession(session))?.username === username, 'the session is not valid');
check((await client.verifySession('garbage')) === undefined, 'garbage is a session');
await client.revokeToken(login.token);
check((await client.verifyToken(login.token)) === undefined, 'the token is valid after its revocation');
const refusal = await client.startLogin({ profileKey: 'no-such-profile', clientName: 'x' }).catch((error) => error);
check(refusal instanceof ClientError && refusal.code === 'PROFILE_UNKNOWN', `an unknown profile gives ${refusal}`);
