/** A Redis that does not answer. */
export interface RedisAway {
  /** Its host and port. */
  readonly address: string;
  /** How long it has not answered. */
  readonly seconds: number;
  /** The last error of the connection, or that there was none. */
  readonly reason: string;
}

/** What a machine of a cluster tells of its Redis. */
export type RedisEvent =
  /** Redis does not answer; told within ten seconds, then once a minute. */
  | ({ readonly type: 'redis-lost' } & RedisAway)
  /** Redis answers again, after so many seconds. */
  | ({ readonly type: 'redis-return' } & Pick<RedisAway, 'address' | 'seconds'>)
  /** A command to Redis has failed; told once a minute for each reason. */
  | ({ readonly type: 'redis-fail' } & Pick<RedisAway, 'address' | 'reason'>);
