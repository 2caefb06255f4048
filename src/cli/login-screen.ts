import type { PendingLogin } from 'authsvc-client/device';

/** What a person sees while a login is pending. All of it goes to stderr, because stdout is for the result. */
export interface LoginScreen {
  /** Shows the address and the code. Then shows, until `stop` is called, that the login is pending. */
  show(pending: PendingLogin): Promise<void>;
  stop(): void;
}

const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const plainScreen: LoginScreen = {
  show: async (pending) => {
    say(`To sign in, open  ${pending.verificationUrl}`);
    say(`and approve only if it shows the code  ${pending.userCode}`);
    say(`Waiting for the approval, at most ${Math.round(pending.expiresIn / 60)} minutes …`);
  },
  stop: () => undefined,
};

function spellLeft(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
}

/** Returns the address as a QR code, or '' if the terminal is too small for it. */
async function qrCode(address: string): Promise<string> {
  const { drawQrCode } = await import('../command/qr-code.ts');
  const { rows, columns } = process.stderr;
  for (const border of [4, 2]) {
    const lines = drawQrCode(address, { border, isColoured: false });
    const fits = lines.length + 14 <= rows && (lines[0]?.length ?? 0) + 8 <= columns;
    if (fits) return `\n\n${drawQrCode(address, { border, isColoured: process.stderr.hasColors() }).join('\n')}`;
  }
  return '';
}

/** Screen for a terminal: a box with address, code and QR code, and a spinner with the remaining time. */
async function terminalScreen(server: string): Promise<LoginScreen> {
  const [{ intro, note }, { default: ora }] = await Promise.all([import('@clack/prompts'), import('ora')]);
  const spinner = ora({ stream: process.stderr, discardStdin: false });
  let timer: NodeJS.Timeout | undefined;
  return {
    show: async (pending) => {
      const address = pending.verificationUrl;
      const code = pending.userCode;
      intro(`Sign in to ${server}`, { output: process.stderr });
      const text = `Open   ${address}\nCode   ${code}\n\nApprove only if the page shows this code.${await qrCode(address)}`;
      note(text, pending.profileName, { output: process.stderr });
      const end = performance.now() + pending.expiresIn * 1000;
      const tick = () => {
        spinner.text = `Waiting for your approval · ${spellLeft((end - performance.now()) / 1000)} left · Ctrl-C to stop`;
      };
      tick();
      spinner.start();
      timer = setInterval(tick, 1000);
    },
    stop: () => {
      clearInterval(timer);
      spinner.stop();
    },
  };
}

/** Returns the screen for a person at a terminal, or plain lines if stderr is not a terminal. */
export const createLoginScreen = async (server: string): Promise<LoginScreen> =>
  process.stderr.isTTY ? terminalScreen(server) : plainScreen;

/** Opens the address in the person's browser and does not wait. Ignores failures, because the address was printed too. */
export async function openBrowser(address: string): Promise<void> {
  const { default: open } = await import('open');
  const started = await open(address);
  started.on('error', () => undefined);
}
