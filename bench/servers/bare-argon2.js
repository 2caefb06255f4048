// Verifies one argon2id hash per request and does nothing else, with the parameters of authsvc. This is the minimum cost
// of a login.
import { createServer } from 'node:http';
import process from 'node:process';
import { hash, verify } from '@node-rs/argon2';

const stored = await hash('right-horse-7', { memoryCost: 19_456, timeCost: 2, parallelism: 1 });

createServer(async (_request, response) => {
  const isRight = await verify(stored, 'right-horse-7');
  response.writeHead(isRight ? 200 : 500, { 'content-length': 0 }).end();
}).listen(Number(process.env.PORT), '127.0.0.1');
