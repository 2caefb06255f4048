import { createAuth } from 'authsvc-client';
import { protect } from 'authsvc-client/express';
import express from 'express';

const auth = createAuth({ server: process.env.AUTH, app: 'portal', secret: process.env.AUTHSVC_SECRET });
const app = express();
app.use(protect(auth));
app.get('/', (request, response) => response.send(`Hello ${request.visitor.username}`));
app.listen(4000);
