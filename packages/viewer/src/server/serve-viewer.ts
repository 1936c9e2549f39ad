import { createServer } from 'node:http';
import { listen } from '@data-designer/mcp/http';
import { answerRequest } from './answer-request.ts';
import { portOf, secretOf } from './folder-address.ts';
import { Session } from './session.ts';
import { ShownDatasets, type ShownOptions } from './shown-datasets.ts';
import { readStaticFiles } from './static-files.ts';

/** Where a viewer listens, and what it shows. */
export interface ServeViewerOptions extends ShownOptions {
  /** Default: 127.0.0.1, which only this machine reaches. */
  readonly host?: string | undefined;
  /** Default: the same one each time for a folder, if it is free; 0 for any free one. */
  readonly port?: number | undefined;
  /** Further names that browsers may call this machine by. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The folder of the built app. */
  readonly appFolder: string;
  /** Closes the viewer when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** A running viewer. */
export interface Viewer extends AsyncDisposable {
  /** The address to open, with the token. */
  readonly address: string;
  /** The same address with a token that is good for one browser. */
  readonly addressForOnce: () => string;
  /** Resolves once it is closed. */
  readonly ended: Promise<void>;
}

/** The addresses that only this machine reaches. */
const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

/** Shows datasets in the browser; throws `dataset/missing` and `environment/cannot-listen`. */
export async function serveViewer(options: ServeViewerOptions): Promise<Viewer> {
  const { host = '127.0.0.1', port, allowedHosts = [], appFolder, signal, folders } = options;
  // Readers at other machines see no dataset that they were not given.
  const hasNeighbours = LOOPBACK.includes(host) && allowedHosts.length === 0;
  const shown = new ShownDatasets({ ...options, hasNeighbours });
  await shown.list();
  const files = await readStaticFiles(appFolder);
  const session = new Session({ host, allowedHosts, secret: await secretOf(folders) });
  const listening = (at: number) => {
    const server = createServer({ keepAlive: true }, (request, response) => {
      void answerRequest(request, response, { session, shown, files });
    });
    return listen(server, { host, port: at }).then((origin) => ({ server, origin }));
  };
  const { server, origin } =
    port === undefined ? await listening(portOf(folders)).catch(() => listening(0)) : await listening(port);
  const ended = Promise.withResolvers<void>();
  server.once('close', ended.resolve);
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await ended.promise;
    await shown[Symbol.asyncDispose]();
  };
  signal?.addEventListener('abort', () => void close(), { once: true });
  return {
    address: `${origin}/#t=${session.token}`,
    addressForOnce: () => `${origin}/#t=${session.tokenForOnce()}`,
    ended: ended.promise,
    [Symbol.asyncDispose]: close,
  };
}
