import { countSuperadmins } from '../admin/overview-queries.ts';
import type { Database } from '../db/handle.ts';
import { asTyped } from '../settings/as-typed.ts';
import type { Settings } from '../settings/table.ts';
import { type Finding, failure, fine, warning } from './finding.ts';

/** Checks that a superadmin can sign in. Warns of superadmins without a second factor if second factors are enabled. */
export async function checkSuperadmin(
  database: Database,
  { AUTHSVC_TWO_FA_ENABLE: asksForFactors }: Settings,
): Promise<Finding> {
  const row = await countSuperadmins.first(database, {});
  const [total, bare] = [Number(row?.total ?? 0), Number(row?.without_factor ?? 0)];
  if (total === 0) return failure('No active superadmin exists.', `Run ${asTyped('user add NAME --role superadmin')}.`);
  if (asksForFactors && bare > 0)
    return warning(
      `${bare} of ${total} active superadmins ${bare === 1 ? 'has' : 'have'} no second factor.`,
      `Let them set one up on their account page, or run ${asTyped('2fa enable NAME')}.`,
    );
  return fine(`${total === 1 ? '1 superadmin is' : `${total} superadmins are`} active.`);
}
