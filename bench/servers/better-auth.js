// A server with better-auth on node:http, and sign-in by e-mail and password. It uses the SQLite driver of authsvc, opened
// in the same way.
import { createServer } from 'node:http';
import process from 'node:process';
import { DatabaseSync } from '@photostructure/sqlite';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node';
import express from 'express';
import { SqliteDialect } from 'kysely';
import pg from 'pg';

/** Wraps the driver in the interface that Kysely's SQLite dialect needs. */
function openSqlite(path) {
  const file = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true });
  file.exec('pragma journal_mode = wal; pragma synchronous = full');
  const statements = new Map();
  const prepare = (sql) => {
    const statement = file.prepare(sql);
    return {
      reader: statement.columns().length > 0,
      all: (values) => statement.all(...values),
      run: (values) => statement.run(...values),
      iterate: (values) => statement.iterate(...values),
    };
  };
  return {
    prepare: (sql) => {
      const known = statements.get(sql) ?? prepare(sql);
      statements.set(sql, known);
      return known;
    },
    close: () => file.close(),
  };
}

const url = process.env.DATABASE_URL;
const database = url.startsWith('sqlite:')
  ? { dialect: new SqliteDialect({ database: openSqlite(url.slice('sqlite:'.length)) }), type: 'sqlite' }
  : new pg.Pool({ connectionString: url, max: 10 });
const options = {
  database,
  baseURL: `http://127.0.0.1:${process.env.PORT}`,
  secret: 'a-secret-of-the-benchmark-0123456789',
  trustedOrigins: ['http://bench.example.org'],
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
};
const auth = betterAuth(options);
const { runMigrations } = await getMigrations(options);
await runMigrations();
const handle = toNodeHandler(auth);
const application = express();
application.get('/app', async (request, response) => {
  const session = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) });
  response.json({ username: session?.user.name });
});
createServer((request, response) => {
  if (request.url === '/app') return application(request, response);
  if (request.url === '/') return response.writeHead(200, { 'content-length': 0 }).end();
  return handle(request, response);
}).listen(Number(process.env.PORT), '127.0.0.1');
