import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataDesignerError } from '@data-designer/core';
import { LocalCalls } from '@data-designer/mcp';
import type { JointLimits } from '../admission/joint-limits.ts';
import { CallRecorder } from '../call-recorder.ts';
import type { Control, IoThreadSettings, Report } from './control.ts';
import { GroupChannel, type When } from '../group-channel.ts';
import { guardedWeb } from '../downloads/web-reader.ts';
import { folderJournal } from '@data-designer/dataset/journal';
import { Journal } from '../journal/journal.ts';
import { ProviderRouter } from '../provider-router.ts';
import { tellModelStates } from '../admission/model-state.ts';

/** Waking a worker costs more than a message: under load it is woken at most this often. */
const SEND_EVERY_MS = 1;
/** How often to check whether rows wait for calls that the budget does not allow. */
const LOOK_EVERY_MS = 20;

/** A run on the I/O thread: its connections, keys, sessions and journals. */
export class ServedRun {
  readonly #report: (message: Report) => void;
  readonly #router: ProviderRouter;
  readonly #channels = new Map<number, GroupChannel>();
  readonly #awake = new Set<GroupChannel>();
  /** Records the calls of the run; undefined without a listener. */
  readonly #recorder: CallRecorder | undefined;
  /** Calls to functions of the calling program, on the host's thread. */
  readonly #functions: LocalCalls;
  readonly #states: Disposable;
  #sentAt = 0;
  #atEndOfTurn: NodeJS.Immediate | undefined;
  #later: NodeJS.Timeout | undefined;
  /** Whether the run is ending, so nothing more is sent. */
  #isOver = false;
  #isClosed = false;

