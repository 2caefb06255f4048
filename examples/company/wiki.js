// An application without a sign-in of its own. nginx lets only people pass who may use it, and says who they are.
import { createServer } from 'node:http';
import process from 'node:process';

createServer(({ headers }, response) => {
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end(`Wiki of ${headers['remote-user']}`);
}).listen(Number(process.env.PORT), '127.0.0.1');
