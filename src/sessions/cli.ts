import type { Command } from 'commander';
import type { CommandContext, CommandServices } from '../command/context.ts';
import { addExamples } from '../command/examples.ts';
import { textInstant, textTable } from '../command/table.ts';
import { getUser } from '../users/find-user.ts';
import { endAllSessions, endSession, endUserSessions } from './end-sessions.ts';
import { listSessions } from './queries.ts';

async function list({ database, clock }: CommandServices, name: string | undefined) {
  const userId = name === undefined ? undefined : (await getUser(database, name)).id;
  const sessions = await listSessions.all(database, { userId, now: clock.now() });
  const json = sessions.map((session) => ({
    session_id: session.id,
    user_id: session.user_id,
    username: session.username,
    method: session.method,
    address: session.address,
    user_agent: session.user_agent,
    created_at: new Date(session.created_at).toISOString(),
    expires_at: new Date(session.expires_at).toISOString(),
  }));
  const rows = sessions.map((session) => [
    session.id,
    session.username,
    session.method,
    session.address,
    textInstant(session.created_at),
    textInstant(session.expires_at),
  ]);
  const titles = ['SESSION', 'USERNAME', 'METHOD', 'ADDRESS', 'SINCE', 'UNTIL'];
  return { json, lines: textTable(titles, rows, 'There are no sessions.') };
}

async function revoke({ database, actor }: CommandServices, sessionId: string) {
  await endSession({ database, actor }, sessionId, 'command');
  return { json: { session_id: sessionId, revoked: true }, lines: ['The session has ended.'] };
}

async function revokeAll(services: CommandServices, name: string | undefined, options: { yes?: true }) {
  const { database, confirm, actor } = services;
  const user = name === undefined ? undefined : await getUser(database, name);
  if (!user && !options.yes) await confirm('End the sessions of all users? Everyone has to sign in again.');
  const sessions = user
    ? await endUserSessions({ database, actor }, user, 'command')
    : await endAllSessions({ database, actor });
  return { json: { revoked: sessions }, lines: [`Sessions ended: ${sessions}.`] };
}

/** Adds the command `authsvc session` and its subcommands. */
export function addSessionCommands(program: Command, context: CommandContext): void {
  const session = program.command('session').description('list and end sessions; changes take effect at once');
  const listing = session.command('list [name]').description('list the sessions of all users, or of one user');
  listing.action(context.action(listing, list));
  const revoking = session.command('revoke <session-id>').description('end one session');
  revoking.action(context.action(revoking, revoke));
  const revokingAll = session.command('revoke-all [name]').description('end the sessions of all users, or of one user');
  revokingAll.option(
    '--yes',
    'do not ask for confirmation before ending the sessions of all users; without a terminal, the command never asks',
  );
  addExamples(revokingAll, [
    'authsvc session revoke-all ada',
    'authsvc session revoke-all          all users; asks first at a terminal',
  ]);
  revokingAll.action(context.action(revokingAll, revokeAll));
}
