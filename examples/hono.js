import { serve } from '@hono/node-server';
import { createAuth } from 'authsvc-client';
import { protect } from 'authsvc-client/hono';
import { Hono } from 'hono';

const auth = createAuth({ server: process.env.AUTH, app: 'portal', secret: process.env.AUTHSVC_SECRET });
const app = new Hono();
app.use(protect(auth));
app.get('/', (c) => c.text(`Hello ${c.var.visitor.username}`));
serve({ fetch: app.fetch, port: 4000 });
