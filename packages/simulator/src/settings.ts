import { messageOf } from '@data-designer/core';
import { parseArgs } from 'node:util';
import { RULES_NAMES, type RulesName } from './chat/request-rules.ts';
import { type FaultRates, FAULTS, readFaultRates } from './fault.ts';
import { type Latency, readLatency } from './latency.ts';

/** How the server behaves. */
export interface Settings {
  readonly port: number;
  readonly seed: number;
  readonly latency: Latency;
  /** How fast answers are written, which takes that much longer; infinitely fast unless given. */
  readonly tokensPerSecond: number;
  /** How long answers of plain text are; as long as the request allows for `max`; a few sentences where undefined. */
  readonly outputTokens: number | 'max' | undefined;
  /** Requests in flight, at most; more are refused with 429. */
  readonly limit: number;
  /** The Retry-After of a 429 or 503 in seconds; undefined to send none. */
  readonly retryAfter: string | undefined;
  readonly faults: FaultRates;
  readonly apiKey: string | undefined;
  /** Whose rules requests must keep to beyond the protocol; nobody's where undefined. */
  readonly requestRules: RulesName | undefined;
  readonly logFile: string | undefined;
  readonly endsWithStdin: boolean;
}

/** Thrown when the command line cannot be understood; its message says what is wrong with which flag. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What `--help` prints. */
export const USAGE = `Usage: node simulator.js [flags]

An OpenAI-compatible chat server on 127.0.0.1 that makes its answers up.

  --port N             where to listen; 0, the default, takes any free port
  --seed N             answers, latencies and faults follow from it; default 0
  --latency SPEC       ms: 200, uniform:100:300 or lognormal:200:0.5 (median, sigma); default 0
  --tokens-per-second R
                       what writing an answer adds to its latency; default nothing
  --output-tokens N    tokens of an answer of plain text, or max for what the
                       request allows; default a few sentences
  --limit N            requests in flight, at most; more get 429
  --retry-after S      seconds in the Retry-After of a 429 or 503, or none; default 1
  --faults LIST        shares of requests, such as 500=0.01,reset=0.01
  --api-key KEY        ask for it as a bearer token
  --request-rules NAME refuse the tools and images that a provider refuses:
                       ${RULES_NAMES.join(', ')}
  --log FILE           append one JSON line for each request
  --end-with-stdin     end when standard input ends
  --help               print this

Faults: any status from 400 to 599, ${Object.keys(FAULTS).join(', ')}.
A model named sim-<fault> always shows that fault; sim-<fault>-once only when a request is first seen.
`;

const FLAGS = {
  port: { type: 'string', default: '0' },
  seed: { type: 'string', default: '0' },
  latency: { type: 'string', default: '0' },
  'tokens-per-second': { type: 'string' },
  'output-tokens': { type: 'string' },
  limit: { type: 'string' },
  'retry-after': { type: 'string', default: '1' },
  faults: { type: 'string' },
  'api-key': { type: 'string' },
  'request-rules': { type: 'string' },
  log: { type: 'string' },
  'end-with-stdin': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Reads the command line; undefined asks for help. Throws a `UsageError`. */
export function readSettings(args: readonly string[]): Settings | undefined {
  const flags = readFlags(args);
  if (flags.help) return undefined;
  return {
    port: integer('port', flags.port, 65_535),
    seed: integer('seed', flags.seed, Number.MAX_SAFE_INTEGER),
    latency: readLatency(flags.latency) ?? refuse('latency', flags.latency),
    tokensPerSecond: rate(flags['tokens-per-second']),
    outputTokens: flags['output-tokens'] === undefined ? undefined : outputTokens(flags['output-tokens']),
    limit: flags.limit === undefined ? Number.POSITIVE_INFINITY : integer('limit', flags.limit, 1_000_000),
    retryAfter: retryAfter(flags['retry-after']),
    faults: flags.faults === undefined ? new Map() : (readFaultRates(flags.faults) ?? refuse('faults', flags.faults)),
    apiKey: flags['api-key'],
    requestRules: requestRules(flags['request-rules']),
    logFile: flags.log,
    endsWithStdin: flags['end-with-stdin'],
  };
}

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS, allowPositionals: false }).values;
  } catch (thrown) {
    throw new UsageError(messageOf(thrown), { cause: thrown });
  }
}

function retryAfter(text: string): string | undefined {
  if (text === 'none') return undefined;
  return /^\d+(\.\d+)?$/.test(text) ? text : refuse('retry-after', text);
}

function requestRules(text: string | undefined): RulesName | undefined {
  return text === undefined ? undefined : (RULES_NAMES.find((name) => name === text) ?? refuse('request-rules', text));
}

function rate(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  return /^\d+(\.\d+)?$/.test(text) && Number(text) > 0 ? Number(text) : refuse('tokens-per-second', text);
}

function outputTokens(text: string): number | 'max' {
  return text === 'max' ? text : integer('output-tokens', text, 1_000_000) || refuse('output-tokens', text);
}

function integer(flag: string, text: string, highest: number): number {
  const value = Number(text);
  return /^\d+$/.test(text) && value <= highest ? value : refuse(flag, text);
}

function refuse(flag: string, text: string): never {
  throw new UsageError(`--${flag} cannot be '${text}'.`);
}
