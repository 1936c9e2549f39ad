import { createHash } from 'node:crypto';
import { LIMITS_SCRIPT } from './limits-script.ts';
import type { RedisClient } from './cluster-connection.ts';

/** A message to the coordinator: it is to poll the other machines at once. */
export const POLL = 'poll';
/** A message of the coordinator: all machines are to report, and to read what is new. `report:<id>` is for one of them. */
export const REPORT = 'report';
/** A message of the coordinator to one machine, `give-back:<groups>:<id>`: it is to give back groups that it has not begun. */
export const GIVE_BACK = 'give-back';

/**
 * All that a machine exchanges with the others, in one call: its limits, its report, or both. The limits are one
 * value. Reports are fields of a hash, each with the server's time before it. Only the coordinator sends `poll`: it renews its
 * lease and reads what the others have reported.
 */
const EXCHANGE_SCRIPT = `
local KEPT_SECONDS, NOTICES = 86400, 1000

local function limits()
${LIMITS_SCRIPT}
end

local function report()
  local LIMITS, REPORTS, COORDINATOR, ANNOUNCEMENT, MACHINES, ACCEPTED, COMMITTED, WAITING, ACTIVE = unpack(KEYS)
  local ask = cjson.decode(ARGV[2])
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('HSET', REPORTS, ask.id, string.format('%.0f', now) .. ' ' .. ARGV[3])
  redis.call('PEXPIRE', REPORTS, ask.silenceMs)
  if #ask.committed > 0 then redis.call('RPUSH', COMMITTED, unpack(ask.committed)) end
  if ask.isUrgent then redis.call('PUBLISH', LIMITS, '${POLL}') end
  local known = redis.call('MGET', COORDINATOR, ANNOUNCEMENT, MACHINES)
  local holder, announcement, poll = known[1], known[2], ask.poll
  local reply = { holder, announcement, redis.call('HGET', ACCEPTED, ask.id), redis.call('LLEN', WAITING), redis.call('LLEN', ACTIVE) }
  if not poll or (holder and holder ~= ask.id) then
    reply[6] = known[3]
    return reply
  end

  redis.call('SET', COORDINATOR, ask.id, 'PX', poll.leaseMs)
  redis.call('SET', MACHINES, poll.machines, 'PX', ask.silenceMs)
  if poll.announcement and announcement ~= poll.announcement then
    redis.call('SET', ANNOUNCEMENT, poll.announcement, 'EX', KEPT_SECONDS)
    redis.call('PUBLISH', LIMITS, '${REPORT}')
  end
  for id, answer in pairs(poll.accepted) do
    redis.call('HSET', ACCEPTED, id, answer)
    redis.call('EXPIRE', ACCEPTED, KEPT_SECONDS)
    redis.call('PUBLISH', LIMITS, '${REPORT}:' .. id)
  end
  local reports, stored = {}, redis.call('HGETALL', REPORTS)
  for at = 1, #stored, 2 do
    local id, text = stored[at], stored[at + 1]
    local space = string.find(text, ' ', 1, true)
    if now - tonumber(string.sub(text, 1, space)) > ask.silenceMs then
      redis.call('HDEL', REPORTS, id)
      -- One that reports again is accepted again.
      redis.call('HDEL', ACCEPTED, id)
    elseif id ~= ask.id then
      reports[#reports + 1] = string.sub(text, space + 1)
    end
  end
  reply[1], reply[6] = ask.id, poll.machines
  reply[7] = {
    reports,
    redis.call('HGETALL', ACCEPTED),
    redis.call('LPOP', COMMITTED, NOTICES) or {},
    redis.call('LRANGE', ACTIVE, 0, -1),
  }
  return reply
end

return { ARGV[1] ~= '' and limits(), ARGV[2] ~= '' and report() }
`;

const SCRIPT_HASH = createHash('sha1').update(EXCHANGE_SCRIPT).digest('hex');

/** The keys of the script, within those of a run. */
const KEYS = [
  'limits',
  'reports',
  'coordinator',
  'announcement',
  'workers',
  'accepted',
  'committed',
  'groups:wait',
  'groups:active',
] as const;

