import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, launch } from 'puppeteer-core';

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** Why there is no browser here; undefined where there is one. */
export const whyNoBrowser =
  browserPath() === undefined ? `none of ${NAMES.join(', ')} is in PATH; .ci/install-programs installs one` : undefined;

/** Starts a browser without a window. Throws where there is none. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = browserPath();
  if (executablePath === undefined) throw new Error(`There is no browser: ${whyNoBrowser}.`);
  return launch({ executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
}

/** A browser by its name, wherever it stands in PATH. */
function browserPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
