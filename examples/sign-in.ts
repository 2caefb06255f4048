// A command-line program that signs a person in. PROFILE_KEY is the key of a profile that `authsvc profile add` created:
//   npx tsx examples/sign-in.ts https://auth.example.com PROFILE_KEY
import { ClientError, createClient } from 'authsvc-client/device';

const [server = 'http://localhost:3000', profileKey = ''] = process.argv.slice(2);
const client = createClient({ server });
try {
  const { username, token } = await client.login({
    profileKey,
    clientName: 'example',
    show: ({ verificationUrl, userCode }) => process.stderr.write(`Open ${verificationUrl} and compare ${userCode}\n`),
  });
  process.stdout.write(`Hello ${username}, your token begins with ${token.slice(0, 8)}\n`);
} catch (error) {
  if (!(error instanceof ClientError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
