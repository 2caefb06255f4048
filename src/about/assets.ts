import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { assetsFolder } from '../ui/assets.ts';

const YEAR_MS = 31_536_000_000;

/** Serves the built styles, scripts and pictures. Their names carry a hash of their content, so they are kept for a year. */
export async function serveAssets(server: FastifyInstance): Promise<void> {
  await server.register(fastifyStatic, {
    root: assetsFolder(),
    prefix: '/authsvc/assets/',
    index: false,
    maxAge: YEAR_MS,
    immutable: true,
    allowedPath: (path) => !path.endsWith('.json'),
  });
}
