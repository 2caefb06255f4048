import { AppError } from '../errors/app-error.ts';

/**
 * Awaits a change to a record. If the record has changed since the console showed it, adds its current state to the error.
 *
 * @param change a rule that compares the version of the record
 * @param describe reads the current state of the record
 * @throws AppError CHANGED_MEANWHILE with `current`; any error of `change` and `describe`
 */
export async function orCurrent<Result>(change: Promise<Result>, describe: () => Promise<object>): Promise<Result> {
  try {
    return await change;
  } catch (error) {
    const isOutdated = error instanceof AppError && error.code === 'CHANGED_MEANWHILE';
    throw isOutdated ? new AppError(error.code, { ...error.parameters, current: await describe() }) : error;
  }
}
