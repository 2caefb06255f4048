import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Settings } from '../settings/table.ts';
import { accentSheet } from './accent.ts';
import { fileTypes, type HashedFile } from './assets.ts';

/** What an operator changes of the look. The addresses carry a hash of the content, so they may be cached for ever. */
export interface Brand {
  /** The address of a style sheet that comes after the usual one. */
  styles: string | undefined;
  /** The address of a picture in the place of the mark. */
  logo: { address: string; type: string } | undefined;
  file(name: string): HashedFile | undefined;
}

function nameOf(stem: string, ending: string, content: Buffer): string {
  return `${stem}.${createHash('sha256').update(content).digest('hex').slice(0, 8)}${ending}`;
}

/** Reads what the settings name. Throws what the file system throws when a file has gone since they were checked. */
export function createBrand({ BRAND_ACCENT, BRAND_LOGO }: Pick<Settings, 'BRAND_ACCENT' | 'BRAND_LOGO'>): Brand {
  const files = new Map<string, HashedFile>();
  const keep = (stem: string, ending: string, content: Buffer) => {
    const type = fileTypes[ending] ?? 'application/octet-stream';
    const name = nameOf(stem, ending, content);
    files.set(name, { content, type });
    return { address: `/authsvc/brand/${name}`, type };
  };
  const styles = BRAND_ACCENT && keep('accent', '.css', Buffer.from(accentSheet(BRAND_ACCENT)));
  const logo = BRAND_LOGO && keep('logo', extname(BRAND_LOGO).toLowerCase(), readFileSync(BRAND_LOGO));
  return { styles: styles ? styles.address : undefined, logo: logo || undefined, file: (name) => files.get(name) };
}
