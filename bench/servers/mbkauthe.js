// A server with mbkauthe in an Express application, as in its guide. Passwords are hashed by its PBKDF2. Its rate limits
// count by X-Forwarded-For, which the load changes with each request.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import express from 'express';
import pg from 'pg';

const url = process.env.DATABASE_URL;
process.env.mbkautheVar = JSON.stringify({
  APP_NAME: 'bench',
  DOMAIN: 'localhost',
  IS_DEPLOYED: 'false',
  EncPass: 'true',
  MBKAUTH_TWO_FA_ENABLE: 'false',
  MAX_SESSIONS_PER_USER: 100,
  Main_SECRET_TOKEN: 'a-secret-of-the-benchmark-0123456789',
  SESSION_SECRET_KEY: 'a-secret-of-the-benchmark-0123456789',
  // Its connection pool requires TLS, which a server on the same machine does not offer.
  LOGIN_DB: `${url}?sslmode=disable`,
});

async function prepareDatabase() {
  const folder = dirname(createRequire(import.meta.url).resolve('mbkauthe'));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`select to_regclass('"Users"') is not null as "isThere"`);
  if (!rows[0].isThere) await client.query(await readFile(join(folder, 'docs/db.sql'), 'utf8'));
  await client.end();
}

await prepareDatabase();
const { default: mbkauthe, dblogin, hashPassword, validateSession } = await import('mbkauthe');
await dblogin.query(
  `insert into "Users" ("UserName", "Password", "PasswordEnc", "Role", "Active", "AllowedApps")
   values ('bench', '', $1, 'SuperAdmin', true, '["bench"]') on conflict do nothing`,
  [hashPassword('right-horse-7', 'bench')],
);
const app = express();
app.set('trust proxy', true);
app.get('/', (_request, response) => response.json({ status: 'ok' }));
app.use(mbkauthe);
app.get('/app', validateSession, (request, response) => response.json({ username: request.session.user.username }));
app.listen(Number(process.env.PORT), '127.0.0.1');
