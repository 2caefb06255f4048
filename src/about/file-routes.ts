import { Type } from 'typebox';
import { AppError } from '../errors/app-error.ts';
import { emptyReply, file, fileReply, noContent } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, type Services } from '../http/route.ts';
import type { FoundFile } from '../ui/assets.ts';

const YEAR_SECONDS = 31_536_000;

interface FileRow {
  path: string;
  operationId: string;
  /** Name of the file in the build. */
  name: string;
  type: string;
  summary: string;
}

const rows: FileRow[] = [
  {
    path: '/authsvc/main.js',
    operationId: 'getMainScript',
    name: 'main.js',
    type: 'application/javascript; charset=utf-8',
    summary:
      "Return the script with helpers for the pages of applications: sign out, check the session, clear the browser's storage",
  },
  {
    path: '/authsvc/bg.webp',
    operationId: 'getBackground',
    name: 'bg.webp',
    type: 'image/webp',
    summary: 'Return a picture for the background of a page',
  },
  {
    path: '/icon.svg',
    operationId: 'getIcon',
    name: 'icon.svg',
    type: 'image/svg+xml; charset=utf-8',
    summary: 'Return the icon of the service',
  },
  {
    path: '/icon.png',
    operationId: 'getIconPng',
    name: 'icon.png',
    type: 'image/png',
    summary: 'Return the icon, 512 pixels wide',
  },
  {
    path: '/favicon.ico',
    operationId: 'getFavicon',
    name: 'favicon.ico',
    type: 'image/vnd.microsoft.icon',
    summary: 'Return the icon in sizes from 16 to 48 pixels',
  },
];

/** Returns whether the client already has this content, according to its `If-None-Match` header (RFC 9110 §13.1.2). */
function isKnown(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

function sendFile({ request, reply, services }: Call, { name, type }: FileRow) {
  const { content, etag } = services.assets.publicFile(name);
  reply.headers({ 'cache-control': `public, max-age=${YEAR_SECONDS}`, etag });
  return isKnown(request.headers['if-none-match'], etag) ? noContent(304) : file(type, content);
}

/** Prevents scripts in a picture from running, even if a browser opens the picture as a document. SVG can hold scripts. */
const PICTURE_ONLY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

interface HashedFiles {
  path: string;
  operationId: string;
  summary: string;
  find(name: string, services: Services): FoundFile | undefined;
}

/**
 * Returns a route for files whose names contain a hash of their content. Browsers cache these files and never request
 * them again. While several versions run side by side, a page of one version may request its files from a process of
 * another version. That process then sends its own file, with `no-store`, so that no browser caches the wrong file.
 */
const hashedFilesRoute = ({ path, operationId, summary, find }: HashedFiles): AnyRoute =>
  defineRoute({
    method: 'GET',
    path,
    operationId,
    summary,
    kind: 'file',
    params: Type.Object({ name: Type.String() }),
    replies: { 200: fileReply('*/*') },
    errors: ['NOT_FOUND'],
    handle: async ({ params, reply, services }) => {
      const found = find(params.name, services);
      if (!found) throw new AppError('NOT_FOUND');
      reply.header('cache-control', found.isSameVersion ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-store');
      if (found.type.startsWith('image/')) reply.header('content-security-policy', PICTURE_ONLY);
      return file(found.type, found.content);
    },
  });

const hashedFileRoutes: AnyRoute[] = [
  hashedFilesRoute({
    path: '/authsvc/assets/:name',
    operationId: 'getAsset',
    summary: 'Return a style sheet, script or picture of the pages by the file name that the build gave it',
    find: (name, { assets }) => assets.find(name),
  }),
  hashedFilesRoute({
    path: '/authsvc/brand/:name',
    operationId: 'getBrandFile',
    summary: 'Return a logo or the style sheet that the brand settings define',
    find: (name, { brand }) => brand.file(name),
  }),
];

/** Files with a fixed address. Browsers cache each of them for a year. */
const publicRoutes: AnyRoute[] = rows.map((row) =>
  defineRoute({
    method: 'GET',
    path: row.path,
    operationId: row.operationId,
    summary: row.summary,
    kind: 'file',
    replies: { 200: fileReply(row.type), 304: emptyReply },
    handle: async (call) => sendFile(call, row),
  }),
);

export const fileRoutes: AnyRoute[] = [...publicRoutes, ...hashedFileRoutes];
