import { CommandFailure } from '../command/command-failure.ts';
import { asTyped } from '../settings/as-typed.ts';

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/** Returns why the service cannot listen and what to do about it, or undefined for other errors. */
function sentence(error: unknown, host: string, port: number): string | undefined {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `Port ${port} is in use by another program. Stop that program, or choose another port: write PORT=${port === 65_535 ? 3000 : port + 1} into .env, which the commands read too, or start with ${asTyped('serve --port …')}`;
    case 'EACCES':
      return `This user may not listen on port ${port}. Choose one above 1023 (PORT or --port), and let a proxy listen on the lower one.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine. Choose another one (HOST or --host): 127.0.0.1 for this machine only, 0.0.0.0 for all its addresses.`;
    default:
      return undefined;
  }
}

/** Converts a listen error to a CommandFailure with a readable text. Returns any other error unchanged. */
export function explainListenError(error: unknown, { host, port }: { host: string; port: number }): unknown {
  const text = sentence(error, host, port);
  return text === undefined ? error : new CommandFailure(text);
}
