import { createAuth } from 'authsvc-client';
import { protect } from 'authsvc-client/fastify';
import fastify from 'fastify';

const auth = createAuth({ server: process.env.AUTH, app: 'portal', secret: process.env.AUTHSVC_SECRET });
const app = fastify();
app.addHook('onRequest', protect(auth));
app.get('/', async (request) => `Hello ${request.visitor.username}`);
await app.listen({ port: 4000 });
