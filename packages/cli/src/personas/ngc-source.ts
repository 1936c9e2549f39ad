import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PERSONA_LOCALES, type PersonaLocale } from '@data-designer/columns/personas';
import { DataDesignerError, systemCode } from '@data-designer/core';
import { findPersonaFile } from './folder-source.ts';
import { type PersonaSource, resourceName, wantedPersonas } from './persona-source.ts';

const STDERR = 2;
const VERSION_MS = 30_000;
/** How long `ngc` may take to end before it is killed. */
const END_MS = 5000;

const SETUP =
  "Create an account at https://catalog.ngc.nvidia.com, install 'ngc' from https://org.ngc.nvidia.com/setup/installers/cli and log in with 'ngc config set'; or install files that you have with --from.";

/** NVIDIA NGC, read with NVIDIA's program `ngc`, which keeps the login. */
export const ngcSource: PersonaSource = {
  name: 'NVIDIA NGC',
  locales: PERSONA_LOCALES,
  refuseUnusable,
  check: () => Promise.resolve(undefined),
  install: async (locale, { folder, signal }) => {
    const { installCollection, partialFolder, refusing } = await import('@data-designer/seeds');
    const { orStorageFailure } = await import('@data-designer/dataset/journal');
    const wanted = wantedPersonas(locale, folder);
    return refusing(wanted, async () => {
      // On the disk of the collections, so that the file is moved, not copied.
      const partial = partialFolder(folder);
      const downloads = await orStorageFailure(partial, async () => {
        await mkdir(partial, { recursive: true, mode: 0o700 });
        return mkdtemp(join(partial, 'ngc-'));
      });
      try {
        const resource = `nvidia/nemotron-personas/${resourceName(locale)}`;
        await runNgc(['registry', 'resource', 'download-version', resource, '--dest', downloads], { locale, signal });
        const path = findPersonaFile(downloads, locale);
        if (path === undefined) throw refused(locale, `'ngc' downloaded no Parquet file of ${resource}`);
        const name = `${resource} (${locale}.parquet)`;
        return await installCollection(
          wanted,
          { name, fill: (file) => file.adopt(path, signal), sha256: undefined },
          signal,
        );
      } finally {
        await rm(downloads, { recursive: true, force: true });
      }
    });
  },
};

async function refuseUnusable(): Promise<void> {
  try {
    await promisify(execFile)('ngc', ['--version'], { timeout: VERSION_MS });
  } catch (thrown) {
    const isMissing = systemCode(thrown) === 'ENOENT';
    throw unusable(isMissing ? "the program 'ngc' is not on PATH" : "'ngc --version' fails", SETUP);
  }
  const config = join(homedir(), '.ngc', 'config');
  if (existsSync(config) || (process.env['NGC_CLI_API_KEY'] ?? '') !== '') return;
  throw unusable(`'ngc' is not logged in: there is no file ${config}`, "Log in with 'ngc config set' and start again.");
}

function unusable(reason: string, remedy: string): DataDesignerError<'collection/unavailable'> {
  return new DataDesignerError('collection/unavailable', { source: ngcSource.name, reason, remedy });
}

/** Runs `ngc`, which shows its own progress; the signal ends it. Throws `collection/not-installed`. */
function runNgc(
  args: readonly string[],
  { locale, signal }: { readonly locale: PersonaLocale; readonly signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    // Standard output is for JSON.
    const child = spawn('ngc', args, { stdio: ['ignore', STDERR, STDERR] });
    let killing: NodeJS.Timeout | undefined;
    const stop = (): void => {
      child.kill();
      killing = setTimeout(() => child.kill('SIGKILL'), END_MS);
    };
    signal.addEventListener('abort', stop, { once: true });
    const settle = (finish: () => void): void => {
      signal.removeEventListener('abort', stop);
      clearTimeout(killing);
      finish();
    };
    child.on('error', (thrown) => settle(() => reject(thrown)));
    child.on('exit', (code, name) =>
      settle(() => {
        if (code === 0) resolve();
        else
          reject(refused(locale, `'ngc' ended ${code === null ? `by ${name}` : `with code ${code}`}; see its output`));
      }),
    );
  });
}

function refused(collection: string, reason: string): DataDesignerError<'collection/not-installed'> {
  const remedy = "Check the login with 'ngc config current', and start again.";
  return new DataDesignerError('collection/not-installed', { collection, reason, remedy });
}
