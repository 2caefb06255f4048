import { AppError } from '../errors/app-error.ts';
import type { Guard } from '../http/guard.ts';
import type { Call } from '../http/route.ts';
import { findApplication, type KnownApplication } from './find-application.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The application that `requireApplication` accepted. */
    application?: KnownApplication;
  }
}

/** Admits first-party applications that send their key and secret. */
export const requireApplication: Guard = {
  name: 'key and secret of an application',
  errors: ['APP_CREDENTIALS_INVALID', 'APP_THIRD_PARTY'],
  securitySchemes: ['application'],
  check: async ({ services, request }) => {
    request.application = await findApplication(services, request.headers.authorization);
    return undefined;
  },
};

/** Returns the application of a call that has passed `requireApplication`. */
export function getApplication({ request }: Call): KnownApplication {
  if (!request.application) throw new AppError('APP_CREDENTIALS_INVALID');
  return request.application;
}
