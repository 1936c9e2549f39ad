import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { openBrowser } from '../../test/chromium.ts';
import { PROGRAM } from '../start/run-built.ts';

/** `data-designer view` in a process of its own. */
export interface StartedViewer extends AsyncDisposable {
  readonly address: string;
  readonly pid: number;
}

/** Starts `data-designer view` on a folder, and waits for its address. */
export async function startViewer(folder: string): Promise<StartedViewer> {
  const child = spawn(process.execPath, [PROGRAM, 'view', folder, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { address }: { readonly address: string } = JSON.parse(line.toString());
  return {
    address,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof openBrowser>>['newPage']>>;

/** A page of the viewer in a browser. */
export interface OpenedPage extends AsyncDisposable {
  readonly page: Page;
  readonly browserPid: number;
}

/** Opens an address of the viewer in a browser without a window, and waits for its first page. */
export async function openPage(address: string): Promise<OpenedPage> {
  const browser = await openBrowser();
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(address);
  await page.waitForSelector('main');
  return { page, browserPid: browser.process()?.pid ?? 0, [Symbol.asyncDispose]: () => browser.close() };
}

/** Goes to a view, and returns the milliseconds until an element is there and drawn. */
export function timeTo(page: Page, view: string, selector: string): Promise<number> {
  return page.evaluate(
    (hash, wanted) =>
      new Promise<number>((resolve) => {
        const begunAt = performance.now();
        const observer = new MutationObserver(look);
        function look(): void {
          if (document.querySelector(wanted) === null) return;
          observer.disconnect();
          // The task after a frame.
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begunAt)));
        }
        observer.observe(document, { subtree: true, childList: true, attributes: true });
        location.hash = hash;
        look();
      }),
    `#/${view}`,
    selector,
  );
}

/** The value below which a share of the values is. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
}

/** The largest memory of a process so far; 0 where the system does not tell. */
export function peakMb(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
