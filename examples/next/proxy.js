import { createAuth } from 'authsvc-client';
import { protect } from 'authsvc-client/next';

export const auth = createAuth({ server: process.env.AUTH, app: 'portal', secret: process.env.AUTHSVC_SECRET });
export const proxy = protect(auth);
