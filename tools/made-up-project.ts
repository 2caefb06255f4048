import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Writes a small project of the given files (path below src/ to text) and removes it when the test is over. */
export async function makeUpProject(files: Record<string, string>): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), 'authsvc-project-'));
  onTestFinished(() => rm(project, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    const file = join(project, 'src', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return project;
}
