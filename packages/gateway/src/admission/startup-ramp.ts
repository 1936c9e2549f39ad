import type { Grant, SentRequest } from './permit-source.ts';

/** How a limit grows before anything is known about the endpoint. */
export interface StartupRamp {
  /** Permits now. */
  permits(time: number): number;
  /** Milliseconds until there are more, if all are held and calls wait; undefined if not known. */
  untilMore(time: number): number | undefined;
  /** The request of a grant was sent. */
  sent(grant: Grant, at: SentRequest): void;
  /** The request of a grant was answered; `sent` may not have been called. */
  answered(grant: Grant, time: number): void;
}

/** Permits to begin with: few enough to be refused, enough for small endpoints. */
const FIRST_PERMITS = 32;
const GROWTH = 2;
/** The time over all doublings in which refusals may arrive: an endpoint that refuses does so soon. */
const LISTEN_MS = 60;
/** The time at each doubling is at least this many times the time to connect. */
const LISTEN_CONNECTS = 2;
/** A longer time to connect was spent waiting on this side. */
const LONGEST_CONNECT_MS = 150;

/**
 * The way up to `cap` permits. In `seconds` it is a straight line from 1, as NeMo Data Designer has it; in 0 seconds
 * permits double, from 32, whenever all of them were taken and sent and nothing was refused for a moment.
 */
export function startupRamp(cap: number, seconds: number): StartupRamp {
  return seconds > 0 ? linearRamp(cap, seconds * 1000) : listeningRamp(cap);
}

function linearRamp(cap: number, ms: number): StartupRamp {
  let startedAt: number | undefined;
  const permits = (time: number): number => {
    startedAt ??= time;
    return Math.max(1, Math.floor(cap * Math.min(1, (time - startedAt) / ms)));
  };
  return {
    permits,
    untilMore: (time) => {
      const now = permits(time);
      if (now >= cap) return undefined;
      // A little late rather than early: a timer that finds nothing changed would be set again and again.
      return (startedAt ?? time) + ((now + 1) / cap) * ms - time + 1;
    },
    sent: () => {},
    answered: () => {},
  };
}

function listeningRamp(cap: number): StartupRamp {
  const shortestMs = LISTEN_MS / Math.max(2, Math.ceil(Math.log2(cap / FIRST_PERMITS)));
  let permits = Math.min(cap, FIRST_PERMITS);
  /** The time that it took at least to connect. */
  let connectMs = LONGEST_CONNECT_MS;
  let isAnswered = false;
  /** When the last of the permits was on its way. */
  let allSentAt: number | undefined;
  const note = ({ inFlight }: Grant, time: number): void => {
    if (inFlight >= permits) allSentAt ??= time;
  };
  const untilMore = (time: number): number | undefined => {
    if (allSentAt === undefined) return undefined;
    return Math.max(0, allSentAt + Math.max(shortestMs, LISTEN_CONNECTS * connectMs) - time);
  };
  return {
    untilMore,
    permits: (time) => {
      if (untilMore(time) === 0) {
        permits = Math.min(cap, permits * GROWTH);
        allSentAt = undefined;
      }
      return permits;
    },
    sent: (grant, at) => {
      // Connections that are used again take no time, and tell nothing.
      if (!isAnswered) connectMs = Math.min(connectMs, at.connectMs);
      note(grant, at.time);
    },
    answered: (grant, time) => {
      isAnswered = true;
      note(grant, time);
    },
  };
}
