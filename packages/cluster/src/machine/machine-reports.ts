import { type Exchange, GIVE_BACK, POLL, REPORT, type SentReport } from '../redis/exchange.ts';
import { type Answer, type Beat, type PollRequest, readAnswer, type RunState } from '../redis/run-state.ts';
import type { Timing } from '../timing.ts';

/** A machine reports after so many beats if no exchange of limits took a report along. */
const ALONE_BEATS = 4;
/** Reports that go with an exchange of limits are at least so many beats apart. */
const LEAST_BEATS = 0.9;
/** The most committed groups in a report. */
const MOST_COMMITTED = 1000;

/** What the reports of a machine need; the functions must not throw. */
interface MachineReportsParts {
  /** The id of the machine. */
  readonly id: string;
  readonly exchange: Exchange;
  readonly state: RunState;
  readonly timing: Timing;
  readonly beat: () => Beat;
  /** What the coordinator sends with its report; undefined on other machines. */
  readonly poll: () => PollRequest | undefined;
  readonly onAnswer: (answer: Answer) => void;
  /** The coordinator has another machine for groups that this one has not begun; it keeps so many. */
  readonly onGiveBack: (keep: number) => void;
}

/** Sends the reports of a machine: with its exchanges of limits, alone if there are none, and at once if somebody waits. */
export class MachineReports {
  readonly #parts: MachineReportsParts;
  #timer: NodeJS.Timeout | undefined;
  #mute: Promise<() => void> | undefined;
  #sentAt = -Infinity;
  /** What the report that is under way contains. */
  #sending: { readonly committed: readonly number[]; readonly isUrgent: boolean } | undefined;
  #committed: number[] = [];
  #isWanted = false;
  #isUrgent = false;
  #hasEnded = false;

  constructor(parts: MachineReportsParts) {
    this.#parts = parts;
  }

  /** Begins to report. */
  start(): void {
    if (this.#timer) return this.now();
    const { exchange, timing, state } = this.#parts;
    exchange.reporter = { due: () => this.#due(), answered: (answer) => this.#answered(answer) };
    this.#timer = setInterval(() => {
      if (performance.now() - this.#sentAt >= timing.beatMs * ALONE_BEATS) this.now();
    }, timing.beatMs / 2);
    this.#mute = exchange.listen((message) => this.#hear(message));
    this.#mute.catch(state.link.failed);
    // The coordinator may not know this machine.
    this.urgently();
  }

  /** Reports a committed group to the coordinator, soon. */
  commit(group: number): void {
    this.#committed.push(group);
  }

  /** Reports at once. */
  now(): void {
    this.#isWanted = true;
    void this.#alone();
  }

  /** Reports at once, and has the coordinator poll at once. */
  urgently(): void {
    this.#isUrgent = true;
    this.now();
  }

  /** Makes the last report. */
  async end(): Promise<void> {
    this.stop();
    const { exchange, state, beat } = this.#parts;
    const last = { beat: { ...beat(), hasLeft: true }, committed: this.#committed.splice(0), isUrgent: true };
    await exchange.report(state.sent(last));
  }

  /** Ends the reports. */
  stop(): void {
    this.#hasEnded = true;
    clearInterval(this.#timer);
    const { exchange } = this.#parts;
    exchange.reporter = undefined;
    // Where it failed, that was reported.
    void this.#mute?.then((mute) => mute()).catch(() => {});
  }

  #hear(message: string): void {
    const { poll, id, onGiveBack } = this.#parts;
    const [kind, keep, machine] = message.split(':');
    if (kind === GIVE_BACK && machine === id) return onGiveBack(Number(keep));
    const concerns = poll() ? message === POLL : message === REPORT || message === `${REPORT}:${id}`;
    if (concerns) this.now();
  }

  #due(): SentReport | undefined {
    const { timing, state, beat, poll } = this.#parts;
    if (this.#sending || this.#hasEnded) return undefined;
    if (!this.#isWanted && performance.now() - this.#sentAt < timing.beatMs * LEAST_BEATS) return undefined;
    const asked = poll();
    // The coordinator polls with each report of its own.
    const isUrgent = this.#isUrgent && !asked;
    const sending = { committed: this.#committed.splice(0, MOST_COMMITTED), isUrgent };
    this.#sending = sending;
    this.#sentAt = performance.now();
    this.#isWanted = false;
    this.#isUrgent = false;
    return state.sent({ beat: beat(), ...sending, poll: asked });
  }

  #answered(reply: unknown): void {
    const sent = this.#sending;
    this.#sending = undefined;
    if (this.#hasEnded) return;
    const answer = readAnswer(reply);
    if (!answer) {
      // Redis is away: the next report contains it again.
      this.#committed.unshift(...(sent?.committed ?? []));
      this.#isUrgent ||= sent?.isUrgent ?? false;
      return;
    }
    this.#parts.onAnswer(answer);
    if (this.#isWanted) void this.#alone();
  }

  async #alone(): Promise<void> {
    const report = this.#timer && this.#due();
    if (report) await this.#parts.exchange.report(report).catch(this.#parts.state.link.failed);
  }
}
