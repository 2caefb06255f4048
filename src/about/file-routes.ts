import { Type } from 'typebox';
import { AppError } from '../errors/app-error.ts';
import { type AnyRoute, type Call, defineRoute, type Services } from '../http/route.ts';
import type { FoundFile } from '../ui/assets.ts';

const YEAR_SECONDS = 31_536_000;

interface FileRow {
  path: string;
  /** Its name in the build. */
  name: string;
  type: string;
  summary: string;
}

const rows: FileRow[] = [
  {
    path: '/authsvc/main.js',
    name: 'main.js',
    type: 'application/javascript; charset=utf-8',
    summary: 'The helpers for the pages of applications: sign out, check the session, clear what the browser keeps',
  },
  { path: '/authsvc/bg.webp', name: 'bg.webp', type: 'image/webp', summary: 'A picture for the background of a page' },
  { path: '/icon.svg', name: 'icon.svg', type: 'image/svg+xml; charset=utf-8', summary: 'The icon of the service' },
  { path: '/icon.png', name: 'icon.png', type: 'image/png', summary: 'The icon, 512 pixels wide' },
  { path: '/favicon.ico', name: 'favicon.ico', type: 'image/vnd.microsoft.icon', summary: 'The icon, 16 to 48 pixels' },
];

/** Whether the client has this very content already (RFC 9110 §13.1.2). */
function isKnown(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

function sendFile({ request, reply, services }: Call, { name, type }: FileRow) {
  const { content, etag } = services.assets.publicFile(name);
  reply.headers({ 'cache-control': `public, max-age=${YEAR_SECONDS}`, etag });
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(type).send(content);
}

/** Whatever a picture holds, it stays a picture, also where a browser opens it alone. */
const PICTURE_ONLY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

interface HashedFiles {
  path: string;
  summary: string;
  find(name: string, services: Services): FoundFile | undefined;
}

/**
 * Files whose names carry a hash of their content, so that no browser asks for one again. While several versions run
 * side by side, a page of the one may ask the other for its files: it gets what that has, and keeps nothing of it.
 */
const hashedFilesRoute = ({ path, summary, find }: HashedFiles): AnyRoute =>
  defineRoute({
    method: 'GET',
    path,
    summary,
    kind: 'file',
    params: Type.Object({ name: Type.String() }),
    errors: ['NOT_FOUND'],
    handle: async ({ params, reply, services }) => {
      const file = find(params.name, services);
      if (!file) throw new AppError('NOT_FOUND');
      reply.header('cache-control', file.isSameVersion ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-store');
      if (file.type.startsWith('image/')) reply.header('content-security-policy', PICTURE_ONLY);
      return reply.type(file.type).send(file.content);
    },
  });

const hashedFileRoutes: AnyRoute[] = [
  hashedFilesRoute({
    path: '/authsvc/assets/:name',
    summary: 'A style sheet, script or picture of the pages, under the name that the build gave it',
    find: (name, { assets }) => assets.find(name),
  }),
  hashedFilesRoute({
    path: '/authsvc/brand/:name',
    summary: 'The pictures and the colour that the settings give the pages',
    find: (name, { brand }) => brand.file(name),
  }),
];

/** The files that are served under one address for ever, each with a year of cache. */
const publicRoutes: AnyRoute[] = rows.map((row) =>
  defineRoute({
    method: 'GET',
    path: row.path,
    summary: row.summary,
    kind: 'file',
    contentType: row.type,
    handle: async (call) => sendFile(call, row),
  }),
);

export const fileRoutes: AnyRoute[] = [...publicRoutes, ...hashedFileRoutes];