/** A report as the script takes it. */
export interface SentReport {
  readonly ask: string;
  readonly beat: string;
}

/** The reports of the machine of this process; its methods must not throw. */
export interface Reporter {
  /** The report to send with an exchange of limits; undefined if none is due. */
  readonly due: () => SentReport | undefined;
  /** The answer to a report, as the script gives it; undefined if there was none. */
  readonly answered: (answer: unknown) => void;
}

/** The connection of an exchange. */
interface ExchangeConnection {
  readonly client: RedisClient;
  /** The full name of a key of the run. */
  readonly keys: (name: string) => string;
  /** Opens a further connection to the same server. */
  readonly duplicate: () => RedisClient;
  /** Takes the failure of a command that nobody awaits. */
  readonly failed: (thrown: unknown) => void;
}

/** The calls of a process to the script of its run, and the messages of other machines. */
export class Exchange {
  readonly #connection: ExchangeConnection;
  readonly #listeners = new Set<(message: string) => void>();
  #subscribed: Promise<unknown> | undefined;
  reporter: Reporter | undefined;

  constructor(connection: ExchangeConnection) {
    this.#connection = connection;
  }

  /** Exchanges limits; a report of this machine that is due is part of the call. */
  async limits(ask: string): Promise<string> {
    const report = this.reporter?.due();
    const [reply] = await this.#call(ask, report);
    return String(reply);
  }

  /** Sends a report of its own. */
  async report(report: SentReport): Promise<void> {
    await this.#call('', report);
  }

  /** Calls the listener with each message of a machine; the returned function ends that. */
  async listen(listener: (message: string) => void): Promise<() => void> {
    this.#listeners.add(listener);
    this.#subscribed ??= this.#subscribe();
    await this.#subscribed;
    return () => void this.#listeners.delete(listener);
  }

  /** Has a machine report at once and read what is new; all machines unless one is given. */
  async requestReport(machine?: string): Promise<void> {
    const { client, keys } = this.#connection;
    await client.publish(keys('limits'), machine === undefined ? REPORT : `${REPORT}:${machine}`);
  }

  /** Has a machine give back groups that it has not begun, until it has so many. */
  async requestGiveBack(machine: string, keep: number): Promise<void> {
    const { client, keys } = this.#connection;
    await client.publish(keys('limits'), `${GIVE_BACK}:${keep}:${machine}`);
  }

  #subscribe(): Promise<unknown> {
    const { keys, duplicate, failed } = this.#connection;
    const subscriber = duplicate();
    // After a loss of the connection ioredis subscribes again, and ignores the promise: rejected, it would end the process.
    const subscribe: (...channels: readonly string[]) => Promise<unknown> = subscriber.subscribe.bind(subscriber);
    Object.defineProperty(subscriber, 'subscribe', {
      value: (...channels: readonly string[]) => {
        const subscribed = subscribe(...channels);
        subscribed.catch(failed);
        return subscribed;
      },
    });
    subscriber.on('message', (_: string, message: string) => {
      for (const listener of this.#listeners) listener(message);
    });
    return subscriber.subscribe(keys('limits'));
  }

  async #call(limits: string, report: SentReport | undefined): Promise<readonly unknown[]> {
    let answer: unknown;
    try {
      const keys = KEYS.map(this.#connection.keys);
      const reply = await this.#evaluate([...keys, limits, report?.ask ?? '', report?.beat ?? '']);
      if (!Array.isArray(reply)) return [];
      answer = reply[1];
      return reply;
    } finally {
      if (report) this.reporter?.answered(answer);
    }
  }

  /** Runs the script; Redis forgets scripts when it restarts. */
  async #evaluate(values: readonly string[]): Promise<unknown> {
    const { client } = this.#connection;
    try {
      return await client.evalsha(SCRIPT_HASH, KEYS.length, ...values);
    } catch (thrown) {
      if (!String(thrown).includes('NOSCRIPT')) throw thrown;
      return client.eval(EXCHANGE_SCRIPT, KEYS.length, ...values);
    }
  }
}
