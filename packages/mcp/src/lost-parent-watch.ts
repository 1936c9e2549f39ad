import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Waits for its stdin to end. If a line came before, the group has ended. Otherwise the parent process is gone: the group gets
 * one second to end by itself, and another after SIGTERM.
 */
const SCRIPT = `trap "" HUP INT TERM
read -r group || exit
read -r over && exit
sleep 1
kill -s TERM -- "-$group" || exit
sleep 1
kill -s KILL -- "-$group"`;

/**
 * A small shell that ends a child's process group if this process is killed. It starts before the child, so that the child is
 * never without it. POSIX only: Windows ends children by itself.
 */
export class LostParentWatch implements AsyncDisposable {
  readonly #shell: ChildProcess;
  readonly #gone: Promise<void>;
  #isWatching = false;

  constructor() {
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, env: {} });
    this.#shell.stdin?.on('error', () => undefined);
    this.#gone = new Promise((resolve) => {
      this.#shell.once('exit', () => resolve());
      // Without a shell the child must notice the end of its stdin by itself.
      this.#shell.once('error', () => resolve());
    });
  }

  /** The process group to end. */
  watch(group: number): void {
    this.#isWatching = true;
    this.#shell.stdin?.write(`${group}\n`);
  }

  /** Ends the shell: the group has ended or never began. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#shell.stdin?.end(this.#isWatching ? 'over\n' : '');
    await this.#gone;
  }
}
