import { createServer } from 'node:http';
import { createAuth } from 'authsvc-client';
import { protect } from 'authsvc-client/node';

const auth = createAuth({ server: process.env.AUTH, app: 'portal', secret: process.env.AUTHSVC_SECRET });
const pass = protect(auth);
createServer(async (request, response) => {
  const visitor = await pass(request, response);
  if (visitor) response.end(`Hello ${visitor.username}`);
}).listen(4000);
