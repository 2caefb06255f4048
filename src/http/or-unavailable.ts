import { AppError } from '../errors/app-error.ts';
import type { Call } from './route.ts';
import { traceFields } from './trace-id.ts';

const RETRY_AFTER_SECONDS = 1;

/**
 * Does work for a program that asks on behalf of others: a fault is 503, so that no outage reads as a sign-out.
 *
 * @param failure what the log says of a fault
 * @throws AppError every refusal of `work`; OVERLOADED for anything else, such as a database that is away
 */
export async function orUnavailable<T>(
  { services, request }: Pick<Call, 'services' | 'request'>,
  failure: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    services.log.error({ err: error, request_id: request.id, ...traceFields(request.headers) }, failure);
    throw new AppError('OVERLOADED', { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}
