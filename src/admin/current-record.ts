import { AppError } from '../errors/app-error.ts';

/**
 * Does a change of a record of which a console has shown a version. If the record has changed since, the refusal shows it
 * as it is now.
 *
 * @throws AppError CHANGED_MEANWHILE with `current`; whatever the change and `describe` throw
 */
export async function orCurrent<Result>(change: Promise<Result>, describe: () => Promise<object>): Promise<Result> {
  try {
    return await change;
  } catch (error) {
    const isOutdated = error instanceof AppError && error.code === 'CHANGED_MEANWHILE';
    throw isOutdated ? new AppError(error.code, { ...error.parameters, current: await describe() }) : error;
  }
}
