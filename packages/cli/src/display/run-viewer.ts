import type { Viewer } from '@data-designer/viewer';
import { onStopSignals } from '../signals.ts';

/** The viewer of `create --view`: opened when the run begins, and open until the user closes it. */
export class RunViewer {
  readonly #plugins: readonly string[];
  #opening: Promise<Viewer | undefined> | undefined;

  constructor(plugins: readonly string[]) {
    this.#plugins = plugins;
  }

  /** Opens the viewer of a folder, once. A viewer that cannot be opened does not end the run. */
  open(folder: string): void {
    this.#opening ??= this.#open(folder).catch((thrown: unknown) => {
      process.stderr.write(`Warning: the run is not shown in the browser: ${String(thrown)}\n`);
      return undefined;
    });
  }

  /** Resolves once the user closes the viewer; at once if the run was interrupted or the viewer is not open. */
  async closed({ isInterrupted }: { readonly isInterrupted: boolean }): Promise<void> {
    await using viewer = await this.#opening;
    if (!viewer || isInterrupted) return;
    const closing = Promise.withResolvers<void>();
    using _ = onStopSignals(() => closing.resolve());
    process.stderr.write(`The run is over. Its dataset is at ${viewer.address}\nCtrl-C closes the viewer.\n`);
    await closing.promise;
  }

  async #open(folder: string): Promise<Viewer> {
    const { openViewer } = await import('@data-designer/results/open-viewer');
    const { openBrowser } = await import('./open-browser.ts');
    const viewer = await openViewer(folder, { plugins: this.#plugins });
    process.stderr.write(`Viewing the run at ${viewer.address}\n`);
    openBrowser(viewer.addressForOnce());
    return viewer;
  }
}
