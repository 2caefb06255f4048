// A server whose sign-in is built as many people build it themselves: with express-session and connect-pg-simple, and
// with passwords hashed by PBKDF2 as OWASP recommends.
import { pbkdf2, randomBytes } from 'node:crypto';
import process from 'node:process';
import { promisify } from 'node:util';
import connectPgSimple from 'connect-pg-simple';
import express from 'express';
import session from 'express-session';
import pg from 'pg';

const derive = promisify(pbkdf2);
const hashOf = (password, salt) => derive(password, salt, 310_000, 32, 'sha256');

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
await pool.query('create table if not exists users (name text primary key, salt bytea, hash bytea)');
const salt = randomBytes(16);
await pool.query('insert into users values ($1, $2, $3) on conflict do nothing', [
  'bench',
  salt,
  await hashOf('right-horse-7', salt),
]);

const Store = connectPgSimple(session);
const app = express();
app.use(express.json());
app.use(
  session({
    store: new Store({ pool, createTableIfMissing: true }),
    secret: 'a-secret-of-the-benchmark-0123456789',
    resave: false,
    saveUninitialized: false,
    cookie: { maxAge: 172_800_000, sameSite: 'lax' },
  }),
);
app.post('/login', async (request, response) => {
  const { rows } = await pool.query('select * from users where name = $1', [request.body.username]);
  const user = rows[0];
  const isRight = user?.hash.equals(await hashOf(request.body.password, user.salt));
  if (!isRight) return response.status(401).json({ success: false });
  return request.session.regenerate(() => {
    request.session.user = user.name;
    response.json({ success: true });
  });
});
app.get('/check', (request, response) => {
  const isValid = request.session.user !== undefined;
  response.json({ session_valid: isValid, expiry: isValid ? request.session.cookie.expires : null });
});
app.get('/', (_request, response) => response.json({ status: 'ok' }));
app.listen(Number(process.env.PORT), '127.0.0.1');
