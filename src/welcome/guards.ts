import { AppError } from '../errors/app-error.ts';
import type { Guard } from '../http/guard.ts';

/** Refuses every call with NOT_FOUND while no mail server is set. */
export const requireMail: Guard = {
  name: 'SMTP_URL is set',
  errors: ['NOT_FOUND'],
  check: ({ services }) => {
    if (services.settings.SMTP_URL === undefined) throw new AppError('NOT_FOUND');
    return undefined;
  },
};
