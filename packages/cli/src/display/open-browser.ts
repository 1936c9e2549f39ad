import { spawn } from 'node:child_process';

/** The program that opens an address in the user's browser, by platform. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  linux: ['xdg-open'],
};

/** Opens an address in the browser of this machine; does nothing over SSH, without a terminal, or where that fails. */
export function openBrowser(address: string): void {
  const { SSH_CONNECTION: ssh, CI: ci, DISPLAY: x11, WAYLAND_DISPLAY: wayland } = process.env;
  const hasScreen = process.platform !== 'linux' || x11 !== undefined || wayland !== undefined;
  if (!process.stdout.isTTY || ssh !== undefined || ci !== undefined || !hasScreen) return;
  const [command, ...args] = OPENERS[process.platform] ?? [];
  if (command === undefined) return;
  const opener = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
  // The address is printed: the user can open it.
  opener.once('error', () => {});
  opener.unref();
}
