// A server with Fastify as at the start of its guide, without log, hooks and schemas. It replies to GET and POST with a
// constant JSON text.
import process from 'node:process';
import fastify from 'fastify';

const server = fastify();
const answer = { session_valid: true, expiry: '2030-01-01T00:00:00.000Z' };
server.get('/', async () => answer);
server.post('/', async () => answer);
await server.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
