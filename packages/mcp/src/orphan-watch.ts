import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Waits for its stdin to end. What came by then tells what to do: nothing, if the group has ended; else the one who
 * started it is gone. It is then given a second to notice that by itself, and another after SIGTERM.
 */
const SCRIPT = `trap "" HUP INT TERM
read -r group || exit
read -r over && exit
sleep 1
kill -s TERM -- "-$group" || exit
sleep 1
kill -s KILL -- "-$group"`;

/**
 * A small shell beside a child process that ends the child's group when this process is killed and can no longer do it.
 * It is started before the child, so that there is no moment without it. POSIX only: Windows ends children by itself.
 */
export class OrphanWatch implements AsyncDisposable {
  readonly #shell: ChildProcess;
  readonly #gone: Promise<void>;
  #isWatching = false;

  constructor() {
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, env: {} });
    this.#shell.stdin?.on('error', () => undefined);
    this.#gone = new Promise((resolve) => {
      this.#shell.once('exit', () => resolve());
      // Without a shell the child's own heed of its stdin has to do.
      this.#shell.once('error', () => resolve());
    });
  }

  /** The process group to end. */
  watch(group: number): void {
    this.#isWatching = true;
    this.#shell.stdin?.write(`${group}\n`);
  }

  /** The group has ended, or was never begun: so does the shell. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#shell.stdin?.end(this.#isWatching ? 'over\n' : '');
    await this.#gone;
  }
}
