// The minimum cost of every server on node:http. Replies to GET with a constant JSON text. For POST, reads and parses the
// body first.
import { createServer } from 'node:http';
import process from 'node:process';

const answer = JSON.stringify({ session_valid: true, expiry: '2030-01-01T00:00:00.000Z' });

function send(response) {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer);
}

createServer((request, response) => {
  if (request.method !== 'POST') return send(response);
  let text = '';
  request.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  return request.on('end', () => {
    JSON.parse(text);
    send(response);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
