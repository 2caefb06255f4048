import { AppError } from '../errors/app-error.ts';
import type { Guard } from '../http/guard.ts';

/** Without a mail server these addresses do not exist. */
export const requireMail: Guard = {
  name: 'SMTP_URL is set',
  errors: ['NOT_FOUND'],
  check: ({ services }) => {
    if (services.settings.SMTP_URL === undefined) throw new AppError('NOT_FOUND');
    return undefined;
  },
};
