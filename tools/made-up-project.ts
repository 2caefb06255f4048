import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Writes a small project with the given files (path below `folder` to text), and removes it after the test. */
export async function makeUpProject(files: Record<string, string>, folder = 'src'): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), 'authsvc-project-'));
  onTestFinished(() => rm(project, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    const file = join(project, folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return project;
}
