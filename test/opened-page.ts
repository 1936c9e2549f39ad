import { openViewer } from 'data-designer';
import type { Browser, BrowserContext, Page } from 'puppeteer-core';

/** A viewer of this process. */
export type Viewer = Awaited<ReturnType<typeof openViewer>>;

// Frames of a page in the background are not drawn: polling does not wait for them.
export const WAIT = { timeout: 20_000, polling: 100 };

/** A page of the viewer, and what a page must not do. */
export interface Opened extends AsyncDisposable {
  readonly page: Page;
  /** Errors, refusals of the policy, dialogs and requests to other servers. */
  readonly said: string[];
}

/** Opens an address of the viewer, and waits for its page. */
export async function openPage(address: string, context: Browser | BrowserContext): Promise<Opened> {
  const page = await context.newPage();
  const said: string[] = [];
  const { origin } = new URL(address);
  page.on('console', (message) => message.type() === 'error' && said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('dialog', (dialog) => said.push(dialog.message()));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !/^(?:data|blob):/.test(request.url())) said.push(request.url());
  });
  await page.goto(address);
  await page.waitForSelector('main', WAIT);
  return { page, said, [Symbol.asyncDispose]: () => page.close() };
}

/** Goes to a view, and waits until it has read its data. */
export async function go(page: Page, view: string): Promise<void> {
  await page.evaluate((hash) => void (location.hash = hash), `#/${view}`);
  await page.waitForFunction(
    () => document.querySelector('main') !== null && document.querySelector('main [aria-busy="true"]') === null,
    WAIT,
  );
  await page.waitForNetworkIdle({ idleTime: 60, concurrency: 1, ...WAIT });
}

/** The text of an element. */
export function textOf(page: Page, selector: string): Promise<string> {
  return page.$eval(selector, (one) => (one as HTMLElement).innerText);
}

/** Waits until the text of an element contains another one. */
export async function untilText(page: Page, selector: string, text: string): Promise<void> {
  await page.waitForFunction(
    (where, wanted) => document.querySelector<HTMLElement>(where)?.innerText.includes(wanted),
    WAIT,
    selector,
    text,
  );
}

/** Opens a viewer as soon as a run has made its folder. */
export async function openWhenThere(folder: string): Promise<Viewer> {
  for (;;) {
    try {
      return await openViewer(folder);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
