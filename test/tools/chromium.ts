import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, launch } from 'puppeteer-core';

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const PACKAGE = 'chromium-headless-shell';

/** Why there is no browser here; undefined where there is one, or one can be had. */
export function whyNoBrowser(): string | undefined {
  if (browserPath() !== undefined || canInstall()) return undefined;
  return `None of ${NAMES.join(', ')} is in PATH, and this is not Debian as root, where ${PACKAGE} could be installed.`;
}

/** Starts a browser without a window; installs one where that is possible. Throws where there is none. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = browserPath() ?? install();
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

function canInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version');
}

function install(): string {
  const missing = whyNoBrowser();
  if (missing !== undefined) throw new Error(missing);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update'], { env, stdio: 'ignore' });
  execFileSync('apt-get', ['install', '--yes', '--no-install-recommends', PACKAGE], { env, stdio: 'pipe' });
  const path = browserPath();
  if (path === undefined) throw new Error(`${PACKAGE} was installed and is not in PATH.`);
  return path;
}