  /** Throws `secret/missing` and `model/unusable-provider`. */
  constructor(settings: IoThreadSettings, report: (message: Report) => void, joint: JointLimits | undefined) {
    this.#report = report;
    this.#functions = new LocalCalls(report);
    const router = new ProviderRouter(settings, {
      web: guardedWeb,
      onEvent: (event) => report({ kind: 'event', event: router.redact(event) }),
      functions: this.#functions,
      exchange: settings.isClustered ? (use) => report({ kind: 'use', use }) : undefined,
      joint: joint && { limits: joint, account: settings.account ?? '' },
    });
    this.#router = router;
    if (settings.recordsCalls)
      this.#recorder = new CallRecorder((calls) => report({ kind: 'calls', calls: router.redact(calls) }));
    this.#states = tellModelStates(
      () => router.modelStates,
      (models) => report({ kind: 'models', models }),
    );
    const { spent } = router;
    const end = () => void this.#endSpent(DataDesignerError.fromUnknown(spent?.reason));
    if (spent?.aborted) end();
    else spent?.addEventListener('abort', end);
  }

  /** Obeys a command of the host, and reports how it ended. */
  async take(control: Control): Promise<void> {
    try {
      const answer = await this.#obey(control);
      if (answer) this.#report(answer);
    } catch (thrown) {
      this.fail('id' in control ? control.id : 'fatal', thrown);
    }
  }

  /** Reports a failure, of a command or of the whole run. */
  fail(kind: 'fatal' | number, thrown: unknown): void {
    const failure = this.#router.redact(DataDesignerError.fromUnknown(thrown).toWire());
    this.#report(kind === 'fatal' ? { kind, failure } : { kind: 'failed', id: kind, failure });
  }

  async #obey(control: Control): Promise<Report | undefined> {
    switch (control.kind) {
      case 'open-group':
        this.#openGroup(control);
        return undefined;
      case 'close-group':
        await this.#closeGroup(control);
        return { kind: 'done', id: control.id };
      case 'end-group':
        this.#channels.get(control.group)?.endAsking();
        return undefined;
      case 'drain':
        await this.#drain(control.graceMs);
        return { kind: 'done', id: control.id };
      case 'tool-ended':
        this.#functions.take(control);
        return undefined;
      case 'list-tools':
        return { kind: 'tools', id: control.id, schemas: await this.#router.listTools(control.provider, control) };
      case 'list-models':
        return { kind: 'listed-models', id: control.id, names: await this.#router.listModels(control.provider) };
      case 'redact':
        return { kind: 'redacted', id: control.id, value: this.#router.redact(control.value) };
      case 'shares':
        this.#router.takeShares(control.shares);
        return undefined;
      case 'exchange-now':
        this.#router.exchangeNow();
        return undefined;
      case 'close':
        await this.#closeAll();
        return { kind: 'done', id: control.id };
    }
  }

  /** Flushes the woken channels together at the end of an event loop turn: each writes its journal, then sends. */
  #wake(channel: GroupChannel, when: When): void {
    if (when === 'now') return this.#flushChannel(channel);
    this.#awake.add(channel);
    if (this.#atEndOfTurn) return;
    const flush = () => this.#flush();
    if (when === 'soon' || performance.now() - this.#sentAt >= SEND_EVERY_MS) this.#atEndOfTurn = setImmediate(flush);
    else this.#later ??= setTimeout(flush, SEND_EVERY_MS);
  }

  #flush(): void {
    clearTimeout(this.#later);
    this.#atEndOfTurn = this.#later = undefined;
    const channels = [...this.#awake];
    this.#awake.clear();
    for (const channel of channels) this.#flushChannel(channel);
    this.#sentAt = performance.now();
  }

  #flushChannel(channel: GroupChannel): void {
    try {
      channel.flush();
    } catch (thrown) {
      // An answer that cannot be journaled must not be used: nothing more is admitted, and the run ends.
      this.fail('fatal', thrown);
      this.#router.pause();
    }
  }

  #openGroup({ group, journalPath, port }: Control & { kind: 'open-group' }): void {
    const known = this.#channels.get(group);
    if (known) {
      known.reload();
      known.attach(port);
      return;
    }
    const journal = journalPath === null ? undefined : Journal.open(folderJournal(journalPath));
    const home = journalPath === null ? undefined : dirname(journalPath);
    const recording = this.#recorder && { recorder: this.#recorder, group };
    const wake = (woken: GroupChannel, when: When): void => this.#wake(woken, when);
    const channel = new GroupChannel({ router: this.#router, journal, home, wake, recording });
    this.#channels.set(group, channel);
    if (this.#isOver) channel.endAsking();
    channel.attach(port);
  }

  async #closeGroup({ group, keepJournal }: Control & { kind: 'close-group' }): Promise<void> {
    const channel = this.#channels.get(group);
    if (!channel) return;
    if (keepJournal) await channel.settled();
    // The run may have been closed meanwhile.
    if (this.#channels.get(group) !== channel) return;
    this.#awake.delete(channel);
    this.#channels.delete(group);
    await channel.close({ keepJournal });
    this.#recorder?.flush();
  }

  /**
   * Admits nothing more and waits for the calls in flight, so that every paid answer is journaled. Other calls fail with
   * `run/over`; calls that are in flight after `graceMs` are given up.
   */
  async #drain(graceMs: number): Promise<void> {
    this.#isOver = true;
    this.#router.pause();
    for (const channel of this.#channels.values()) channel.endAsking();
    const settled = this.#settled().then(() => true);
    const isIn = await Promise.race([settled, sleep(graceMs, false, { ref: false })]);
    if (!isIn) for (const channel of this.#channels.values()) channel.giveUp();
    this.#flush();
    this.#recorder?.flush();
  }

  /**
   * Once the budget is spent, calls in flight are finished and rows that need no model are made. Tells the host when
   * nothing is in flight and rows still wait for models; a run whose rows need none ends by itself.
   */
  async #endSpent(reason: DataDesignerError): Promise<void> {
    for (;;) {
      await this.#settled();
      // Gives rows whose last answer has just arrived time to be made.
      await sleep(LOOK_EVERY_MS, undefined, { ref: false });
      if (this.#isClosed) return;
      if (this.#router.wantsMore && ![...this.#channels.values()].some((channel) => channel.isBusy)) break;
    }
    this.#flush();
    this.#report({ kind: 'spent', reason: reason.toWire() });
  }

  async #settled(): Promise<void> {
    await Promise.all([...this.#channels.values()].map((channel) => channel.settled()));
  }

  async #closeAll(): Promise<void> {
    this.#isClosed = true;
    // The permits that a closed channel releases must not admit another request.
    this.#router.pause();
    const closing = [...this.#channels.values()].map((channel) => channel.close({ keepJournal: true }));
    this.#channels.clear();
    await Promise.all(closing);
    await this.#router[Symbol.asyncDispose]();
    this.#recorder?.flush();
    this.#states[Symbol.dispose]();
  }
}
