import process from 'node:process';

/** A command of this program as it is typed here: through npx where npm ran the program, which alone knows where it is. */
export const asTyped = (command: string): string => `${process.env.npm_command ? 'npx ' : ''}authsvc ${command}`;
