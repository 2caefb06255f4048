import { visitor } from 'authsvc-client/next';
import { auth } from '../proxy.js';

export async function GET() {
  const { username } = await visitor(auth);
  return new Response(`Hello ${username}`);
}
