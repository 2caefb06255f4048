import { type Static, Type } from 'typebox';
import { expect, test } from 'vitest';
import { file, fileReply, Html, htmlReply, redirect, redirectReply, status } from './reply.ts';
import { type Call, defineRoute, json } from './route.ts';

// The compiler does the checking. Below each `@ts-expect-error` is a line that must not compile.

const row = { method: 'POST', path: '/greeting', operationId: 'greet', summary: 'Greet', kind: 'json' } as const;
const greeting = Type.Object({ success: Type.Literal(true), message: Type.String() });
const person = Type.Object({
  name: Type.Object({ first: Type.String(), last: Type.Optional(Type.String()) }),
  tags: Type.Array(Type.Object({ label: Type.String() })),
});
const ada: { success: true; message: string; secret: string } = { success: true, message: 'Hello', secret: 'x' };
const tagged = { name: { first: 'Ada' }, tags: [{ label: 'a', hidden: 1 }] };

test('a handler that returns what its route declares compiles', () => {
  const named = async ({ body }: Call<{ name: string }>): Promise<Static<typeof greeting>> => ({
    success: true,
    message: body.name,
  });

  const rows = [
    defineRoute({ ...row, replies: { 200: greeting }, handle: async () => ({ success: true, message: 'Hello' }) }),
    defineRoute({
      ...row,
      body: json(Type.Object({ name: Type.String() })),
      fieldErrors: { name: { missing: 'MISSING_REQUIRED_FIELD' } },
      replies: { 200: greeting },
      handle: named,
    }),
    defineRoute({ ...row, replies: { 200: person }, handle: async () => ({ name: { first: 'Ada' }, tags: [] }) }),
    defineRoute({
      ...row,
      replies: { 200: greeting, 201: person },
      handle: async () => status(201, { name: { first: 'Ada' }, tags: [{ label: 'a' }] }),
    }),
    defineRoute({
      ...row,
      replies: { 200: htmlReply, 303: redirectReply('The page'), 404: htmlReply },
      handle: async () => (row.path.length > 9 ? redirect('/') : status(404, new Html(''))),
    }),
    defineRoute({ ...row, replies: { 200: fileReply('image/png') }, handle: async () => file('image/png', '') }),
  ];

  expect(rows.map(({ body }) => body.kind)).toEqual(['none', 'json', 'none', 'none', 'none', 'none']);
});

test('a handler that returns something its route does not declare does not compile', () => {
  const rows = [
    // @ts-expect-error a misspelt field
    defineRoute({ ...row, replies: { 200: greeting }, handle: async () => ({ success: true, mesage: 'Hello' }) }),
    // @ts-expect-error a field of a wrong type
    defineRoute({ ...row, replies: { 200: greeting }, handle: async () => ({ success: true, message: 42 }) }),
    // @ts-expect-error a literal of a wrong value
    defineRoute({ ...row, replies: { 200: greeting }, handle: async () => ({ success: false, message: '' }) }),
    // @ts-expect-error an undeclared field
    defineRoute({ ...row, replies: { 200: greeting }, handle: async () => ({ success: true, message: '', more: 1 }) }),
    // @ts-expect-error an undeclared field of a value made elsewhere
    defineRoute({ ...row, replies: { 200: greeting }, handle: async () => ada }),
    // @ts-expect-error an undeclared field inside another
    defineRoute({ ...row, replies: { 200: person }, handle: async () => ({ name: { first: '', x: 1 }, tags: [] }) }),
    // @ts-expect-error an undeclared field inside a list
    defineRoute({ ...row, replies: { 200: person }, handle: async () => tagged }),
    // @ts-expect-error an undeclared status
    defineRoute({ ...row, replies: { 200: greeting }, handle: async () => status(201, ada) }),
    // @ts-expect-error the value of another status
    defineRoute({ ...row, replies: { 200: greeting, 201: person }, handle: async () => status(200, tagged) }),
    // @ts-expect-error an undeclared field at a status
    defineRoute({ ...row, replies: { 201: person }, handle: async () => status(201, tagged) }),
    // @ts-expect-error a text in place of a page
    defineRoute({ ...row, replies: { 200: htmlReply }, handle: async () => '<p>' }),
    // @ts-expect-error a page in place of JSON
    defineRoute({ ...row, replies: { 200: greeting }, handle: async () => new Html('') }),
    // @ts-expect-error an undeclared redirect
    defineRoute({ ...row, replies: { 200: htmlReply }, handle: async () => redirect('/') }),
    // @ts-expect-error a reply that the handler sends by itself
    defineRoute({ ...row, replies: { 200: greeting }, handle: async ({ reply }) => reply.send(ada) }),
    defineRoute({
      ...row,
      // @ts-expect-error an error for a field that the route does not take
      fieldErrors: { nmae: { missing: 'MISSING_REQUIRED_FIELD' } },
      body: json(Type.Object({ name: Type.String() })),
      replies: { 200: greeting },
      handle: async () => ({ success: true, message: '' }),
    }),
  ];

  expect(rows).toHaveLength(15);
});
