// An application without its own sign-in. nginx forwards only requests of people who may use it, with their username in a header.
import { createServer } from 'node:http';
import process from 'node:process';

createServer(({ headers }, response) => {
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end(`Wiki of ${headers['remote-user']}`);
}).listen(Number(process.env.PORT), '127.0.0.1');
